#pragma once
// The nouns of a mailbox: folders, flags, messages as rows. No protocol, no user.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace muhur::mailbox {

using FolderId = std::int64_t;
using EmailId = std::int64_t;  // the content, which several messages may share
using Uid = std::uint32_t;
using ModSeq = std::uint64_t;

// The system flags as bits. \Recent is a session's matter and is not stored.
enum Flag : std::uint8_t { kSeen = 1, kAnswered = 2, kFlagged = 4, kDeleted = 8, kDraft = 16 };

struct Flags {
  std::uint8_t system = 0;
  std::vector<std::string> keywords;  // sorted ignoring case, unique, as first written in the mailbox
  bool operator==(const Flags&) const = default;
};

struct Folder {
  FolderId id = 0;
  std::string path;         // UTF-8 NFC, levels joined by '/'; "INBOX" in capitals
  std::string special_use;  // "\Sent", "\Drafts", "\Trash", "\Junk", "\Archive" or empty
  bool subscribed = false;
  bool has_children = false;
  bool selectable = true;  // false: deleted, kept because it has children
  std::uint32_t uid_validity = 0;
  Uid uid_next = 1;
  ModSeq highest_modseq = 1;
  std::uint32_t messages = 0, unseen = 0, deleted = 0;
  std::uint64_t bytes = 0;
};

// One message in one folder, without its content.
struct MessageRow {
  Uid uid = 0;
  EmailId email = 0;
  ModSeq modseq = 0;
  Flags flags;
  std::int64_t internal_date_s = 0;  // seconds since 1970 UTC
  std::int16_t zone_minutes = 0;     // of INTERNALDATE, as given at APPEND
  std::uint64_t size = 0;            // octets, CRLF line ends
};

// UIDs in ascending, disjoint, closed ranges.
struct UidRange {
  Uid first, last;
  bool operator==(const UidRange&) const = default;
};
using UidSet = std::vector<UidRange>;

enum class FlagChange { replace, add, remove };

}  // namespace muhur::mailbox
