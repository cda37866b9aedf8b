#pragma once
// The counters of the folders that one transaction touches: read once, changed in memory, written once.

#include <map>

#include "base/error.hpp"
#include "mailbox/types.hpp"
#include "vault/connection.hpp"

namespace muhur::mailbox {

struct FolderState {
  FolderId id = 0;
  std::uint32_t uid_validity = 0;
  std::uint64_t uid_next = 1;
  ModSeq highest_modseq = 1;
  std::int64_t messages = 0, unseen = 0, deleted = 0, bytes = 0;
  bool changed = false;

  // The modseq of this transaction's change: one above what the folder had, the same for all it changes.
  ModSeq change() {
    if (!changed) ++highest_modseq;
    changed = true;
    return highest_modseq;
  }
  // A message with these flags and size comes (+1) or goes (-1).
  void count(int sign, std::uint8_t flags, std::uint64_t size) {
    messages += sign;
    bytes += sign * static_cast<std::int64_t>(size);
    count_flags(sign, flags);
  }
  void count_flags(int sign, std::uint8_t flags) {
    if (!(flags & kSeen)) unseen += sign;
    if (flags & kDeleted) deleted += sign;
  }
  // limit: the folder has given out all its UIDs.
  Result<Uid> take_uid() {
    if (uid_next >= UINT32_MAX)
      return fail(Code::limit, "The folder has used up its UIDs", "Use another folder.");
    return static_cast<Uid>(uid_next++);
  }
};

class FolderStates {
 public:
  explicit FolderStates(vault::Connection& connection) : connection_(connection) {}
  // The one state of that folder in this transaction. not_found: no such folder, or not selectable.
  Result<FolderState*> of(FolderId id);
  // Writes those that changed. Nothing is kept of what was not saved.
  Result<void> save();

 private:
  vault::Connection& connection_;
  std::map<FolderId, FolderState> states_;
};

}  // namespace muhur::mailbox
