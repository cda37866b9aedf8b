#include "server/data_directory.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>

#include "accounts/directory.hpp"
#include "accounts/users.hpp"
#include "crypto/certificate.hpp"
#include "server/config_keys.hpp"

namespace muhur::server {
namespace {

constexpr int kCertificateDays = 3650;

Result<void> make_directory(const std::filesystem::path& path) {
  if (mkdir(path.c_str(), 0700) == 0) return {};
  const int error = errno;
  struct stat info{};
  if (error == EEXIST && stat(path.c_str(), &info) == 0) {
    if (S_ISDIR(info.st_mode)) return {};
    return fail(Code::io, fmt::format("{} is not a directory", path.string()),
                "remove the file of that name, or choose another data directory");
  }
  auto failed = fail_errno(error, fmt::format("make the directory {}", path.string()));
  if (error == EROFS || error == EACCES || error == EPERM)
    failed.error().remedy = "make it writable for the user that runs muhur, or choose another data directory";
  if (error == ENOENT) failed.error().remedy = "make its parent directory first";
  return failed;
}

}  // namespace

Result<void> write_new_file(const std::filesystem::path& file, std::string_view text, unsigned mode) {
  const int fd = open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  if (fd < 0) return fail_errno(errno, fmt::format("create {}", file.string()));
  std::size_t done = 0;
  int error = 0;
  while (done < text.size() && error == 0) {
    const ssize_t n = write(fd, text.data() + done, text.size() - done);
    if (n >= 0)
      done += static_cast<std::size_t>(n);
    else if (errno != EINTR)
      error = errno;
  }
  if (error == 0 && fsync(fd) != 0) error = errno;
  if (close(fd) != 0 && error == 0) error = errno;
  if (error == 0) return {};
  unlink(file.c_str());
  return fail_errno(error, fmt::format("write {}", file.string()));
}

Result<void> prepare_directories(const std::filesystem::path& data) {
  MUHUR_CHECK(make_directory(data));
  for (const char* name : {"mail", "tmp", "run"}) MUHUR_CHECK(make_directory(data / name));
  if (access(data.c_str(), W_OK | X_OK) != 0) {
    auto failed = fail_errno(errno, fmt::format("write in the data directory {}", data.string()));
    failed.error().remedy = "make it writable for the user that runs muhur";
    return failed;
  }
  return {};
}

void use_temp_directory(const std::filesystem::path& data) {
  const auto temp = (data / "tmp").string();
  setenv("SQLITE_TMPDIR", temp.c_str(), 1);
  setenv("TMPDIR", temp.c_str(), 1);
}

Result<std::filesystem::path> create_data_directory(const NewDataDirectory& wanted) {
  const auto& data = wanted.directory;
  MUHUR_CHECK(prepare_directories(data));
  auto config_file = data / "muhur.toml";
  if (std::filesystem::exists(config_file) || std::filesystem::exists(data / "server.key"))
    return fail(Code::exists, fmt::format("{} is a data directory already", data.string()),
                "serve it with `muhur serve --config " + config_file.string() + "`, or name another one");

  MUHUR_TRY(const Secret server_key, accounts::create_server_key(data / "server.key"));
  {
    MUHUR_TRY(const auto directory, accounts::Directory::open(data, server_key, true));
    MUHUR_CHECK(accounts::Users(*directory).add_domain(wanted.domain));
  }

  std::vector<std::string> names{"localhost", "127.0.0.1", "::1"};
  if (!wanted.host_name.empty()) names.insert(names.begin(), wanted.host_name);
  MUHUR_CHECK(make_directory(data / "tls"));
  if (!std::filesystem::exists(data / "tls/key.pem")) {
    MUHUR_TRY(const auto pair, crypto::self_signed(names, kCertificateDays));
    MUHUR_CHECK(write_new_file(data / "tls/key.pem", pair.key_pem.text(), 0600));
    MUHUR_CHECK(write_new_file(data / "tls/certificate.pem", pair.certificate_pem, 0644));
  }

  auto settings = wanted.settings;
  settings.emplace("data", "\".\"");
  if (!wanted.host_name.empty()) settings.emplace("host_name", fmt::format("\"{}\"", wanted.host_name));
  MUHUR_CHECK(write_new_file(config_file, example_file(settings), 0644));
  return config_file;
}

}  // namespace muhur::server
