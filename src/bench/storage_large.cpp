#include "bench/storage_large.hpp"

#include <fstream>
#include <random>

#include "bench/storage_session.hpp"
#include "bench/storage_step.hpp"
#include "vault/transaction.hpp"

namespace muhur::bench {
namespace {

using vault::Connection;

constexpr int kTransactions = 20;
constexpr int kPerTransaction = 1000;
constexpr int kRows = kTransactions * kPerTransaction;
constexpr std::size_t kRawSize = 3400;
constexpr int kLookups = 5000;

// The same bytes in every run and on every machine; not secret.
void fill(std::mt19937_64& random, Bytes& raw) {
  for (std::size_t at = 0; at + 8 <= raw.size(); at += 8) store_le64(raw.data() + at, random());
}

Result<void> write_rows(Connection& db) {
  std::mt19937_64 random(1);
  Bytes raw(kRawSize);
  MUHUR_TRY(auto statement, db.prepare("INSERT INTO messages (id, raw) VALUES (?, ?)"));
  for (int t = 0; t < kTransactions; ++t) {
    MUHUR_TRY(auto transaction, vault::Transaction::begin(db));
    for (int i = 1; i <= kPerTransaction; ++i) {
      fill(random, raw);
      MUHUR_CHECK(statement.bind(t * kPerTransaction + i, raw).run());
    }
    MUHUR_CHECK(transaction.commit());
  }
  return {};
}

Result<void> scan(Connection& db) {
  MUHUR_TRY(const auto bytes, db.query_int("SELECT sum(length(raw)) FROM messages"));
  if (bytes != std::int64_t{kRows} * kRawSize)
    return fail(Code::internal, "the scan did not read all messages");
  return {};
}

Result<void> lookups(Connection& db, boost::json::object& out) {
  std::mt19937 random(2);
  MUHUR_TRY(auto statement, db.prepare("SELECT raw FROM messages WHERE id = ?"));
  return timed_each(out, "lookup", kLookups, [&](int) -> Result<void> {
    statement.bind(static_cast<int>(random() % kRows) + 1);
    MUHUR_TRY(const bool row, statement.step());
    if (!row || statement.blob(0).size() != kRawSize) return fail(Code::internal, "a message is missing");
    statement.reset();
    return {};
  });
}

// The peak of the resident set since the last forget_peak(), in bytes; proc(5).
void forget_peak() { std::ofstream("/proc/self/clear_refs") << '5'; }
std::uint64_t peak_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmHWM:")) return std::stoull(line.substr(6)) * 1024;
  return 0;
}

}  // namespace

Result<boost::json::object> run_large(const StorageConfig& config, const std::filesystem::path& directory) {
  boost::json::object out;
  MUHUR_TRY(const auto db, open_session(config, directory));
  MUHUR_CHECK(db->exec("CREATE TABLE messages (id INTEGER PRIMARY KEY, raw BLOB)"));
  MUHUR_CHECK(timed_once(out, "write", [&] { return write_rows(*db); }));
  const auto checkpoint = [&] { return db->exec("PRAGMA wal_checkpoint(TRUNCATE)"); };
  MUHUR_CHECK(timed_once(out, "checkpoint", checkpoint));
  MUHUR_CHECK(timed_once(out, "scan", [&] { return scan(*db); }));
  MUHUR_CHECK(lookups(*db, out));
  MUHUR_CHECK(timed_once(out, "index", [&] { return db->exec("CREATE INDEX by_raw ON messages (raw)"); }));
  MUHUR_CHECK(db->exec("DROP INDEX by_raw"));
  MUHUR_CHECK(checkpoint());
  MUHUR_CHECK(timed_once(out, "delete", [&] { return db->exec("DELETE FROM messages WHERE id % 2 = 0"); }));
  MUHUR_CHECK(checkpoint());
  forget_peak();
  MUHUR_CHECK(timed_once(out, "vacuum", [&] { return db->exec("VACUUM"); }));
  out["vacuum_peak_bytes"] = peak_bytes();
  MUHUR_CHECK(checkpoint());
  std::error_code ignored;
  out["db_bytes"] = std::filesystem::file_size(session_file(directory), ignored);
  return out;
}

}  // namespace muhur::bench
