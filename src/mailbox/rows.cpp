#include "mailbox/rows.hpp"

#include <algorithm>

namespace muhur::mailbox {
namespace {

Result<void> collect(vault::Statement& st, std::vector<Row>& rows) {
  while (true) {
    MUHUR_TRY(const bool row, st.step());
    if (!row) return {};
    rows.push_back(row_of(st));
  }
}

void sort_by_uid(std::vector<Row>& rows) {
  std::sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.uid < b.uid; });
}

// NULL for no keywords.
std::optional<ByteView> keyword_column(const Row& row) {
  if (row.keywords.empty()) return std::nullopt;
  return ByteView(row.keywords);
}

}  // namespace

Row row_of(const vault::Statement& st) {
  Row row;
  row.uid = st.as<Uid>(0);
  row.email = st.int64(1);
  row.modseq = st.as<ModSeq>(2);
  row.date_s = st.int64(3);
  row.zone_minutes = st.as<std::int16_t>(4);
  row.size = st.as<std::uint64_t>(5);
  row.flags = st.as<std::uint8_t>(6);
  if (!st.is_null(7)) {
    const ByteView set = st.blob(7);
    row.keywords.assign(set.begin(), set.end());
  }
  return row;
}

Result<MessageRow> shown(const Row& row, Keywords& keywords) {
  MessageRow out;
  out.uid = row.uid;
  out.email = row.email;
  out.modseq = row.modseq;
  out.internal_date_s = row.date_s;
  out.zone_minutes = row.zone_minutes;
  out.size = row.size;
  out.flags.system = row.flags;
  if (!row.keywords.empty()) {
    MUHUR_TRY(out.flags.keywords, keywords.names(row.keywords));
  }
  return out;
}

Result<std::vector<Row>> Rows::within(FolderId folder, const UidSet& uids) {
  std::vector<Row> rows;
  MUHUR_TRY(auto st,
            connection_.prepare(MUHUR_MESSAGE_COLUMNS
                                "NOT INDEXED WHERE mailbox_id = ? AND uid BETWEEN ? AND ? ORDER BY uid"));
  for (const UidRange& range : uids) {
    st.bind(folder, range.first, range.last);
    MUHUR_CHECK(collect(st, rows));
    st.reset();
  }
  return rows;
}

Result<std::vector<Row>> Rows::changed_since(FolderId folder, ModSeq since) {
  std::vector<Row> rows;
  MUHUR_TRY(auto st, connection_.prepare(MUHUR_MESSAGE_COLUMNS
                                         "INDEXED BY messages_modseq WHERE mailbox_id = ? AND modseq > ?"));
  st.bind(folder, std::min<ModSeq>(since, INT64_MAX));
  MUHUR_CHECK(collect(st, rows));
  sort_by_uid(rows);
  return rows;
}

// The sixteen sets of system flags that have \Deleted, so that the index is sought and not walked.
Result<std::vector<Row>> Rows::marked_deleted(FolderId folder) {
  std::vector<Row> rows;
  MUHUR_TRY(auto st,
            connection_.prepare(MUHUR_MESSAGE_COLUMNS
                                "INDEXED BY messages_flags WHERE mailbox_id = ? AND flags <> 0 AND flags IN "
                                "(8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31)"));
  st.bind(folder);
  MUHUR_CHECK(collect(st, rows));
  sort_by_uid(rows);
  return rows;
}

Result<void> Rows::insert(FolderId folder, const Row& row) {
  return connection_.run(
      "INSERT INTO messages (mailbox_id, uid, email_id, modseq, date, zone, size, flags, keywords) "
      "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
      folder, row.uid, row.email, row.modseq, row.date_s, row.zone_minutes, row.size, row.flags,
      keyword_column(row));
}

Result<void> Rows::set_flags(FolderId folder, const Row& row) {
  return connection_.run(
      "UPDATE messages SET flags = ?, keywords = ?, modseq = ? WHERE mailbox_id = ? AND uid = ?", row.flags,
      keyword_column(row), row.modseq, folder, row.uid);
}

Result<void> Rows::remove(FolderId folder, Uid uid) {
  return connection_.run("DELETE FROM messages WHERE mailbox_id = ? AND uid = ?", folder, uid);
}

Result<void> Rows::note_vanished(FolderId folder, ModSeq modseq, const std::vector<Uid>& uids) {
  for (std::size_t i = 0; i < uids.size();) {
    std::size_t end = i + 1;
    while (end < uids.size() && uids[end] == uids[end - 1] + 1) ++end;
    MUHUR_CHECK(
        connection_.run("INSERT INTO vanished (mailbox_id, modseq, first_uid, last_uid) VALUES (?, ?, ?, ?)",
                        folder, modseq, uids[i], uids[end - 1]));
    i = end;
  }
  return {};
}

Result<std::vector<Uid>> Rows::vanished_since(FolderId folder, ModSeq since) {
  std::vector<Uid> uids;
  MUHUR_TRY(auto st,
            connection_.prepare("SELECT v.first_uid, min(v.last_uid, m.uid_next - 1) FROM vanished v "
                                "JOIN mailboxes m ON m.id = v.mailbox_id "
                                "WHERE v.mailbox_id = ? AND v.modseq > ?"));
  st.bind(folder, std::min<ModSeq>(since, INT64_MAX));
  while (true) {
    MUHUR_TRY(const bool row, st.step());
    if (!row) break;
    for (std::int64_t uid = st.int64(0); uid <= st.int64(1); ++uid) uids.push_back(static_cast<Uid>(uid));
  }
  std::sort(uids.begin(), uids.end());
  return uids;
}

Result<std::vector<MessageRow>> Rows::shown_all(const std::vector<Row>& rows) {
  Keywords keywords(connection_);
  std::vector<MessageRow> out;
  out.reserve(rows.size());
  for (const Row& row : rows) {
    MUHUR_TRY(MessageRow one, shown(row, keywords));
    out.push_back(std::move(one));
  }
  return out;
}

bool contains(const UidSet& uids, Uid uid) {
  const auto after = std::upper_bound(uids.begin(), uids.end(), uid,
                                      [](Uid value, const UidRange& range) { return value < range.first; });
  return after != uids.begin() && uid <= std::prev(after)->last;
}

}  // namespace muhur::mailbox
