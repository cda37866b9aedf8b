#pragma once
// What a database has promised, and whether it keeps it: rows in sets of kParts, written in one transaction,
// of a version that only grows. A set whose commit was answered with success is there in that version; one
// whose commit failed is there in the old or in the new one, but whole.

#include <fmt/format.h>

#include <map>
#include <string>

#include "base/sync.hpp"
#include "vault/connection.hpp"
#include "vault/transaction.hpp"

namespace muhur::vault::testing {

inline constexpr int kParts = 5;
inline constexpr const char* kLedgerTable =
    "CREATE TABLE kept(id INTEGER PRIMARY KEY, number INTEGER, part INTEGER, version INTEGER, body TEXT);"
    "CREATE UNIQUE INDEX kept_by_number ON kept(number, part)";

struct Promise {
  int acknowledged = 0;  // version; 0: the set need not be there
  int attempted = 0;
};

class Ledger {
 public:
  Ledger() = default;
  Ledger(const Ledger& other) : promises_(other.promises()) {}

  std::map<int, Promise> promises() const {
    const Lock lock(mutex_);
    return promises_;
  }
  void attempt(int number, int version) {
    const Lock lock(mutex_);
    promises_[number].attempted = version;
  }
  void acknowledge(int number) {
    const Lock lock(mutex_);
    promises_[number].acknowledged = promises_[number].attempted;
  }

  // The rows of a set, inside somebody's transaction.
  static Result<void> write(Connection& db, int number, int version) {
    for (int part = 0; part < kParts; ++part)
      MUHUR_CHECK(
          db.run("INSERT INTO kept(number, part, version, body) VALUES(?1, ?2, ?3, ?4) "
                 "ON CONFLICT(number, part) DO UPDATE SET version = ?3, body = ?4",
                 number, part, version, body(number, part, version)));
    return {};
  }
  // A transaction of its own.
  Result<void> put(Connection& db, int number, int version = 1) {
    attempt(number, version);
    MUHUR_TRY(Transaction transaction, Transaction::begin(db));
    MUHUR_CHECK(write(db, number, version));
    MUHUR_CHECK(transaction.commit());
    acknowledge(number);
    return {};
  }

  // Empty when the database is sound and keeps every promise.
  static std::string broken(const std::map<int, Promise>& promises, Connection& db) {
    const auto tables = db.query_int("SELECT count(*) FROM sqlite_schema WHERE name = 'kept'");
    if (!tables) return tables.error().text();
    std::map<int, std::pair<int, int>> found;  // version, rows
    if (*tables > 0) {
      if (std::string wrong = read(db, found); !wrong.empty()) return wrong;
    }
    for (const auto& [number, promise] : promises) {
      const auto at = found.find(number);
      const int version = at == found.end() ? 0 : at->second.first;
      if (version < promise.acknowledged || version > promise.attempted)
        return fmt::format("set {}: version {}, promised {}, attempted {}", number, version,
                           promise.acknowledged, promise.attempted);
      if (version != 0 && at->second.second != kParts) return fmt::format("set {}: a part of it", number);
      found.erase(number);
    }
    if (!found.empty()) return fmt::format("set {}: nobody wrote it", found.begin()->first);
    const auto sound = db.query_text("PRAGMA integrity_check");
    return !sound ? sound.error().text() : *sound == "ok" ? "" : *sound;
  }
  std::string broken(Connection& db) const { return broken(promises(), db); }

 private:
  static std::string body(int number, int part, int version) {
    return fmt::format("{}/{}/{} ", number, part, version) + std::string(300, static_cast<char>('a' + part));
  }
  static std::string read(Connection& db, std::map<int, std::pair<int, int>>& found) {
    auto rows = db.prepare("SELECT number, part, version, body FROM kept ORDER BY id");
    if (!rows) return rows.error().text();
    while (true) {
      const auto row = rows->step();
      if (!row) return row.error().text();
      if (!*row) return {};
      const int number = rows->as<int>(0), part = rows->as<int>(1), version = rows->as<int>(2);
      if (rows->text(3) != body(number, part, version)) return fmt::format("set {}: another text", number);
      auto& [first, count] = found.try_emplace(number, version, 0).first->second;
      if (first != version) return fmt::format("set {}: versions {} and {}", number, first, version);
      ++count;
    }
  }

  mutable Mutex mutex_;
  std::map<int, Promise> promises_ MUHUR_GUARDED_BY(mutex_);
};

}  // namespace muhur::vault::testing
