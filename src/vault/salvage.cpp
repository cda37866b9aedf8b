#include "vault/salvage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/unicode.hpp"
#include "vault/database_files.hpp"
#include "vault/page_map.hpp"
#include "vault/salvage_table.hpp"
#include "vault/sqlite.hpp"
#include "vault/transaction.hpp"

namespace muhur::vault {
namespace {

namespace fs = std::filesystem;

bool is_virtual(const SchemaRow& row) { return row.type == "table" && row.root == 0; }
// Made by SQLite itself, or recomputed by ANALYZE.
bool is_own_table(const SchemaRow& row) {
  return row.name.starts_with("sqlite_") && row.name != "sqlite_sequence";
}

class Salvager {
 public:
  Salvager(const Pages& pages, const PageMap& map, Connection& target, SalvageReport& report,
           const CheckProgress& progress)
      : pages_(pages), map_(map), target_(target), report_(report), progress_(progress) {}

  Result<void> run() {
    MUHUR_CHECK(in_transaction([&] { return copy_tables(); }));
    MUHUR_CHECK(in_transaction([&] { return place_orphans(); }));
    make_the_rest();
    return {};
  }

 private:
  template <class F>
  Result<void> in_transaction(F f) {
    MUHUR_TRY(Transaction transaction, Transaction::begin(target_));
    MUHUR_CHECK(f());
    return transaction.commit();
  }

  Result<void> copy_tables() {
    MUHUR_CHECK(make_tables());
    std::uint64_t looked_at = 0;
    for (const SchemaRow& row : map_.schema) {
      if (row.type == "table" && row.root != 0 && !is_own_table(row)) MUHUR_CHECK(copy_table(row));
      if (progress_)
        progress_(pages_.count() + pages_.count() * ++looked_at / map_.schema.size(), 2ULL * pages_.count());
    }
    return {};
  }

  // Virtual tables first: they make their shadow tables themselves, which are then filled like the others.
  Result<void> make_tables() {
    for (const bool virtual_ones : {true, false})
      for (const SchemaRow& row : map_.schema) {
        if (row.type != "table" || is_virtual(row) != virtual_ones || row.name.starts_with("sqlite_"))
          continue;
        MUHUR_TRY(const bool there, exists(row.name));
        if (there) {  // a shadow table with its first rows
          MUHUR_CHECK(target_.exec(fmt::format("DELETE FROM {}", quoted_name(row.name))));
          continue;
        }
        if (!starts_with_ignoring_case(row.sql, "create")) continue;
        if (const auto made = target_.exec(row.sql); !made)
          report_.not_made.push_back(fmt::format("{}: {}", row.name, made.error().what));
      }
    return {};
  }

