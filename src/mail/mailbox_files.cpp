#include "mail/mailbox_files.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <fstream>

#include "base/log.hpp"
#include "vault/database_files.hpp"

namespace muhur::mail {
namespace fs = std::filesystem;
namespace {

// A mark has to be there after a power loss if what it guards is: the file and its directory are synced.
Result<void> write_synced(const fs::path& path, std::string_view text) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0) return fail_errno(errno, "create " + path.native());
  const bool written =
      ::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size()) && fsync(fd) == 0;
  const int error = errno;
  ::close(fd);
  if (!written) {
    ::unlink(path.c_str());
    return fail_errno(error, "write " + path.native());
  }
  return vault::flush_directory(path.parent_path());
}

}  // namespace

Result<void> MailboxFiles::mark(const std::string& id, std::string_view suffix, std::string_view text) {
  return write_synced(directory_ / (id + std::string(suffix)), text);
}

void MailboxFiles::unmark(const std::string& id) {
  std::error_code ignored;  // a mark that stays is looked at again at the next start, and harmless
  fs::remove(directory_ / (id + ".adding"), ignored);
  fs::remove(directory_ / (id + ".deleting"), ignored);
}

Result<void> MailboxFiles::remove(const std::string& id) {
  // Everything named ID.db…: the database last, so that a crash in between leaves the mark and the rest.
  std::error_code error;
  std::vector<fs::path> beside;
  for (const auto& entry : fs::directory_iterator(directory_, error)) {
    const std::string name = entry.path().filename().native();
    if (name.starts_with(id + ".db") && name != id + ".db") beside.push_back(entry.path());
  }
  if (error) return fail_errno(error.value(), "list " + directory_.native());
  beside.push_back(directory_ / (id + ".db"));
  for (const auto& path : beside)
    if (fs::remove(path, error); error) return fail_errno(error.value(), "remove " + path.native());
  return {};
}

Result<void> MailboxFiles::finish(const std::function<Result<bool>(const std::string& id)>& exists,
                                  const std::function<Result<void>(std::int64_t user)>& forget) {
  std::error_code error;
  std::vector<fs::path> marks;
  for (const auto& entry : fs::directory_iterator(directory_, error))
    if (const auto kind = entry.path().extension(); kind == ".adding" || kind == ".deleting")
      marks.push_back(entry.path());
  if (error) return fail_errno(error.value(), "list " + directory_.native());
  for (const auto& path : marks) {
    const std::string id = path.stem().native();
    MUHUR_TRY(const bool there, exists(id));
    if (!there) {
      std::string text;
      std::ifstream(path) >> text;
      std::int64_t user = 0;
      std::from_chars(text.data(), text.data() + text.size(), user);
      MUHUR_CHECK(forget(user));
      MUHUR_CHECK(remove(id));
      log::warn("mail", "finished what a crash had interrupted: removed a mailbox without a user",
                {{"mailbox", id}});
    }
    unmark(id);
  }
  return {};
}

}  // namespace muhur::mail
