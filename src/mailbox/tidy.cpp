#include "mailbox/tidy.hpp"

#include <algorithm>
#include <vector>

#include "mailbox/types.hpp"

namespace muhur::mailbox {
namespace {

using vault::Connection;
using vault::Database;

constexpr std::int64_t kDayS = 86'400;

struct Forgetting {
  FolderId folder = 0;
  std::int64_t forgotten = 0;  // before
  std::int64_t horizon = 0;    // changes up to this MODSEQ are to be forgotten
};

Result<std::int64_t> int_or_zero(vault::Statement& st) {
  MUHUR_TRY(const bool row, st.step());
  const std::int64_t value = row ? st.int64(0) : 0;
  st.reset();
  return value;
}

Result<std::vector<Forgetting>> what_to_forget(Connection& connection, std::int64_t before_day) {
  std::vector<Forgetting> all;
  MUHUR_TRY(auto folders, connection.prepare("SELECT id, forgotten_modseq FROM mailboxes"));
  MUHUR_TRY(auto old, connection.prepare("SELECT coalesce(max(modseq), 0) FROM vanished "
                                         "WHERE mailbox_id = ? AND day < ?"));
  MUHUR_TRY(auto beyond, connection.prepare("SELECT modseq FROM vanished WHERE mailbox_id = ? "
                                            "ORDER BY modseq DESC, first_uid DESC LIMIT 1 OFFSET ?"));
  while (true) {
    MUHUR_TRY(const bool row, folders.step());
    if (!row) return all;
    Forgetting one{.folder = folders.int64(0), .forgotten = folders.int64(1)};
    old.bind(one.folder, before_day);
    MUHUR_TRY(const std::int64_t by_age, int_or_zero(old));
    beyond.bind(one.folder, kMostVanished);
    MUHUR_TRY(const std::int64_t by_count, int_or_zero(beyond));
    one.horizon = std::max({one.forgotten, by_age, by_count});
    all.push_back(one);
  }
}

// The oldest first. How many.
Result<std::int64_t> remove_some_vanished(Connection& connection, const Forgetting& one) {
  MUHUR_TRY(auto st, connection.prepare("DELETE FROM vanished WHERE (mailbox_id, modseq, first_uid) IN "
                                        "(SELECT mailbox_id, modseq, first_uid FROM vanished "
                                        "WHERE mailbox_id = ? AND modseq <= ? "
                                        "ORDER BY modseq, first_uid LIMIT ?)"));
  return st.bind(one.folder, one.horizon, kTidyRows).run_counted();
}

// Ids that came before `cut_s`, of at most kTidyRows rows behind `behind`, which becomes the last of them.
// More may follow when it is not empty then.
Result<std::vector<std::string>> old_deliveries(Connection& connection, std::int64_t cut_s,
                                                const std::set<std::string, std::less<>>& waiting,
                                                std::string& behind) {
  std::vector<std::string> old;
  std::string last;
  std::int64_t rows = 0;
  MUHUR_TRY(auto st, connection.prepare("SELECT id, at FROM delivered WHERE id > ? ORDER BY id LIMIT ?"));
  st.bind(behind, kTidyRows);
  while (true) {
    MUHUR_TRY(const bool row, st.step());
    if (!row) break;
    ++rows;
    last = st.text(0);
    if (st.int64(1) < cut_s && !waiting.contains(last)) old.push_back(last);
  }
  behind = rows < kTidyRows ? std::string() : last;
  return old;
}

}  // namespace

Result<void> tidy_vanished(Database& database, std::int64_t now_s) {
  MUHUR_TRY(const auto all, database.read([&](Connection& connection) {
    return what_to_forget(connection, now_s / kDayS - kVanishedDays);
  }));
  for (const Forgetting& one : all) {
    if (one.horizon == 0) continue;
    // The horizon first: from then on the rows below it are not asked for, whole or in part.
    if (one.horizon > one.forgotten)
      MUHUR_CHECK(database.write([&](Connection& connection) {
        return connection.run("UPDATE mailboxes SET forgotten_modseq = ? WHERE id = ?", one.horizon,
                              one.folder);
      }));
    while (true) {
      MUHUR_TRY(const std::int64_t removed, database.write([&](Connection& connection) {
        return remove_some_vanished(connection, one);
      }));
      if (removed < kTidyRows) break;
    }
  }
  return {};
}

Result<void> tidy_delivered(Database& database, std::int64_t now_s,
                            const std::set<std::string, std::less<>>& waiting) {
  std::int64_t cut_s = now_s - kDeliveredFor.count() / 1000;
  MUHUR_TRY(const std::int64_t beyond, database.read([&](Connection& connection) -> Result<std::int64_t> {
    MUHUR_TRY(const std::int64_t count, connection.query_int("SELECT count(*) FROM delivered"));
    if (count <= kMostDelivered) return 0;
    MUHUR_TRY(auto st, connection.prepare("SELECT at FROM delivered ORDER BY at DESC LIMIT 1 OFFSET ?"));
    st.bind(kMostDelivered);
    return int_or_zero(st);
  }));
  cut_s = std::max(cut_s, beyond + 1);
  std::string behind;
  do {
    MUHUR_TRY(const auto old, database.read([&](Connection& connection) {
      return old_deliveries(connection, cut_s, waiting, behind);
    }));
    if (old.empty()) continue;
    MUHUR_CHECK(database.write([&](Connection& connection) -> Result<void> {
      for (const std::string& id : old) MUHUR_CHECK(connection.run("DELETE FROM delivered WHERE id = ?", id));
      return {};
    }));
  } while (!behind.empty());
  return {};
}

Result<std::int64_t> tidied_at(Database& database) {
  return database.read([](Connection& connection) -> Result<std::int64_t> {
    MUHUR_TRY(auto st, connection.prepare("SELECT value FROM counters WHERE name = 'tidied'"));
    return int_or_zero(st);
  });
}

Result<void> note_tidied(Database& database, std::int64_t now_s) {
  return database.write([&](Connection& connection) {
    return connection.run(
        "INSERT INTO counters (name, value) VALUES ('tidied', ?) "
        "ON CONFLICT (name) DO UPDATE SET value = excluded.value",
        now_s);
  });
}

}  // namespace muhur::mailbox
