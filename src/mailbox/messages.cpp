#include "mailbox/messages.hpp"

#include "mailbox/emails.hpp"

namespace muhur::mailbox {

Result<Uid> Messages::place(FolderState& folder, Keywords& keywords, Row row) {
  MUHUR_TRY(row.uid, folder.take_uid());
  row.modseq = folder.change();
  MUHUR_CHECK(rows_.insert(folder.id, row));
  if (!row.keywords.empty()) {
    MUHUR_CHECK(keywords.use(folder.id, decode_keywords(row.keywords)));
  }
  folder.count(+1, row.flags, row.size);
  return row.uid;
}

Result<std::optional<Appended>> Messages::delivered_before(std::string_view id) {
  MUHUR_TRY(auto st, connection_.prepare("SELECT uid_validity, uid FROM delivered WHERE id = ?"));
  st.bind(id);
  MUHUR_TRY(const bool row, st.step());
  if (!row) return std::nullopt;
  return Appended{st.as<std::uint32_t>(0), st.as<Uid>(1), true};
}

Result<Appended> Messages::append_one(FolderStates& folders, const AppendRequest& request,
                                      const PreparedEmail& email, std::int64_t now_s) {
  if (!request.delivery_id.empty()) {
    MUHUR_TRY(const auto before, delivered_before(request.delivery_id));
    if (before) return *before;
  }
  MUHUR_TRY(FolderState* const folder, folders.of(request.folder));
  Keywords keywords(connection_);
  Row row;
  if (!request.flags.keywords.empty()) {
    MUHUR_CHECK(check_keywords(request.flags.keywords));
    MUHUR_TRY(const KeywordIds ids, keywords.ids(request.flags.keywords));
    row.keywords = encode_keywords(ids);
  }
  MUHUR_TRY(row.email, Emails(connection_).insert(email));
  row.date_s = request.date_s.value_or(now_s);
  row.zone_minutes = request.zone_minutes;
  row.size = email.bytes().size();
  row.flags = request.flags.system & kStoredFlags;
  MUHUR_TRY(const Uid uid, place(*folder, keywords, std::move(row)));
  if (!request.delivery_id.empty()) {
    MUHUR_CHECK(connection_.run("INSERT INTO delivered (id, at, uid_validity, uid) VALUES (?, ?, ?, ?)",
                                request.delivery_id, now_s, folder->uid_validity, uid));
  }
  return Appended{folder->uid_validity, uid, false};
}

Result<std::vector<Appended>> Messages::append(std::span<const AppendRequest> requests,
                                               std::span<const PreparedEmail> emails, std::int64_t now_s) {
  FolderStates folders(connection_);
  std::vector<Appended> appended;
  appended.reserve(requests.size());
  for (std::size_t i = 0; i < requests.size(); ++i) {
    MUHUR_TRY(const Appended one, append_one(folders, requests[i], emails[i], now_s));
    appended.push_back(one);
  }
  MUHUR_CHECK(folders.save());
  return appended;
}

Result<Copied> Messages::copy(FolderId from, const UidSet& uids, FolderId to) {
  FolderStates folders(connection_);
  MUHUR_CHECK(folders.of(from));
  MUHUR_TRY(FolderState* const target, folders.of(to));
  Copied copied{.uid_validity = target->uid_validity, .uids = {}};
  Emails emails(connection_);
  Keywords keywords(connection_);
  MUHUR_TRY(const std::vector<Row> rows, rows_.within(from, uids));
  for (const Row& row : rows) {
    MUHUR_TRY(const Uid uid, place(*target, keywords, row));
    MUHUR_CHECK(emails.share(row.email));
    copied.uids.emplace_back(row.uid, uid);
  }
  MUHUR_CHECK(folders.save());
  return copied;
}

Result<Copied> Messages::move(FolderId from, const UidSet& uids, FolderId to, std::int64_t now_s) {
  FolderStates folders(connection_);
  MUHUR_TRY(FolderState* const source, folders.of(from));
  MUHUR_TRY(FolderState* const target, folders.of(to));
  Copied moved{.uid_validity = target->uid_validity, .uids = {}};
  Keywords keywords(connection_);
  MUHUR_TRY(const std::vector<Row> rows, rows_.within(from, uids));
  std::vector<Uid> gone;
  for (const Row& row : rows) {
    MUHUR_CHECK(rows_.remove(from, row.uid));
    source->count(-1, row.flags, row.size);
    MUHUR_TRY(const Uid uid, place(*target, keywords, row));
    moved.uids.emplace_back(row.uid, uid);
    gone.push_back(row.uid);
  }
  if (!gone.empty()) {
    MUHUR_CHECK(rows_.note_vanished(from, source->change(), now_s, gone));
  }
  MUHUR_CHECK(folders.save());
  return moved;
}

Result<std::vector<Uid>> Messages::expunge(FolderId id, const std::optional<UidSet>& uids, std::int64_t now_s,
                                           Pins::Removal& removal) {
  FolderStates folders(connection_);
  MUHUR_TRY(FolderState* const folder, folders.of(id));
  Emails emails(connection_);
  std::vector<Uid> gone;
  if (folder->deleted == 0) return gone;
  MUHUR_TRY(const std::vector<Row> rows, rows_.marked_deleted(id));
  for (const Row& row : rows) {
    if (uids && !contains(*uids, row.uid)) continue;
    MUHUR_CHECK(rows_.remove(id, row.uid));
    MUHUR_CHECK(emails.release(row.email, row.size, removal));
    folder->count(-1, row.flags, row.size);
    gone.push_back(row.uid);
  }
  if (gone.empty()) return gone;
  MUHUR_CHECK(rows_.note_vanished(id, folder->change(), now_s, gone));
  MUHUR_CHECK(folders.save());
  return gone;
}

Result<void> Messages::remove_all(FolderId folder, Pins::Removal& removal) {
  Emails emails(connection_);
  MUHUR_TRY(const std::vector<Row> rows, rows_.all(folder));
  for (const Row& row : rows) MUHUR_CHECK(emails.release(row.email, row.size, removal));
  return connection_.run("DELETE FROM messages WHERE mailbox_id = ?", folder);
}

}  // namespace muhur::mailbox
