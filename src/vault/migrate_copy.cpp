#include "vault/migrate_copy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "vault/salvage_table.hpp"
#include "vault/sqlite.hpp"
#include "vault/step_progress.hpp"
#include "vault/table_rows.hpp"
#include "vault/transaction.hpp"

namespace muhur::vault {
namespace {

// Where the two are looked at in the same order, whatever order things were created in.
constexpr std::string_view kSchema =
    "SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE tbl_name <> ?1 ORDER BY type, name, tbl_name";
// sqlite_sequence first: made by itself, before a table with AUTOINCREMENT would make it.
constexpr std::string_view kTables =
    "SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND rootpage > 0 "
    "ORDER BY name <> 'sqlite_sequence', rowid";
constexpr std::string_view kIndexes =
    "SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL ORDER BY rowid";
constexpr const char* kHeader[] = {"page_size", "encoding", "auto_vacuum", "user_version", "application_id"};

struct Named {
  std::string name;
  std::string sql;
};

Result<std::vector<Named>> named(Connection& connection, std::string_view sql) {
  MUHUR_TRY(Statement rows, connection.prepare(sql));
  std::vector<Named> found;
  while (true) {
    MUHUR_TRY(const bool row, rows.step());
    if (!row) return found;
    found.push_back({std::string(rows.text(0)), std::string(rows.text(1))});
  }
}

Result<bool> has(Connection& connection, std::string_view name) {
  MUHUR_TRY(Statement found, connection.prepare("SELECT 1 FROM sqlite_schema WHERE name = ? COLLATE NOCASE"));
  return found.bind(name).step();
}

// Off again however it ends: while it is on, SQLite takes reserved names and rows of its schema.
struct WritableSchema {
  explicit WritableSchema(Connection& of) : connection(of) {}
  ~WritableSchema() { std::ignore = connection.exec("PRAGMA writable_schema=OFF"); }
  Connection& connection;
};

}  // namespace

Result<void> MigrationCopy::open(OpenMode mode) {
  copy_.reset();
  MUHUR_TRY(copy_,
            Connection::open(
                {.path = plan_->path, .key = &plan_->key, .mode = mode, .cipher = "chacha20", .bare = true}));
  // A source that breaks its own constraints is copied as it is: foreign_key_check and integrity_check tell.
  return copy_->exec(
      fmt::format("PRAGMA journal_mode=DELETE; PRAGMA synchronous={}; PRAGMA foreign_keys=OFF;"
                  "PRAGMA cache_size=-16384; PRAGMA ignore_check_constraints=ON",
                  plan_->durability == Durability::off ? "OFF" : "FULL"));
}

Result<void> MigrationCopy::choose_books() {
  MUHUR_TRY(const std::string encoding, plan_->source.query_text("PRAGMA encoding"));
  wide_ = encoding != "UTF-8";
  books_name_ = "muhur_migration";
  while (true) {
    MUHUR_TRY(const bool taken, has(plan_->source, books_name_));
    if (!taken) break;
    books_name_ += '_';
  }
  books_ = quoted_name(books_name_);
  return {};
}

Result<MigrationCopy> MigrationCopy::begin(const Plan& plan, bool wal) {
  MigrationCopy made(plan);
  MUHUR_CHECK(made.choose_books());
  MUHUR_CHECK(made.open(OpenMode::create));
  MUHUR_CHECK(made.make_tables(wal));
  return made;
}

Result<MigrationCopy> MigrationCopy::resume(const Plan& plan) {
  MigrationCopy found(plan);
  MUHUR_CHECK(found.choose_books());
  MUHUR_CHECK(found.open(OpenMode::read_write));
  MUHUR_TRY(const bool books, has(*found.copy_, found.books_name_));
  if (!books) return fail(Code::corrupt, fmt::format("{} keeps no books", plan.path.string()));
  MUHUR_TRY(Statement source, found.copy_->prepare(fmt::format(
                                  "SELECT last FROM {} WHERE what = 'source' AND name = ?", found.books_)));
  MUHUR_TRY(const bool same, source.bind(plan.identity).step());
  if (!same) return fail(Code::conflict, fmt::format("{} is of another source", plan.path.string()));
  found.wal_ = source.int64(0) != 0;
  return found;
}

Result<void> MigrationCopy::make_tables(bool wal) {
  wal_ = wal;
  for (const char* pragma : kHeader) {
    MUHUR_TRY(const std::string value, plan_->source.query_text(fmt::format("PRAGMA {}", pragma)));
    MUHUR_CHECK(copy_->exec(fmt::format("PRAGMA {}='{}'", pragma, value)));
  }
  MUHUR_TRY(const auto tables, named(plan_->source, kTables));
  const WritableSchema writable(*copy_);
  MUHUR_CHECK(copy_->exec("PRAGMA writable_schema=ON"));
  MUHUR_TRY(Transaction transaction, Transaction::begin(*copy_));
  for (const Named& table : tables) MUHUR_CHECK(copy_->exec(table.sql));
  MUHUR_CHECK(
      copy_->exec(fmt::format("CREATE TABLE {}(what TEXT, name TEXT, rows INTEGER, last INTEGER, "
                              "whole INTEGER, PRIMARY KEY(what, name))",
                              books_)));
  MUHUR_CHECK(copy_->run(fmt::format("INSERT INTO {} VALUES('source', ?, 0, ?, 0)", books_), plan_->identity,
                         wal ? 1 : 0));
  return transaction.commit();
}

Result<void> MigrationCopy::pause() const {
  plan_->on_step();
  if (plan_->go_on()) return {};
  return fail(Code::closed, fmt::format("the migration of {} was stopped", plan_->source.path().string()),
              "The database is as it was; the next run goes on from here");
}

Result<void> MigrationCopy::note(const std::string& table, std::uint64_t rows, std::int64_t last,
                                 bool whole) {
  return copy_->run(fmt::format("INSERT OR REPLACE INTO {} VALUES('table', ?, ?, ?, ?)", books_), table, rows,
                    last, whole);
}

Result<void> MigrationCopy::copy_rows(const std::string& name) {
  std::uint64_t rows = 0;
  std::optional<std::int64_t> last;
  {
    MUHUR_TRY(Statement entry,
              copy_->prepare(
                  fmt::format("SELECT rows, last, whole FROM {} WHERE what = 'table' AND name = ?", books_)));
    MUHUR_TRY(const bool begun, entry.bind(name).step());
    if (begun) {
      rows = entry.as<std::uint64_t>(0);
      if (rows > 0) last = entry.int64(1);
      rows_kept_ += rows;
      if (entry.int64(2) != 0) return {};
    }
  }
  MUHUR_TRY(const TableRows table, TableRows::of(plan_->source, name));
  MUHUR_TRY(const RawStatement from, table.read(plan_->source, rows, last));
  MUHUR_TRY(const RawStatement into, table.write(*copy_));
  const int columns = sqlite3_column_count(from.get());
  for (bool whole = false; !whole;) {
    MUHUR_TRY(Transaction transaction, Transaction::begin(*copy_));
    if (rows == 0 && name == "sqlite_sequence") MUHUR_CHECK(copy_->exec("DELETE FROM sqlite_sequence"));
    std::uint64_t copied = 0;
    for (std::uint64_t bytes = 0; bytes < plan_->batch_bytes;) {
      const int rc = sqlite3_step(from.get());
      whole = rc == SQLITE_DONE;
      if (whole) break;
      if (rc != SQLITE_ROW) return std::unexpected(plan_->source.error_of(rc, "read a table"));
      for (int column = 0; column < columns; ++column)
        sqlite3_bind_value(into.get(), column + 1, sqlite3_column_value(from.get(), column));
      sqlite3_step(into.get());
      if (const int written = sqlite3_reset(into.get()); written != SQLITE_OK)
        return std::unexpected(copy_->error_of(written, "write a table"));
      if (!table.rowid.empty()) last = sqlite3_column_int64(from.get(), 0);
      bytes += bytes_of_row(from.get(), wide_);
      ++copied;
    }
    rows += copied;
    MUHUR_CHECK(note(name, rows, last.value_or(0), whole));
    MUHUR_CHECK(transaction.commit());
    rows_copied_ += copied;
    MUHUR_CHECK(pause());
  }
  return {};
}

Result<void> MigrationCopy::make_indexes() {
  MUHUR_TRY(const auto indexes, named(plan_->source, kIndexes));
  for (const Named& index : indexes) {
    MUHUR_TRY(const bool made, has(*copy_, index.name));
    if (made) continue;
    {
      const StepProgress steps(*copy_, plan_->on_step);
      MUHUR_CHECK(copy_->exec(index.sql));
    }
    MUHUR_CHECK(pause());
  }
  return {};
}

// Their rows of the schema as they are: to create them could fail where they name what is not there, and a
// virtual table would make its own tables anew.
Result<void> MigrationCopy::make_rest() {
  constexpr std::string_view kRest =
      "type IN ('view', 'trigger') OR (type = 'table' AND coalesce(rootpage, 0) = 0)";
  MUHUR_TRY(const auto made,
            copy_->query_int(fmt::format("SELECT count(*) FROM sqlite_schema WHERE {}", kRest)));
  if (made != 0) return {};
  {
    const WritableSchema writable(*copy_);
    MUHUR_CHECK(copy_->exec("PRAGMA writable_schema=ON"));
    MUHUR_TRY(Statement from,
              plan_->source.prepare(fmt::format(
                  "SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE {} ORDER BY rowid", kRest)));
    MUHUR_TRY(Transaction transaction, Transaction::begin(*copy_));
    while (true) {
      MUHUR_TRY(const bool row, from.step());
      if (!row) break;
      MUHUR_CHECK(
          copy_->run("INSERT INTO sqlite_schema(type, name, tbl_name, rootpage, sql) VALUES(?, ?, ?, 0, ?)",
                     from.text(0), from.text(1), from.text(2), from.text(3)));
    }
    MUHUR_CHECK(transaction.commit());
  }
  return open(OpenMode::read_write);  // reads the schema again
}

Result<void> MigrationCopy::complete() {
  MUHUR_TRY(auto tables, named(plan_->source, kTables));
  // The first is the one whose rows the others' inserts write.
  if (!tables.empty() && tables[0].name == "sqlite_sequence") std::ranges::rotate(tables, tables.begin() + 1);
  rows_kept_ = rows_copied_ = 0;
  for (const Named& table : tables) MUHUR_CHECK(copy_rows(table.name));
  MUHUR_CHECK(make_indexes());
  return make_rest();
}

Result<void> MigrationCopy::compare(const std::function<void()>& on_row) {
  const auto differs = [&](std::string_view where) {
    return fail(Code::corrupt,
                fmt::format("the copy of {} differs from it in {}", plan_->source.path().string(), where),
                "Look at the file with `muhur db check`; it was not changed");
  };
  for (const char* pragma : kHeader) {
    MUHUR_TRY(const std::string here, plan_->source.query_text(fmt::format("PRAGMA {}", pragma)));
    MUHUR_TRY(const std::string there, copy_->query_text(fmt::format("PRAGMA {}", pragma)));
    if (here != there) return differs(pragma);
  }
  const auto same = [&](const RawStatement& one, const RawStatement& other) {
    return same_rows(plan_->source, one.get(), *copy_, other.get(), wide_, on_row);
  };
  {
    MUHUR_TRY(const RawStatement one, compile_raw(plan_->source, std::string(kSchema)));
    MUHUR_TRY(const RawStatement other, compile_raw(*copy_, std::string(kSchema)));
    for (const RawStatement* each : {&one, &other})
      sqlite3_bind_text(each->get(), 1, books_name_.c_str(), -1, SQLITE_STATIC);
    MUHUR_TRY(const bool equal, same(one, other));
    if (!equal) return differs("the schema");
  }
  MUHUR_TRY(const auto tables, named(plan_->source, kTables));
  for (const Named& named_table : tables) {
    MUHUR_TRY(const TableRows table, TableRows::of(plan_->source, named_table.name));
    MUHUR_TRY(const RawStatement one, table.read(plan_->source, 0, {}));
    MUHUR_TRY(const RawStatement other, table.read(*copy_, 0, {}));
    MUHUR_TRY(const bool equal, same(one, other));
    if (!equal) return differs(table.name);
    MUHUR_CHECK(pause());
  }
  return {};
}

Result<void> MigrationCopy::drop_books() { return copy_->exec(fmt::format("DROP TABLE {}", books_)); }

}  // namespace muhur::vault
