#include "vault/migration.hpp"

#include <fmt/format.h>

#include "base/clock.hpp"
#include "vault/transaction.hpp"

namespace muhur::vault {
namespace {

constexpr std::string_view kVersionTable =
    "CREATE TABLE IF NOT EXISTS {}("
    "version INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_ms INTEGER NOT NULL)";

Result<void> check_dense(std::span<const Migration> migrations) {
  for (std::size_t i = 0; i < migrations.size(); ++i)
    if (migrations[i].version != static_cast<int>(i) + 1)
      return fail(Code::internal,
                  fmt::format("migration {} stands at place {}", migrations[i].version, i + 1));
  return {};
}

Result<void> apply(Connection& connection, const Migration& migration, std::string_view table) {
  MUHUR_TRY(Transaction transaction, Transaction::begin(connection));
  MUHUR_CHECK(connection.exec(fmt::format(kVersionTable, table)));
  MUHUR_CHECK(connection.exec(migration.sql));
  if (migration.step) MUHUR_CHECK(migration.step(connection));
  MUHUR_CHECK(connection.run(fmt::format("INSERT INTO {}(version, name, applied_ms) VALUES(?, ?, ?)", table),
                             migration.version, migration.name, Clock::system().now_ms()));
  return transaction.commit();
}

}  // namespace

Result<int> schema_version(Connection& connection, std::string_view table) {
  MUHUR_TRY(const std::int64_t known,
            connection.query_int(fmt::format("SELECT count(*) FROM sqlite_schema WHERE name = '{}'", table)));
  if (known == 0) return 0;
  MUHUR_TRY(const std::int64_t version,
            connection.query_int(fmt::format("SELECT coalesce(max(version), 0) FROM {}", table)));
  return static_cast<int>(version);
}

Result<void> migrate(Connection& connection, std::span<const Migration> migrations, std::string_view table) {
  MUHUR_CHECK(check_dense(migrations));
  MUHUR_TRY(const int have, schema_version(connection, table));
  if (have > static_cast<int>(migrations.size()))
    return fail(Code::unsupported,
                fmt::format("{} has {} {}, this program knows up to {}", connection.path().string(),
                            table == kSchemaVersion ? "schema version" : table, have, migrations.size()),
                "Use the newer program that wrote it, or restore a backup from before");
  for (const Migration& migration : migrations.subspan(static_cast<std::size_t>(have))) {
    Result<void> applied = apply(connection, migration, table);
    if (applied) continue;
    Error error = std::move(applied).error();
    error.what = fmt::format("migration {} ({}): {}", migration.version, migration.name, error.what);
    return std::unexpected(std::move(error));
  }
  return {};
}

}  // namespace muhur::vault