  Result<bool> exists(const std::string& name) {
    MUHUR_TRY(Statement statement,
              target_.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?"));
    return statement.bind(name).step();
  }

  Result<void> copy_table(const SchemaRow& row) {
    MUHUR_TRY(const bool there, exists(row.name));
    if (!there) return {};
    MUHUR_TRY(SalvageTarget table, SalvageTarget::of(target_, row.name));
    SalvagedTable done{.name = row.name};
    Result<void> outcome;
    walk_btree(
        pages_, row.root,
        [&](std::uint32_t, const BtreePage& page) {
          if (outcome) outcome = copy_page(page, table, done);
        },
        [&](std::uint32_t) { ++done.pages_lost; });
    if (done.rows || done.rows_lost || done.pages_lost) report_.tables.push_back(std::move(done));
    return outcome;
  }

  Result<void> copy_page(const BtreePage& page, SalvageTarget& table, SalvagedTable& done) {
    if (!page.intact) ++done.rows_lost;
    for (const Cell& cell : page.cells) {
      Bytes payload;
      std::vector<Field> record;
      if (!whole_payload(pages_, cell, payload) || !parse_record(payload, record)) {
        ++done.rows_lost;
        continue;
      }
      const auto inserted = table.insert(cell.rowid, record);
      if (!inserted && inserted.error().code != Code::exists && inserted.error().code != Code::invalid)
        return std::unexpected(inserted.error());
      inserted && *inserted ? ++done.rows : ++done.rows_lost;
    }
    return {};
  }

  // Table leaves that verify and that no walk has reached: their interior page is damaged.
  std::vector<std::uint32_t> orphans() const {
    std::vector<std::uint32_t> found;
    if (map_.bad.empty()) return found;
    for (std::uint32_t number = 2; number <= pages_.count(); ++number) {
      if (!map_.use[number].owner.empty()) continue;
      const auto bytes = pages_.read(number);
      BtreePage page;
      if (bytes && parse_btree_page(*bytes, number, pages_.usable(), page) &&
          page.type == PageType::table_leaf && page.intact && !page.cells.empty())
        found.push_back(number);
    }
    return found;
  }

  // The one table that can own an orphan; null when several (or none) can.
  SalvagedTable* only_suspect() {
    SalvagedTable* suspect = nullptr;
    for (SalvagedTable& table : report_.tables) {
      if (table.pages_lost == 0) continue;
      if (suspect) return nullptr;
      suspect = &table;
    }
    return suspect;
  }

  Result<void> place_orphans() {
    const std::vector<std::uint32_t> found = orphans();
    report_.orphan_pages = found.size();
    if (found.empty()) return {};
    if (SalvagedTable* suspect = only_suspect()) {
      MUHUR_TRY(SalvageTarget table, SalvageTarget::of(target_, suspect->name));
      if (!table.without_rowid()) {
        for (const std::uint32_t number : found)
          MUHUR_CHECK(
              with_page(number, [&](const BtreePage& page) { return copy_page(page, table, *suspect); }));
        return {};
      }
    }
    MUHUR_CHECK(target_.exec("CREATE TABLE lost_and_found(page, rowid_, field, value)"));
    for (const std::uint32_t number : found)
      MUHUR_CHECK(with_page(number, [&](const BtreePage& page) { return keep_fields(number, page); }));
    return {};
  }

  template <class F>
  Result<void> with_page(std::uint32_t number, F f) {
    MUHUR_TRY(const Bytes bytes, pages_.read(number));
    BtreePage page;
    if (!parse_btree_page(bytes, number, pages_.usable(), page)) return {};
    return f(page);
  }

  Result<void> keep_fields(std::uint32_t number, const BtreePage& page) {
    for (const Cell& cell : page.cells) {
      Bytes payload;
      std::vector<Field> record;
      if (!whole_payload(pages_, cell, payload) || !parse_record(payload, record)) continue;
      for (std::size_t i = 0; i < record.size(); ++i)
        MUHUR_CHECK(std::visit(
            [&]<class T>(const T& value) {
              constexpr std::string_view kSql = "INSERT INTO lost_and_found VALUES(?, ?, ?, ?)";
              if constexpr (std::is_same_v<T, std::monostate>)
                return target_.run(kSql, number, cell.rowid, i, nullptr);
              else
                return target_.run(kSql, number, cell.rowid, i, value);
            },
            record[i]));
    }
    return {};
  }

  // Indexes before triggers and views; after the rows, so that no trigger fires for them.
  void make_the_rest() {
    for (const std::string_view type : {"index", "view", "trigger"})
      for (const SchemaRow& row : map_.schema) {
        if (row.type != type || row.sql.empty()) continue;  // without sql: the index of a constraint
        if (const auto made = target_.exec(row.sql); !made)
          report_.not_made.push_back(fmt::format("{}: {}", row.name, made.error().what));
      }
    for (const SchemaRow& row : map_.schema)
      if (is_virtual(row) && lost_a_shadow(row.name))
        report_.not_made.push_back(fmt::format("{}: lost some of what it had indexed; rebuild it", row.name));
  }

  bool lost_a_shadow(const std::string& name) const {
    return std::ranges::any_of(report_.tables, [&](const SalvagedTable& table) {
      return table.name.starts_with(name + "_") && (table.rows_lost || table.pages_lost);
    });
  }

  const Pages& pages_;
  const PageMap& map_;
  Connection& target_;
  SalvageReport& report_;
  const CheckProgress& progress_;
};

// For rows that are already as they should be, or as they are.
Result<void> relax(Connection& target) {
  MUHUR_CHECK(target.exec("PRAGMA foreign_keys=OFF; PRAGMA ignore_check_constraints=ON"));
  const int rc = sqlite3_db_config(target.handle(), SQLITE_DBCONFIG_DEFENSIVE, 0, nullptr);  // shadow tables
  if (rc != SQLITE_OK) return std::unexpected(target.error_of(rc, "configure"));
  return {};
}

}  // namespace

bool SalvageReport::complete() const {
  return damaged_pages.empty() && not_made.empty() &&
         std::ranges::all_of(tables, [](const SalvagedTable& table) {
           return table.rows_lost == 0 && table.pages_lost == 0;
         });
}

Result<SalvageReport> salvage(Connection& damaged, const fs::path& target, const Key* key,
                              const CheckProgress& progress) {
  std::error_code ignored;
  if (fs::exists(target, ignored))
    return fail(Code::exists, fmt::format("{} is there already", target.string()), "Choose another name");
  sqlite3_wal_checkpoint_v2(damaged.handle(), "main", SQLITE_CHECKPOINT_PASSIVE, nullptr, nullptr);
  MUHUR_TRY(const Pages pages, Pages::of(damaged));
  const auto first = pages.read(1);
  if (first && load_be32(first->data() + 56) > 1)
    return fail(Code::unsupported, fmt::format("{} stores UTF-16", damaged.path().string()));
  MUHUR_TRY(const PageMap map, map_pages(pages, [&](std::uint64_t at, std::uint64_t all) {
              if (progress) progress(at, 2 * all);
            }));
  SalvageReport report{.damaged_pages = map.bad};

  OpenOptions opening{.path = target, .key = key, .mode = OpenMode::create};
  opening.profile.page_size = pages.size();
  opening.profile.optimize_on_open = false;
  MUHUR_TRY(auto made, Connection::open(opening));
  Result<void> done = relax(*made);
  if (done) done = Salvager(pages, map, *made, report, progress).run();
  if (!done) {
    made.reset();
    remove_database(target);
    return std::unexpected(std::move(done).error());
  }
  return report;
}

}  // namespace muhur::vault
