#include "vault/rekey.hpp"

#include <fmt/format.h>

#include "vault/rekey_pages.hpp"

namespace muhur::vault {

Result<void> rekey(Connection& connection, const Key& key,
                   const std::function<void(std::uint64_t, std::uint64_t)>& progress) {
  sqlite3_file* handle = nullptr;
  sqlite3_file_control(connection.handle(), "main", SQLITE_FCNTL_FILE_POINTER, &handle);
  File* const file = handle ? file_of(handle) : nullptr;
  MainFile* const encrypted = file ? file->encrypted() : nullptr;
  if (!encrypted || key.empty())
    return fail(
        Code::invalid,
        fmt::format("{} cannot change between plain and encrypted in place", connection.path().string()),
        "Copy it under the other key instead");
  std::string why;
  const int rc = rekey_pages(connection.handle(), "main", *encrypted, std::make_shared<const Key>(key.copy()),
                             progress, why);
  if (rc == SQLITE_OK) return {};
  Error error = connection.error_of(rc, "rekey");
  error.what += fmt::format(" ({})", why);
  return std::unexpected(std::move(error));
}

}  // namespace muhur::vault
