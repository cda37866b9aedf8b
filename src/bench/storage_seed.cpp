#include "bench/storage_seed.hpp"

#include <fmt/format.h>

#include "bench/storage_session.hpp"
#include "bench/storage_step.hpp"
#include "vault/transaction.hpp"

namespace muhur::bench {
namespace {

using vault::Connection;
using vault::Statement;

constexpr int kMessages = 1000;
constexpr int kInserts = 100;
constexpr int kSelects = 1000;
constexpr int kUpdates = 100;

constexpr std::string_view kSchema = R"(
CREATE TABLE IF NOT EXISTS messages (
  id INTEGER PRIMARY KEY, mailbox_id INTEGER NOT NULL, uid INTEGER NOT NULL, date INTEGER NOT NULL,
  flags TEXT, subject TEXT, from_addr TEXT, to_addr TEXT, message_id TEXT, raw BLOB,
  FOREIGN KEY (mailbox_id) REFERENCES mailboxes(id));
CREATE TABLE IF NOT EXISTS mailboxes (
  id INTEGER PRIMARY KEY, name TEXT NOT NULL, path TEXT NOT NULL,
  uidvalidity INTEGER NOT NULL, uidnext INTEGER NOT NULL);
CREATE INDEX IF NOT EXISTS idx_messages_mailbox_date ON messages(mailbox_id, date DESC);
CREATE INDEX IF NOT EXISTS idx_messages_uid ON messages(mailbox_id, uid);
CREATE INDEX IF NOT EXISTS idx_messages_flags ON messages(mailbox_id, flags) WHERE flags IS NOT NULL;
INSERT OR IGNORE INTO mailboxes (id, name, path, uidvalidity, uidnext) VALUES (1, 'INBOX', 'INBOX', 1234567890, 1);
)";
constexpr std::string_view kInsert =
    "INSERT INTO messages (mailbox_id, uid, date, flags, subject, from_addr, to_addr, message_id, raw)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)";
constexpr std::string_view kSelect =
    "SELECT id, subject, from_addr, date FROM messages WHERE mailbox_id = ? AND date > ?"
    " ORDER BY date DESC LIMIT 50";
constexpr std::string_view kUpdate = "UPDATE messages SET flags = ? WHERE id = ?";
constexpr std::string_view kDelete = "DELETE FROM messages WHERE id > ?";

std::int64_t now_ms() {
  using namespace std::chrono;
  return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
}

struct Message {
  std::int64_t uid, date;
  std::string flags, subject, from, to, message_id, raw;
};

std::string repeated(const std::string& text, int times) {
  std::string all;
  all.reserve(text.size() * static_cast<std::size_t>(times));
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

Result<void> insert(Statement& statement, const Message& m) {
  return statement.bind(1, m.uid, m.date, m.flags, m.subject, m.from, m.to, m.message_id, as_bytes(m.raw))
      .run();
}

Result<void> create_data(Connection& db) {
  MUHUR_CHECK(db.exec(kSchema));
  std::vector<Message> messages;
  const std::int64_t now = now_ms();
  for (int i = 1; i <= kMessages; ++i)
    messages.push_back({.uid = i,
                        .date = now - std::int64_t{i} * 60'000,
                        .flags = i % 10 == 0 ? "\\Seen" : "",
                        .subject = fmt::format("Test Subject {}", i),
                        .from = fmt::format("sender{}@example.com", i),
                        .to = fmt::format("recipient{}@example.com", i),
                        .message_id = fmt::format("<message-{}@example.com>", i),
                        .raw = repeated(fmt::format("Raw message content for message {}", i), 100)});
  MUHUR_TRY(auto statement, db.prepare(kInsert));
  MUHUR_TRY(auto transaction, vault::Transaction::begin(db));
  for (const Message& message : messages) MUHUR_CHECK(insert(statement, message));
  return transaction.commit();
}

Result<void> run_inserts(Connection& db, boost::json::object& out) {
  MUHUR_TRY(auto statement, db.prepare(kInsert));
  return timed_each(out, "insert", kInserts, [&](int n) {
    const int i = 2000 + n;
    return insert(statement, {.uid = i,
                              .date = now_ms(),
                              .flags = "",
                              .subject = fmt::format("Benchmark Subject {}", i),
                              .from = fmt::format("bench{}@example.com", i),
                              .to = fmt::format("test{}@example.com", i),
                              .message_id = fmt::format("<bench-{}@example.com>", i),
                              .raw = repeated(fmt::format("Benchmark message {}", i), 50)});
  });
}

Result<void> run_selects(Connection& db, boost::json::object& out) {
  constexpr std::int64_t kThirtyDays = 86'400'000LL * 30;
  MUHUR_TRY(auto statement, db.prepare(kSelect));
  std::size_t rows = 0;
  std::int64_t seen = 0;
  MUHUR_CHECK(timed_each(out, "select", kSelects, [&](int) -> Result<void> {
    statement.bind(1, now_ms() - kThirtyDays);
    while (true) {
      MUHUR_TRY(const bool row, statement.step());
      if (!row) return {};
      ++rows;
      seen += statement.int64(0) + statement.int64(3) + static_cast<std::int64_t>(statement.text(1).size()) +
              static_cast<std::int64_t>(statement.text(2).size());
    }
  }));
  if (rows != kSelects * std::size_t{50} || seen == 0)
    return fail(Code::internal, fmt::format("the SELECTs gave {} rows", rows));
  return {};
}

Result<void> run_updates(Connection& db, boost::json::object& out) {
  MUHUR_TRY(auto statement, db.prepare(kUpdate));
  return timed_each(out, "update", kUpdates,
                    [&](int n) { return statement.bind("\\Seen \\Flagged", n + 1).run(); });
}

}  // namespace

Result<boost::json::object> run_seed(const StorageConfig& config, const std::filesystem::path& directory) {
  boost::json::object out;
  std::unique_ptr<Connection> db;
  MUHUR_CHECK(timed_once(out, "setup", [&]() -> Result<void> {
    MUHUR_TRY(db, open_session(config, directory));
    return create_data(*db);
  }));
  MUHUR_CHECK(run_inserts(*db, out));
  MUHUR_CHECK(run_selects(*db, out));
  MUHUR_CHECK(run_updates(*db, out));
  MUHUR_CHECK(timed_each(out, "delete", 1, [&](int) { return db->run(kDelete, 1500); }));
  if (config.more)
    MUHUR_CHECK(
        timed_once(out, "real_delete", [&] { return db->run("DELETE FROM messages WHERE id <= ?", 500); }));
  if (config.more || config.auto_vacuum != "FULL")
    MUHUR_CHECK(timed_once(out, "vacuum", [&] { return db->exec("VACUUM"); }));
  std::error_code ignored;
  const auto file = session_file(directory);
  out["db_bytes"] = std::filesystem::file_size(file, ignored);
  const auto wal = std::filesystem::file_size(file.string() + "-wal", ignored);
  out["wal_bytes"] = ignored ? 0 : wal;
  return out;
}

}  // namespace muhur::bench
