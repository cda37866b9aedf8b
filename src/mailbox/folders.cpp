#include "mailbox/folders.hpp"

#include <algorithm>
#include <unordered_map>

#include "base/unicode.hpp"
#include "mailbox/folder_path.hpp"
#include "mailbox/messages.hpp"

namespace muhur::mailbox {
namespace {

// path || '0' bounds what is below path || '/': '0' is the character after '/'.
#define MUHUR_FOLDER_COLUMNS                                                                            \
  "SELECT id, path, special_use, selectable, uid_validity, uid_next, highest_modseq, messages, unseen," \
  " deleted, bytes, EXISTS (SELECT 1 FROM subscriptions s WHERE s.path = m.path),"                      \
  " EXISTS (SELECT 1 FROM mailboxes c WHERE c.path > m.path || '/' AND c.path < m.path || '0')"         \
  " FROM mailboxes m"

constexpr std::string_view kSpecialUses[] = {"\\Archive", "\\Drafts", "\\Junk", "\\Sent", "\\Trash"};

Folder folder_of(const vault::Statement& st) {
  Folder folder;
  folder.id = st.int64(0);
  folder.path = st.text(1);
  folder.special_use = st.text(2);
  folder.selectable = st.int64(3) != 0;
  folder.uid_validity = st.as<std::uint32_t>(4);
  folder.uid_next = st.as<Uid>(5);
  folder.highest_modseq = st.as<ModSeq>(6);
  folder.messages = st.as<std::uint32_t>(7);
  folder.unseen = st.as<std::uint32_t>(8);
  folder.deleted = st.as<std::uint32_t>(9);
  folder.bytes = st.as<std::uint64_t>(10);
  folder.subscribed = st.int64(11) != 0;
  folder.has_children = st.int64(12) != 0;
  return folder;
}

Result<Folder> one(vault::Statement& st) {
  MUHUR_TRY(const bool row, st.step());
  if (!row) return fail(Code::not_found, "There is no such folder");
  return folder_of(st);
}

}  // namespace

Result<std::vector<Folder>> Folders::all() {
  std::vector<Folder> folders;
  MUHUR_TRY(auto st, connection_.prepare(MUHUR_FOLDER_COLUMNS));
  while (true) {
    MUHUR_TRY(const bool row, st.step());
    if (!row) break;
    folders.push_back(folder_of(st));
  }
  std::sort(folders.begin(), folders.end(),
            [](const Folder& a, const Folder& b) { return path_before(a.path, b.path); });
  return folders;
}

Result<Folder> Folders::find(std::string_view path) {
  MUHUR_TRY(const std::string normal, lookup_path(path));
  MUHUR_TRY(auto st, connection_.prepare(MUHUR_FOLDER_COLUMNS " WHERE path = ?"));
  st.bind(normal);
  return one(st);
}

Result<Folder> Folders::find(FolderId id) {
  MUHUR_TRY(auto st, connection_.prepare(MUHUR_FOLDER_COLUMNS " WHERE id = ?"));
  st.bind(id);
  return one(st);
}

Result<bool> Folders::is_there(std::string_view normal_path) {
  MUHUR_TRY(auto st, connection_.prepare("SELECT 1 FROM mailboxes WHERE path = ?"));
  st.bind(normal_path);
  return st.step();
}

// Strictly rising for as long as the file lives, and above what an older copy of it could have given
// since: the larger of the last one plus one and the time of day.
Result<std::int64_t> Folders::next_uid_validity() {
  MUHUR_TRY(auto st, connection_.prepare(
                         "INSERT INTO counters (name, value) VALUES ('uid_validity', ?1) "
                         "ON CONFLICT (name) DO UPDATE SET value = max(value + 1, ?1) RETURNING value"));
  st.bind(std::clamp<std::int64_t>(clock_.now_s(), 1, UINT32_MAX));
  MUHUR_TRY(const bool row, st.step());
  if (!row) return fail(Code::internal, "The counter of UIDVALIDITY gave no value");
  const std::int64_t value = st.int64(0);
  MUHUR_CHECK(st.run());
  if (value > UINT32_MAX) return fail(Code::limit, "All values of UIDVALIDITY are used up");
  return value;
}

Result<void> Folders::check_special_use(std::string_view special_use) {
  if (special_use.empty()) return {};
  if (std::find(std::begin(kSpecialUses), std::end(kSpecialUses), special_use) == std::end(kSpecialUses))
    return fail(Code::invalid, "That special use is not known here");
  MUHUR_TRY(auto st, connection_.prepare("SELECT 1 FROM mailboxes WHERE special_use = ?"));
  st.bind(special_use);
  MUHUR_TRY(const bool taken, st.step());
  if (taken) return fail(Code::invalid, "Another folder has that special use");
  return {};
}

Result<void> Folders::insert(std::string_view path, std::string_view special_use) {
  MUHUR_TRY(const std::int64_t there, connection_.query_int("SELECT count(*) FROM mailboxes"));
  if (there >= kMaxFolders)
    return fail(Code::limit, "The mailbox has 10,000 folders already", "Delete some first.");
  MUHUR_TRY(const std::int64_t validity, next_uid_validity());
  return connection_.run("INSERT INTO mailboxes (path, special_use, uid_validity) VALUES (?, ?, ?)", path,
                         special_use, validity);
}

Result<void> Folders::create_parents(std::string_view path) {
  const std::string_view parent = parent_path(path);
  if (parent.empty()) return {};
  MUHUR_TRY(const bool there, is_there(parent));
  if (there) return {};
  MUHUR_CHECK(create_parents(parent));
  return insert(parent, {});
}

Result<Folder> Folders::create(std::string_view path, std::string_view special_use) {
  MUHUR_TRY(const std::string normal, normal_path(path));
  std::string use;
  for (const std::string_view known : kSpecialUses)
    if (equals_ignoring_case(known, special_use)) use = known;
  if (use.empty()) use = special_use;
  MUHUR_CHECK(check_special_use(use));
  if (auto old = find(normal); old) {
    if (old->selectable) return fail(Code::exists, "There is a folder of that name already");
    MUHUR_TRY(const std::int64_t validity, next_uid_validity());
    MUHUR_CHECK(
        connection_.run("UPDATE mailboxes SET selectable = 1, uid_validity = ?, uid_next = 1, "
                        "special_use = ? WHERE id = ?",
                        validity, use, old->id));
    return find(old->id);
  } else if (old.error().code != Code::not_found) {
    return old;
  }
  MUHUR_CHECK(create_parents(normal));
  MUHUR_CHECK(insert(normal, use));
  return find(connection_.last_insert_id());
}

Result<void> Folders::move_tree(std::string_view from, std::string_view to) {
  const std::string low = std::string(from) + '/', high = std::string(from) + '0';
  MUHUR_TRY(auto longest, connection_.prepare("SELECT max(length(CAST(path AS BLOB))), "
                                              "max(length(path) - length(replace(path, '/', ''))) "
                                              "FROM mailboxes WHERE path = ?1 OR (path > ?2 AND path < ?3)"));
  longest.bind(from, low, high);
  MUHUR_TRY([[maybe_unused]] const bool row, longest.step());
  const auto levels_of = [](std::string_view path) { return std::count(path.begin(), path.end(), '/'); };
  const auto bytes =
      longest.int64(0) - static_cast<std::int64_t>(from.size()) + static_cast<std::int64_t>(to.size());
  const auto levels = longest.int64(1) - levels_of(from) + levels_of(to);
  if (bytes > static_cast<std::int64_t>(kMaxPathBytes) || levels >= static_cast<std::int64_t>(kMaxPathLevels))
    return fail(Code::invalid, "A folder below it would get too long a name", "Choose a shorter name.");
  // Bytes, not characters: substr counts characters of a TEXT.
  return connection_.run(
      "UPDATE mailboxes SET path = ?1 || CAST(substr(CAST(path AS BLOB), ?2) AS TEXT) "
      "WHERE path = ?3 OR (path > ?4 AND path < ?5)",
      to, from.size() + 1, from, low, high);
}

Result<void> Folders::rename(std::string_view from_given, std::string_view to_given) {
  MUHUR_TRY(const std::string to, normal_path(to_given));
  MUHUR_TRY(const Folder from, find(from_given));
  MUHUR_TRY(const bool taken, is_there(to));
  if (taken) return fail(Code::exists, "There is a folder of that name already");
  if (from.path == kInbox) {
    MUHUR_TRY(const Folder target, create(to, {}));
    MUHUR_CHECK(Messages(connection_).move(from.id, {{1, UINT32_MAX}}, target.id, clock_.now_s()));
    return {};
  }
  if (is_below(to, from.path)) return fail(Code::invalid, "A folder cannot be moved below itself");
  MUHUR_CHECK(create_parents(to));
  return move_tree(from.path, to);
}

Result<FolderId> Folders::remove(std::string_view path, Pins::Removal& removal) {
  MUHUR_TRY(const Folder folder, find(path));
  if (folder.path == kInbox) return fail(Code::invalid, "INBOX cannot be deleted");
  if (!folder.selectable && folder.has_children)
    return fail(Code::invalid, "The folder has folders below it", "Delete those first.");
  MUHUR_CHECK(Messages(connection_).remove_all(folder.id, removal));
  MUHUR_CHECK(connection_.run("DELETE FROM vanished WHERE mailbox_id = ?", folder.id));
  MUHUR_CHECK(connection_.run("DELETE FROM mailbox_keywords WHERE mailbox_id = ?", folder.id));
  if (folder.has_children) {
    MUHUR_CHECK(connection_.run(
        "UPDATE mailboxes SET selectable = 0, special_use = '', highest_modseq = highest_modseq + 1, "
        "messages = 0, unseen = 0, deleted = 0, bytes = 0 WHERE id = ?",
        folder.id));
  } else {
    MUHUR_CHECK(connection_.run("DELETE FROM mailboxes WHERE id = ?", folder.id));
  }
  return folder.id;
}

Result<void> Folders::set_subscribed(std::string_view path, bool subscribed) {
  MUHUR_TRY(const std::string normal, normal_path(path));
  if (!subscribed) return connection_.run("DELETE FROM subscriptions WHERE path = ?", normal);
  MUHUR_TRY(const std::int64_t there, connection_.query_int("SELECT count(*) FROM subscriptions"));
  if (there >= kMaxFolders)
    return fail(Code::limit, "There are 10,000 subscriptions already", "Give some up first.");
  return connection_.run("INSERT INTO subscriptions (path) VALUES (?) ON CONFLICT DO NOTHING", normal);
}

Result<std::vector<std::string>> Folders::subscriptions() {
  std::vector<std::string> paths;
  MUHUR_TRY(auto st, connection_.prepare("SELECT path FROM subscriptions"));
  while (true) {
    MUHUR_TRY(const bool row, st.step());
    if (!row) break;
    paths.emplace_back(st.text(0));
  }
  std::sort(paths.begin(), paths.end(),
            [](const std::string& a, const std::string& b) { return path_before(a, b); });
  return paths;
}

}  // namespace muhur::mailbox
