#pragma once
// The files of mailboxes under DATA/mail, and the marks that make their creation and deletion whole.
//
// A mailbox and its row in the directory cannot be written in one transaction. So a mark stands beside the
// file while they may differ: ID.adding from before the file is made until the user is in the directory,
// ID.deleting from before the user leaves the directory until the file is gone. At the next start a mark
// that is left says what to finish. A file without a mark is never deleted.

#include <filesystem>
#include <functional>
#include <string>

#include "base/error.hpp"

namespace muhur::mail {

class MailboxFiles {
 public:
  explicit MailboxFiles(std::filesystem::path directory) : directory_(std::move(directory)) {}

  Result<void> mark_adding(const std::string& id) { return mark(id, ".adding", ""); }
  Result<void> mark_deleting(const std::string& id, std::int64_t user) {
    return mark(id, ".deleting", std::to_string(user));
  }
  // The two agree again.
  void unmark(const std::string& id);
  // The database with all that SQLite and the vault keep beside it.
  Result<void> remove(const std::string& id);

  // For each mark that a crash left: `exists` says whether the directory has a user with this mailbox. If
  // not, `forget` is told the user (0 if unknown) and the file goes.
  Result<void> finish(const std::function<Result<bool>(const std::string& id)>& exists,
                      const std::function<Result<void>(std::int64_t user)>& forget);

 private:
  Result<void> mark(const std::string& id, std::string_view suffix, std::string_view text);
  std::filesystem::path directory_;
};

}  // namespace muhur::mail
