// muhur db rekey, muhur db migrate, muhur db vacuum.
#include <fmt/format.h>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <cstdio>

#include "cli/cmd_db.hpp"
#include "cli/db_target.hpp"
#include "cli/terminal.hpp"
#include "server/config_keys.hpp"
#include "vault/migrate_cipher.hpp"
#include "vault/rekey.hpp"
#include "vault/statistics.hpp"
#include "vault/step_progress.hpp"
#include "vault/vfs.hpp"

namespace muhur::cli {
namespace {

namespace json = boost::json;

struct Args : DbArgs {
  NewKeyArgs fresh;
};

int print(bool as_json, json::object object, const std::string& text) {
  object["ok"] = true;
  std::printf("%s\n", as_json ? json::serialize(object).c_str() : text.c_str());
  return kDone;
}

// The keys of Muhur's own databases are kept elsewhere: wrapped under credentials, or made of server.key.
Result<DbTarget> find_foreign(const Args& args) {
  MUHUR_TRY(auto target, find_database(args));
  if (target.kind != DbKind::file)
    return fail(
        Code::unsupported, args.database + " has a key that Muhur itself keeps",
        "It is chacha20 already; a password is changed with `muhur user passwd`, which rewraps the key");
  return target;
}

Result<void> change_key(const DbTarget& target, const vault::Key& key) {
  MUHUR_TRY(const OpenDb db, open_database(target));
  return vault::rekey(*db.connection, key, progress_bar("Encrypting anew"));
}

int rekey(const Args& args) {
  const auto target = find_foreign(args);
  if (!target) return report(target.error());
  if (target->key.empty())
    return report({Code::invalid, args.database + " is not encrypted", "`muhur db migrate` encrypts it"});
  const auto key = args.fresh.read("New passphrase");
  if (!key) return report(key.error());
  if (const auto done = change_key(*target, *key); !done) return report(done.error());
  return print(args.json, {{"path", args.database}}, args.database + " has its new key.");
}

// What became of the copy that an interrupted run left; empty: none was there.
std::string tell_resumed(const vault::CipherMigrated& done) {
  if (!done.started_over.empty())
    return fmt::format("The copy that an interrupted run left was made anew: {}.\n", done.started_over);
  if (done.rows_kept > 0)
    return fmt::format("Went on from an interrupted run: {} rows were there, {} were copied.\n",
                       done.rows_kept, done.rows_copied);
  return {};
}

int migrate(const Args& args) {
  const auto target = find_foreign(args);
  if (!target) return report(target.error());
  vault::Key key;
  if (args.fresh.given() || target->key.empty()) {
    auto read = args.fresh.read("New passphrase");
    if (!read) return report(read.error());
    key = std::move(*read);
  }
  auto bar = progress_bar("Migrating");
  const auto done = vault::migrate_cipher({.path = target->path,
                                           .key = &target->key,
                                           .cipher = target->cipher,
                                           .new_key = &key,
                                           .progress = bar});
  bar = {};
  if (!done) return report(done.error());
  const std::string from = done->from == "none" ? "plain" : done->from;
  return print(args.json,
               {{"path", args.database},
                {"changed", done->changed},
                {"from", done->from},
                {"to", "chacha20"},
                {"bytes_before", done->bytes_before},
                {"bytes_after", done->bytes_after},
                {"rows_copied", done->rows_copied},
                {"rows_kept", done->rows_kept},
                {"started_over", done->started_over}},
               done->changed
                   ? fmt::format("{}{} is chacha20 now; it was {}.", tell_resumed(*done), args.database, from)
                   : fmt::format("{} is chacha20 already.", args.database));
}

// VACUUM writes every page to a temporary database first and then back.
Result<std::pair<std::uint64_t, std::uint64_t>> shrink(const DbTarget& target) {
  MUHUR_TRY(const OpenDb db, open_database(target));
  vault::Connection& connection = *db.connection;
  MUHUR_TRY(const auto before, vault::file_figures(connection));
  const std::uint64_t bytes = before.page_count * before.page_size;
  std::error_code error;
  const auto space = std::filesystem::space(std::filesystem::absolute(target.path).parent_path(), error);
  if (!error && space.available < 2 * bytes)
    return fail(Code::no_space,
                fmt::format("VACUUM needs {} for a moment and the file system has {}",
                            server::format_size(2 * bytes), server::format_size(space.available)),
                "Free some space first");
  const auto bar = progress_bar("Rewriting");
  const auto began = vault::cipher_figures();
  const vault::StepProgress steps(connection, [&] {
    const auto now = vault::cipher_figures();
    const std::uint64_t written = (now.temp_blocks - began.temp_blocks) * 4096 / before.page_size +
                                  (now.pages_encrypted - began.pages_encrypted);
    bar(written, 2 * before.page_count);
  });
  MUHUR_CHECK(connection.exec("VACUUM"));
  MUHUR_TRY(const auto after, vault::file_figures(connection));
  return std::pair(bytes, after.page_count * after.page_size);
}

int vacuum(const Args& args) {
  const auto target = find_database(args);
  if (!target) return report(target.error());
  const auto done = shrink(*target);
  if (!done) return report(done.error());
  return print(
      args.json,
      {{"path", target->path.string()}, {"bytes_before", done->first}, {"bytes_after", done->second}},
      fmt::format("{}: {} before, {} now.", target->path.string(), server::format_size(done->first),
                  server::format_size(done->second)));
}

}  // namespace

void describe_db_change(Command& db) {
  auto args = std::make_shared<Args>();
  auto& rekeying = db.command("rekey", "Gives an encrypted file another key, in place.");
  args->describe(rekeying);
  args->fresh.describe(rekeying, false);
  rekeying.manual(
      "Every page is encrypted anew under a rollback journal: a crash at any moment leaves a file that "
      "opens\n"
      "under the old key, whole, the next time. Copies of the old pages may stay on the disk where the file\n"
      "system put them. From standard input: the old passphrase on the first line, the new one on the next.");
  rekeying.run([args] { return rekey(*args); });

  auto& migrating = db.command("migrate", "Moves a file from an older cipher, or from none, to chacha20.");
  args->describe(migrating);
  args->fresh.describe(migrating, false);
  migrating.manual(
      "Reads aes256cbc, sqleet (with --cipher sqleet) and plain databases. The new file is written beside "
      "the\n"
      "old one, every page verified, every row compared, and takes its name in one step; whenever it is\n"
      "interrupted, the old file is there unharmed, and the same command with the same new key goes on "
      "where\n"
      "it stopped. When the old file has changed meanwhile it starts over, and says so. The passphrase "
      "stays\n"
      "unless a new one is given; a plain file needs one. Needs the file's size in free space.");
  migrating.run([args] { return migrate(*args); });

  auto& shrinking = db.command("vacuum", "Rewrites a database without its free pages.");
  args->describe(shrinking);
  shrinking.manual("Needs twice the file's size in free space for a moment, and says so before it begins.");
  shrinking.run([args] { return vacuum(*args); });
}

}  // namespace muhur::cli
