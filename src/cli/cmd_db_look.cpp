// muhur db info, muhur db check.
#include <fmt/format.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <cstdio>

#include "cli/cmd_db.hpp"
#include "cli/db_target.hpp"
#include "cli/terminal.hpp"
#include "server/config_keys.hpp"
#include "vault/check.hpp"
#include "vault/query.hpp"
#include "vault/statistics.hpp"

namespace muhur::cli {
namespace {

namespace json = boost::json;

// Those that answer with one value and change nothing.
constexpr const char* kPragmas[] = {"analysis_limit",
                                    "application_id",
                                    "auto_vacuum",
                                    "automatic_index",
                                    "busy_timeout",
                                    "cache_size",
                                    "cache_spill",
                                    "cell_size_check",
                                    "checkpoint_fullfsync",
                                    "data_version",
                                    "defer_foreign_keys",
                                    "encoding",
                                    "foreign_keys",
                                    "freelist_count",
                                    "fullfsync",
                                    "hard_heap_limit",
                                    "ignore_check_constraints",
                                    "journal_mode",
                                    "journal_size_limit",
                                    "legacy_alter_table",
                                    "locking_mode",
                                    "max_page_count",
                                    "mmap_size",
                                    "page_count",
                                    "page_size",
                                    "query_only",
                                    "read_uncommitted",
                                    "recursive_triggers",
                                    "reverse_unordered_selects",
                                    "schema_version",
                                    "secure_delete",
                                    "soft_heap_limit",
                                    "synchronous",
                                    "temp_store",
                                    "threads",
                                    "trusted_schema",
                                    "user_version",
                                    "wal_autocheckpoint",
                                    "writable_schema"};

json::value to_json(const vault::Value& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) return *number;
  if (const auto* text = std::get_if<std::string>(&value)) return json::value(*text);
  return nullptr;
}

Result<json::object> pragmas(vault::Connection& connection) {
  json::object all;
  for (const char* const name : kPragmas)
    MUHUR_CHECK(vault::query(connection, fmt::format("PRAGMA {}", name), [&](const auto&, const auto& row) {
      all[name] = to_json(row[0]);
      return false;
    }));
  return all;
}

const char* auto_vacuum_name(std::int64_t mode) {
  return mode == 0 ? "none" : mode == 1 ? "full" : "incremental";
}

Result<json::object> look(const DbTarget& target) {
  MUHUR_TRY(const OpenDb db, open_database(target));
  vault::Connection& connection = *db.connection;
  MUHUR_TRY(const auto figures, vault::file_figures(connection));
  MUHUR_TRY(const auto auto_vacuum, connection.query_int("PRAGMA auto_vacuum"));
  MUHUR_TRY(const auto objects, connection.query_int("SELECT count(*) FROM sqlite_schema"));
  MUHUR_TRY(auto all, pragmas(connection));
  return json::object{{"path", target.path.string()},
                      {"cipher", connection.cipher()},
                      {"key", target.key.empty()    ? "none"
                              : target.key.is_raw() ? "raw"
                                                    : "passphrase"},
                      {"page_size", figures.page_size},
                      {"page_count", figures.page_count},
                      {"file_bytes", figures.file_bytes},
                      {"wal_bytes", figures.wal_bytes},
                      {"freelist_count", figures.freelist_count},
                      {"fragmentation_percent", figures.fragmentation()},
                      {"auto_vacuum", auto_vacuum_name(auto_vacuum)},
                      {"schema_objects", objects},
                      {"pragmas", std::move(all)}};
}

std::string plain(const json::value& value) {
  return value.is_string() ? std::string(value.as_string()) : json::serialize(value);
}

int info(const DbArgs& args) {
  const auto target = find_database(args);
  if (!target) return report(target.error());
  const auto found = look(*target);
  if (!found) return report(found.error());
  if (args.json) {
    std::printf("%s\n", json::serialize(*found).c_str());
    return kDone;
  }
  std::vector<std::vector<std::string>> rows;
  for (const auto& [name, value] : *found) {
    if (name == "pragmas") continue;
    const bool size = name.ends_with("_bytes");
    rows.push_back(
        {std::string(name),
         size ? fmt::format("{} ({})", plain(value), server::format_size(value.to_number<std::uint64_t>()))
              : plain(value)});
  }
  for (const auto& [name, value] : found->at("pragmas").as_object())
    rows.push_back({fmt::format("PRAGMA {}", std::string_view(name)), plain(value)});
  std::printf("%s", table(rows).c_str());
  return kDone;
}

Result<vault::CheckReport> look_at_all(const DbTarget& target) {
  MUHUR_TRY(const OpenDb db, open_database(target));
  return vault::check(*db.connection, progress_bar("Checking " + target.path.filename().string()));
}

int check(const DbArgs& args) {
  const auto target = find_database(args);
  if (!target) return report(target.error());
  const auto found = look_at_all(*target);
  if (!found) return report(found.error());
  if (args.json) {
    json::array damaged;
    for (const auto& page : found->damaged) damaged.push_back({{"page", page.page}, {"owner", page.owner}});
    json::array problems(found->problems.begin(), found->problems.end());
    std::printf("%s\n", json::serialize(json::object{{"path", target->path.string()},
                                                     {"sound", found->sound()},
                                                     {"pages", found->pages},
                                                     {"page_size", found->page_size},
                                                     {"damaged", std::move(damaged)},
                                                     {"problems", std::move(problems)}})
                            .c_str());
  } else {
    std::printf("%s: %s\n", target->path.c_str(), found->summary().c_str());
    std::vector<std::vector<std::string>> rows{{"DAMAGED PAGE", "BELONGS TO"}};
    for (const auto& page : found->damaged) rows.push_back({std::to_string(page.page), page.owner});
    if (rows.size() > 1) std::printf("%s", table(rows).c_str());
    for (const auto& problem : found->problems) std::printf("%s\n", problem.c_str());
    if (!found->sound()) std::printf("Restore it from a backup, or save the rest with `muhur db salvage`.\n");
  }
  return found->sound() ? kDone : kFailed;
}

}  // namespace

void describe_db_look(Command& db) {
  auto args = std::make_shared<DbArgs>();
  auto& looking = db.command("info", "Shows cipher, sizes, free pages and every PRAGMA.");
  args->describe(looking);
  looking.run([args] { return info(*args); });

  auto& checking = db.command("check", "Verifies every page, then the structure; names what is damaged.");
  args->describe(checking);
  checking.manual(
      "First the tag of every page, which finds each damaged page and the table or index it belongs to; "
      "then\n"
      "SQLite's integrity_check and foreign_key_check. Plain databases and aes256cbc have no tags: for them "
      "the\n"
      "second part is all. Exit code 1 when anything is wrong.");
  checking.run([args] { return check(*args); });
}

}  // namespace muhur::cli
