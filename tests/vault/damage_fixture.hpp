#pragma once
// A small database as bytes, and what comes out of it after something was done to them.

#include <map>

#include "fixture.hpp"
#include "vault/raw_database.hpp"

namespace muhur::vault::testing {

class DamageTest : public VaultTest {
 protected:
  static constexpr std::uint32_t kPage = 512;
  using Rows = std::vector<std::string>;

  std::unique_ptr<Connection> open_bare(OpenMode mode = OpenMode::read_write) const {
    auto db = Connection::open({.path = file(), .key = &key(), .mode = mode, .bare = true});
    EXPECT_TRUE(ok(db));
    return db ? std::move(*db) : nullptr;
  }
  // A table, an index, rows of which some overflow, and free pages.
  static constexpr const char* kContents =
      "CREATE TABLE t(id INTEGER PRIMARY KEY, body TEXT); CREATE INDEX t_body ON t(body);"
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 24)"
      "INSERT INTO t SELECT i, 'row ' || i || ' ' || hex(zeroblob(CASE WHEN i = 7 THEN 700 ELSE 20 END)) "
      "FROM n;"
      "DELETE FROM t WHERE id > 18";

  // Every row, by way of the table and of the index, and SQLite's own verdict.
  static Result<Rows> everything(Connection& db) {
    Rows rows;
    for (const char* sql :
         {"SELECT id || body FROM t NOT INDEXED ORDER BY id", "SELECT body FROM t ORDER BY body"}) {
      MUHUR_TRY(auto statement, db.prepare(sql));
      while (true) {
        MUHUR_TRY(const bool row, statement.step());
        if (!row) break;
        rows.emplace_back(statement.text(0));
      }
    }
    MUHUR_TRY(auto check, db.prepare("PRAGMA integrity_check"));
    MUHUR_TRY(const bool row, check.step());
    if (!row || check.text(0) != "ok") return fail(Code::corrupt, std::string(check.text(0)), "restore it");
    return rows;
  }
  // What a reader gets of the file as it lies there.
  Result<Rows> read_file_back() const {
    MUHUR_TRY(const auto db, Connection::open({.path = file(), .key = &key(), .bare = true}));
    return everything(*db);
  }

  // Loud and useful: damage is not taken for a bug of the program or for a busy file.
  static ::testing::AssertionResult is_loud(const Result<Rows>& got) {
    if (got) return ::testing::AssertionFailure() << "was read";
    const Error& error = got.error();
    const bool right = error.code == Code::corrupt || error.code == Code::denied || error.code == Code::io;
    if (right && !error.remedy.empty()) return ::testing::AssertionSuccess();
    return ::testing::AssertionFailure() << muhur::name_of(error.code) << ": " << error.text();
  }

  void put(const Bytes& database) const { write_file(file().string(), database); }
  void put_beside(const char* suffix, const Bytes& bytes) const {
    write_file(file().string() + suffix, bytes);
  }
  Bytes bytes_of(const char* suffix = "") const { return read_file(file().string() + suffix); }
  void remove_all() const {
    for (const char* suffix : {"", "-wal", "-shm", "-journal"})
      std::filesystem::remove(file().string() + suffix);
  }
};

}  // namespace muhur::vault::testing
