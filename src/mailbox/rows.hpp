#pragma once
// Rows of the table `messages`: one message in one folder. Of one connection, within its transaction.

#include <functional>
#include <vector>

#include "base/bytes.hpp"
#include "mailbox/keywords.hpp"
#include "mailbox/types.hpp"
#include "vault/connection.hpp"

namespace muhur::mailbox {

// A row as it is stored.
struct Row {
  Uid uid = 0;
  EmailId email = 0;
  ModSeq modseq = 0;
  std::int64_t date_s = 0;
  std::int16_t zone_minutes = 0;
  std::uint64_t size = 0;
  std::uint8_t flags = 0;
  Bytes keywords;  // a keyword set (keywords.hpp)
};

// The columns that row_of() takes, in its order.
#define MUHUR_MESSAGE_COLUMNS "SELECT uid, email_id, modseq, date, zone, size, flags, keywords FROM messages "
Row row_of(const vault::Statement& statement);
Result<MessageRow> shown(const Row& row, Keywords& keywords);

class Rows {
 public:
  explicit Rows(vault::Connection& connection) : connection_(connection) {}

  // Ascending by uid.
  Result<std::vector<Row>> all(FolderId folder) { return within(folder, {{1, UINT32_MAX}}); }
  Result<std::vector<Row>> within(FolderId folder, const UidSet& uids);
  Result<std::vector<Row>> changed_since(FolderId folder, ModSeq since);
  Result<std::vector<Row>> marked_deleted(FolderId folder);

  Result<void> insert(FolderId folder, const Row& row);
  Result<void> set_flags(FolderId folder, const Row& row);  // flags, keywords and modseq
  Result<void> remove(FolderId folder, Uid uid);

  // All UIDs of a folder, ascending, and the first without \Seen (0: none).
  struct Uids {
    std::vector<Uid> all;
    Uid first_unseen = 0;
  };
  Result<Uids> uids(FolderId folder);

  // Which UIDs went, for those who were away. Since a change that is forgotten (mailbox/tidy.hpp): all that
  // were ever given and are not there.
  Result<void> note_vanished(FolderId folder, ModSeq modseq, std::int64_t now_s,
                             const std::vector<Uid>& ascending);
  Result<UidSet> vanished_since(FolderId folder, ModSeq since);

  Result<std::vector<MessageRow>> shown_all(const std::vector<Row>& rows);

 private:
  Result<UidSet> missing(FolderId folder, std::uint64_t uid_next);
  vault::Connection& connection_;
};

bool contains(const UidSet& uids, Uid uid);
// Puts a range behind the others, joined to the last one where they touch. Ascending.
void append_range(UidSet& uids, UidRange range);

}  // namespace muhur::mailbox
