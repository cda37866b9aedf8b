#include "cli/db_target.hpp"

#include <fmt/format.h>

#include <fstream>

#include "accounts/sign_in.hpp"
#include "base/log.hpp"
#include "cli/terminal.hpp"
#include "server/data_directory.hpp"
#include "vault/page_cipher.hpp"

namespace muhur::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestKeyFile = 4096;

Result<Secret> contents(const std::string& file) {
  std::ifstream in;
  in.rdbuf()->pubsetbuf(nullptr, 0);  // no copy of it in a buffer
  in.open(file, std::ios::binary);
  if (!in) return fail_errno(errno, "open " + file);
  Secret all(kLargestKeyFile + 1);
  in.read(reinterpret_cast<char*>(all.writable().data()), static_cast<std::streamsize>(all.size()));
  const auto size = static_cast<std::size_t>(in.gcount());
  if (size == 0 || size > kLargestKeyFile) return fail(Code::invalid, file + " does not hold a key");
  return all.slice(0, size);
}

// 32 bytes, or a line as `muhur db export-key` prints it.
Result<vault::Key> read_key_file(const std::string& file) {
  MUHUR_TRY(const Secret all, contents(file));
  if (all.size() == vault::kKeySize) return vault::Key::raw(all);
  const auto end = all.text().find_first_of("\r\n");
  vault::Key key = vault::Key::parse(all.view().first(std::min(end, all.size())));
  if (!key.is_raw())
    return fail(Code::invalid, file + " does not hold a raw key",
                "It is 32 bytes, or a line as `muhur db export-key` prints; a passphrase goes with "
                "--passphrase-file");
  return key;
}

Result<vault::Key> read_passphrase_file(const std::string& file) {
  MUHUR_TRY(const Secret line, read_password({file}, "", false));
  return vault::Key::passphrase(line.view());
}

bool is_plain_database(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::array<char, 16> magic{};
  in.read(magic.data(), magic.size());
  return std::string_view(magic.data(), magic.size()) == vault::kMagic || (in.gcount() == 0 && in.eof());
}

Result<server::Config> lock_data(const DbArgs& args, DbTarget& target) {
  MUHUR_TRY(auto config, args.where.load());
  log::set_level("warn");
  if (!fs::exists(config.data))
    return fail(Code::not_found, "there is no data directory " + config.data.string());
  MUHUR_TRY(auto lock, mail::DataLock::take(config.data));
  target.data_lock.emplace(std::move(lock));
  target.data = config.data;
  server::use_temp_directory(config.data);
  return config;
}

Result<DbTarget> find_mailbox(const DbArgs& args) {
  DbTarget target{.kind = DbKind::mailbox};
  MUHUR_TRY(const auto config, lock_data(args, target));
  MUHUR_TRY(const Secret password,
            read_password({args.password_file}, "Password of " + args.database, false));
  MUHUR_TRY(const Secret server_key, accounts::read_server_key(config.server_key));
  MUHUR_TRY(const auto directory, accounts::Directory::open(config.data, server_key, false));
  accounts::SignIn signing_in(*directory, config.argon2);
  MUHUR_TRY(const auto signed_in, signing_in.with_password(args.database, password.view(), "local"));
  if (signed_in.dek.empty())
    return fail(Code::not_found, args.database + " has no mailbox",
                "That of an imported user is made at the first sign-in");
  target.path = config.data / "mail" / (signed_in.user.mailbox_id + ".db");
  target.key = vault::Key::raw(signed_in.dek);
  return target;
}

std::optional<std::string> server_database(const std::string& name) {
  for (const char* const one : {"directory", "sessions", "spool"})
    if (name == one && !fs::exists(name)) return name;
  return std::nullopt;
}

Result<DbTarget> find_server_database(const DbArgs& args, const std::string& name) {
  DbTarget target{.kind = DbKind::server};
  MUHUR_TRY(const auto config, lock_data(args, target));
  MUHUR_TRY(const Secret server_key, accounts::read_server_key(config.server_key));
  target.path = config.data / (name + ".db");
  target.key = accounts::database_key(server_key, name);
  if (!fs::exists(target.path)) return fail(Code::not_found, "there is no " + target.path.string());
  return target;
}

