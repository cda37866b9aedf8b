// muhur db backup, muhur db salvage, muhur db export-key.
#include <fmt/format.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <cstdio>

#include "base/clock.hpp"
#include "cli/cmd_db.hpp"
#include "cli/db_target.hpp"
#include "cli/terminal.hpp"
#include "server/backup_record.hpp"
#include "server/config_keys.hpp"
#include "vault/backup.hpp"
#include "vault/salvage.hpp"

namespace muhur::cli {
namespace {

namespace json = boost::json;

struct Args : DbArgs {
  std::string target;
  NewKeyArgs fresh;
};

// The source's own key unless another was asked for.
Result<vault::Key> key_of_copy(const Args& args, const DbTarget& source) {
  if (args.fresh.given()) return args.fresh.read("");
  return source.key.copy();
}

Result<vault::BackupReport> copy(const Args& args, const DbTarget& source) {
  MUHUR_TRY(const vault::Key key, key_of_copy(args, source));
  MUHUR_TRY(const OpenDb db, open_database(source));
  const auto bar = progress_bar("Copying");
  MUHUR_TRY(
      const auto done,
      vault::backup(*db.connection,
                    {.path = args.target, .key = &key, .progress = [&](std::uint64_t at, std::uint64_t all) {
                       bar(at, all);
                       return true;
                     }}));
  if (source.kind != DbKind::file)
    MUHUR_CHECK(server::note_backup(source.data, {.database = source.path.filename().string(),
                                                  .at_ms = Clock::system().now_ms(),
                                                  .pages = done.pages,
                                                  .bytes = done.bytes,
                                                  .verified = true}));
  return done;
}

int backup(const Args& args) {
  const auto source = find_database(args);
  if (!source) return report(source.error());
  const auto done = copy(args, *source);
  if (!done) return report(done.error());
  if (args.json)
    std::printf("%s\n", json::serialize(json::object{{"path", args.target},
                                                     {"pages", done->pages},
                                                     {"bytes", done->bytes},
                                                     {"verified", true}})
                            .c_str());
  else
    std::printf("%s: %s, every page read back and verified.\n", args.target.c_str(),
                server::format_size(done->bytes).c_str());
  return kDone;
}

Result<vault::SalvageReport> save(const Args& args, const DbTarget& source) {
  MUHUR_TRY(const vault::Key key, key_of_copy(args, source));
  MUHUR_TRY(const OpenDb db, open_database(source));
  return vault::salvage(*db.connection, args.target, &key, progress_bar("Salvaging"));
}

json::object to_json(const vault::SalvageReport& found, const std::string& path) {
  json::array tables;
  for (const auto& each : found.tables)
    tables.push_back({{"name", each.name},
                      {"rows", each.rows},
                      {"rows_lost", each.rows_lost},
                      {"pages_lost", each.pages_lost}});
  return {{"path", path},
          {"complete", found.complete()},
          {"tables", std::move(tables)},
          {"damaged_pages", json::array(found.damaged_pages.begin(), found.damaged_pages.end())},
          {"orphan_pages", found.orphan_pages},
          {"not_made", json::array(found.not_made.begin(), found.not_made.end())}};
}

int salvage(const Args& args) {
  const auto source = find_database(args);
  if (!source) return report(source.error());
  const auto found = save(args, *source);
  if (!found) return report(found.error());
  if (args.json) {
    std::printf("%s\n", json::serialize(to_json(*found, args.target)).c_str());
    return kDone;
  }
  std::vector<std::vector<std::string>> rows{{"TABLE", "ROWS SAVED", "ROWS LOST", "PAGES LOST"}};
  for (const auto& each : found->tables)
    rows.push_back({each.name, std::to_string(each.rows), std::to_string(each.rows_lost),
                    std::to_string(each.pages_lost)});
  std::printf("%s", table(rows).c_str());
  for (const auto& what : found->not_made) std::printf("not made: %s\n", what.c_str());
  std::printf(
      "%s: %s\n", args.target.c_str(),
      found->complete()
          ? "nothing was lost."
          : fmt::format("{} damaged pages; what was on them is lost.", found->damaged_pages.size()).c_str());
  return kDone;
}

int export_key(const DbArgs& args) {
  const auto target = find_database(args);
  if (!target) return report(target.error());
  if (target->kind == DbKind::file)
    return report({Code::invalid, args.database + " is opened by what you would be shown",
                   "Name a user's address, or directory, sessions or spool"});
  const Secret key = target->key.exported();
  if (args.json)
    std::printf(R"({"path":%s,"cipher":"chacha20","key":"%.*s"})"
                "\n",
                json::serialize(json::value(target->path.string())).c_str(), static_cast<int>(key.size()),
                key.text().data());
  else
    std::printf("%.*s\n", static_cast<int>(key.size()), key.text().data());
  if (!args.json && shows_progress())
    std::fprintf(stderr,
                 "Opens %s in any SQLite3 Multiple Ciphers tool: PRAGMA key = 'raw:…'. Whoever has it reads\n"
                 "all that is in the file, now and later: no password change takes it back.\n",
                 target->path.c_str());
  return kDone;
}

}  // namespace

void describe_db_copy(Command& db) {
  auto args = std::make_shared<Args>();
  auto& copying = db.command("backup", "Copies a database and verifies the copy.");
  args->describe(copying);
  copying.positional("NEW", args->target, "The copy; it must not exist.");
  args->fresh.describe(copying, true);
  copying.manual(
      "The copy has the same key unless another is given, or none with --plain. It has its name only when\n"
      "every page of it was read back and verified. `muhur doctor` knows when each database was last "
      "copied.");
  copying.run([args] { return backup(*args); });

  auto& saving = db.command("salvage", "Saves what verifies of a damaged database into a new one.");
  args->describe(saving);
  saving.positional("NEW", args->target, "The new database; it must not exist.");
  args->fresh.describe(saving, true);
  saving.manual("The damaged file is only read. What could not be saved is listed, by table.");
  saving.run([args] { return salvage(*args); });

  auto& exporting = db.command("export-key", "Prints the key that opens a mailbox in other tools.");
  args->describe(exporting);
  exporting.manual(
      "Asks for the user's password and prints raw: and 64 hex digits. With it the `sqlite3` shell and\n"
      "libmuhur_vault, or any SQLite3 Multiple Ciphers tool, open the file while no server uses it\n"
      "(docs/vault.md). Whoever has the key reads the mailbox whatever the password becomes.");
  exporting.run([args] { return export_key(*args); });
}

}  // namespace muhur::cli
