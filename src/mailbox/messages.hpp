#pragma once
// Messages in folders: append, copy, move, flags, expunge. Each call is one change: one new modseq in each
// folder that it touches. Of one connection, within its transaction; the contracts are Mailbox's.

#include <optional>
#include <span>
#include <vector>

#include "mailbox/folder_state.hpp"
#include "mailbox/mailbox.hpp"
#include "mailbox/pins.hpp"
#include "mailbox/prepared.hpp"
#include "mailbox/rows.hpp"

namespace muhur::mailbox {

inline constexpr std::uint8_t kStoredFlags = kSeen | kAnswered | kFlagged | kDeleted | kDraft;

class Messages {
 public:
  explicit Messages(vault::Connection& connection) : connection_(connection), rows_(connection) {}

  // requests[i] with what was prepared of it in emails[i].
  Result<std::vector<Appended>> append(std::span<const AppendRequest> requests,
                                       std::span<const PreparedEmail> emails, std::int64_t now_s);
  Result<Copied> copy(FolderId from, const UidSet& uids, FolderId to);
  Result<Copied> move(FolderId from, const UidSet& uids, FolderId to, std::int64_t now_s);
  Result<Stored> store(FolderId folder, const UidSet& uids, FlagChange change, const Flags& flags,
                       std::optional<ModSeq> unchanged_since);
  Result<std::vector<Uid>> expunge(FolderId folder, const std::optional<UidSet>& uids, std::int64_t now_s,
                                   Pins::Removal& removal);
  // All messages of a folder that itself goes: no trace of them is kept.
  Result<void> remove_all(FolderId folder, Pins::Removal& removal);

 private:
  Result<Appended> append_one(FolderStates& folders, const AppendRequest& request, const PreparedEmail& email,
                              std::int64_t now_s);
  Result<std::optional<Appended>> delivered_before(std::string_view delivery_id);
  // Puts a copy of `row` into a folder and counts it there.
  Result<Uid> place(FolderState& folder, Keywords& keywords, Row row);

  vault::Connection& connection_;
  Rows rows_;
};

// The flags after a change (RFC 3501 §6.4.6).
struct FlagBits {
  std::uint8_t system = 0;
  KeywordIds keywords;
};
FlagBits after_change(const FlagBits& before, FlagChange change, const FlagBits& by);

}  // namespace muhur::mailbox