Result<DbTarget> find_file(const DbArgs& args) {
  DbTarget target{.path = args.database, .cipher = args.cipher};
  std::error_code error;
  if (!fs::exists(target.path, error))
    return fail(Code::not_found, "there is no file " + args.database,
                "Name a file, a user's address, or directory, sessions or spool");
  if (!fs::is_regular_file(target.path, error)) return fail(Code::invalid, args.database + " is not a file");
  if (!args.key_file.empty()) {
    MUHUR_TRY(target.key, read_key_file(args.key_file));
  } else if (!args.passphrase_file.empty()) {
    MUHUR_TRY(target.key, read_passphrase_file(args.passphrase_file));
  } else if (!is_plain_database(target.path)) {
    MUHUR_TRY(const Secret line, read_password({}, "Passphrase or raw key of " + args.database, false));
    target.key = vault::Key::parse(line.view());
  }
  return target;
}

}  // namespace

void DbArgs::describe(Command& command) {
  command.positional("DATABASE", database,
                     "A user's address, or directory, sessions or spool, or the path of any database file.");
  where.describe(command);
  command.option("--password-file", "FILE", password_file, "The user's password: FILE's first line.");
  command.option("--key-file", "FILE", key_file, "A file's raw key: 32 bytes, or raw: and 64 hex digits.");
  command.option("--passphrase-file", "FILE", passphrase_file, "A file's passphrase: FILE's first line.");
  command.option("--cipher", "NAME", cipher,
                 "A file's cipher: chacha20, sqleet, aes256cbc. Default: found out.");
  command.flag("--json", json, "Prints JSON instead of text.");
}

Result<DbTarget> find_database(const DbArgs& args) {
  if (!args.cipher.empty() && args.cipher != "chacha20" && args.cipher != "sqleet" &&
      args.cipher != "aes256cbc")
    return fail(Code::invalid, "there is no cipher " + args.cipher, "chacha20, sqleet or aes256cbc");
  harden_process();
  if (args.database.find('@') != std::string::npos && !fs::exists(args.database)) return find_mailbox(args);
  if (const auto name = server_database(args.database)) return find_server_database(args, *name);
  return find_file(args);
}

Result<OpenDb> open_database(const DbTarget& target, vault::OpenMode mode) {
  MUHUR_TRY(auto lock, vault::LockFile::acquire(target.path));
  vault::OpenOptions options{
      .path = target.path, .key = &target.key, .mode = mode, .cipher = target.cipher, .bare = true};
  options.profile.busy_timeout_ms = 2000;
  MUHUR_TRY(auto connection, vault::Connection::open(options));
  MUHUR_CHECK(connection->exec("PRAGMA secure_delete=ON; PRAGMA trusted_schema=OFF"));
  return OpenDb{std::move(lock), std::move(connection)};
}

void NewKeyArgs::describe(Command& command, bool may_be_plain) {
  command.option("--new-key-file", "FILE", key_file, "The new raw key: 32 bytes, or raw: and 64 hex digits.");
  command.option("--new-passphrase-file", "FILE", passphrase_file, "The new passphrase: FILE's first line.");
  if (may_be_plain) command.flag("--plain", plain, "The new file is not encrypted.");
}

Result<vault::Key> NewKeyArgs::read(const std::string& prompt) const {
  if (plain) return vault::Key();
  if (!key_file.empty()) return read_key_file(key_file);
  if (!passphrase_file.empty()) return read_passphrase_file(passphrase_file);
  MUHUR_TRY(const Secret line, read_password({}, prompt, true));
  return vault::Key::parse(line.view());
}

std::function<void(std::uint64_t, std::uint64_t)> progress_bar(const std::string& title) {
  constexpr std::uint64_t kSteps = 1000;
  auto bar = std::make_shared<Progress>(title, kSteps);
  return [bar](std::uint64_t done, std::uint64_t all) {
    if (all > 0) bar->at(kSteps * std::min(done, all) / all);
  };
}

}  // namespace muhur::cli
