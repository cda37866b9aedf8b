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

Result<Rows::Uids> Rows::uids(FolderId folder) {
  Uids uids;
  MUHUR_TRY(auto st, connection_.prepare("SELECT uid, flags FROM messages NOT INDEXED "
                                         "WHERE mailbox_id = ? ORDER BY uid"));
  st.bind(folder);
  while (true) {
    MUHUR_TRY(const bool row, st.step());
    if (!row) return uids;
    uids.all.push_back(st.as<Uid>(0));
    if (uids.first_unseen == 0 && !(st.int64(1) & kSeen)) uids.first_unseen = uids.all.back();
  }
}

Result<void> Rows::note_vanished(FolderId folder, ModSeq modseq, std::int64_t now_s,
                                 const std::vector<Uid>& uids) {
  for (std::size_t i = 0; i < uids.size();) {
    std::size_t end = i + 1;
    while (end < uids.size() && uids[end] == uids[end - 1] + 1) ++end;
    MUHUR_CHECK(
        connection_.run("INSERT INTO vanished (mailbox_id, modseq, first_uid, last_uid, day) "
                        "VALUES (?, ?, ?, ?, ?)",
                        folder, modseq, uids[i], uids[end - 1], now_s / 86'400));
    i = end;
  }
  return {};
}

Result<UidSet> Rows::vanished_since(FolderId folder, ModSeq since) {
  std::uint64_t uid_next = 1;
  {
    MUHUR_TRY(auto st, connection_.prepare("SELECT uid_next, forgotten_modseq FROM mailboxes WHERE id = ?"));
    st.bind(folder);
    MUHUR_TRY(const bool row, st.step());
    if (!row) return fail(Code::not_found, "There is no such folder");
    uid_next = std::min<std::uint64_t>(st.as<std::uint64_t>(0), UINT32_MAX);
    if (since < st.as<ModSeq>(1)) return missing(folder, uid_next);
  }
  UidSet ranges;
  MUHUR_TRY(auto st, connection_.prepare("SELECT first_uid, last_uid FROM vanished "
                                         "WHERE mailbox_id = ? AND modseq > ?"));
  st.bind(folder, std::min<ModSeq>(since, INT64_MAX));
  while (true) {
    MUHUR_TRY(const bool row, st.step());
    if (!row) break;
    ranges.push_back({st.as<Uid>(0), std::min(st.as<Uid>(1), static_cast<Uid>(uid_next - 1))});
  }
  std::sort(ranges.begin(), ranges.end(),
            [](const UidRange& a, const UidRange& b) { return a.first < b.first; });
  UidSet joined;
  for (const UidRange& range : ranges) append_range(joined, range);
  return joined;
}

// The gaps below UIDNEXT.
Result<UidSet> Rows::missing(FolderId folder, std::uint64_t uid_next) {
  UidSet gaps;
  MUHUR_TRY(const Uids there, uids(folder));
  Uid next = 1;
  for (const Uid uid : there.all) {
    if (uid > next) gaps.push_back({next, uid - 1});
    next = uid + 1;
  }
  if (next < uid_next) gaps.push_back({next, static_cast<Uid>(uid_next - 1)});
  return gaps;
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

void append_range(UidSet& uids, UidRange range) {
  if (range.last < range.first) return;
  if (!uids.empty() && range.first <= uids.back().last + 1)
    uids.back().last = std::max(uids.back().last, range.last);
  else
    uids.push_back(range);
}

bool contains(const UidSet& uids, Uid uid) {
  const auto after = std::upper_bound(uids.begin(), uids.end(), uid,
                                      [](Uid value, const UidRange& range) { return value < range.first; });
  return after != uids.begin() && uid <= std::prev(after)->last;
}

}  // namespace muhur::mailbox
