// muhur user import: users with their password hashes from another system.
#include <fmt/format.h>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <cstdio>
#include <fstream>
#include <sstream>

#include "cli/mail_system.hpp"
#include "cli/terminal.hpp"
#include "server/operations.hpp"
#include "server/user_file.hpp"
#include "server/user_operations.hpp"

namespace muhur::cli {
namespace {

namespace json = boost::json;

constexpr std::size_t kInARequest = 200;
constexpr std::size_t kShown = 20;

struct Args {
  Where where;
  std::string file;
  bool dry_run = false, skip_bad = false, skip_existing = false, json = false;
};

struct Import {
  std::vector<server::UserLine> users;
  std::vector<server::BadLine> bad;
  std::size_t existing = 0;  // left out by --skip-existing
  std::size_t imported = 0;
};

Result<std::string> read_all(const std::string& name) {
  if (name == "-") {
    auto text = read_standard_input(server::kLargestUserFile);
    if (!text && text.error().code == Code::limit)
      return fail(Code::limit, "standard input has more than 256 MiB", "Import it in parts");
    return text;
  }
  std::ifstream in(name, std::ios::binary);
  if (!in) return fail_errno(errno, "open " + name);
  std::error_code error;
  const auto size = std::filesystem::file_size(name, error);
  if (!error && size > server::kLargestUserFile)
    return fail(Code::limit, name + " is larger than 256 MiB", "Import it in parts");
  std::stringstream text;
  text << in.rdbuf();
  return std::move(text).str();
}

// All of them in requests; `told` hears of each problem with its place among the users.
template <class Told>
Result<void> send(MailSystem& system, const char* title, Import& import, bool check, Told told) {
  Progress progress(title, import.users.size());
  for (std::size_t from = 0; from < import.users.size(); from += kInARequest) {
    std::vector<const accounts::Credentials::Imported*> some;
    const auto end = std::min(import.users.size(), from + kInARequest);
    for (std::size_t i = from; i < end; ++i) some.push_back(&import.users[i].user);
    MUHUR_TRY(const auto reply, system.ask(server::import_request(some, check)));
    for (const auto& item : reply.at("problems").as_array()) {
      const auto& problem = item.as_object();
      MUHUR_CHECK(told(from + static_cast<std::size_t>(problem.at("index").as_int64()),
                       server::error_of_reply({{"error", problem}})));
    }
    import.imported += static_cast<std::size_t>(reply.at("imported").as_int64());
    progress.at(end);
  }
  return {};
}

// What only the directory knows: addresses that are taken, domains that are not here.
Result<void> check(MailSystem& system, const Args& args, Import& import) {
  std::vector<bool> leave(import.users.size());
  MUHUR_CHECK(send(system, "Checking", import, true, [&](std::size_t at, Error error) -> Result<void> {
    leave[at] = true;
    if (error.code == Code::exists && args.skip_existing) {
      ++import.existing;
      return {};
    }
    if (error.code == Code::exists) error.remedy = "Leave out who is here already with --skip-existing";
    import.bad.push_back({import.users[at].line, std::move(error)});
    return {};
  }));
  std::vector<server::UserLine> good;
  for (std::size_t i = 0; i < import.users.size(); ++i)
    if (!leave[i]) good.push_back(std::move(import.users[i]));
  import.users = std::move(good);
  std::ranges::sort(import.bad, {}, &server::BadLine::line);
  return {};
}

void print_bad(const Import& import) {
  for (std::size_t i = 0; i < std::min(import.bad.size(), kShown); ++i)
    fmt::print(stderr, "line {}: {}\n", import.bad[i].line, import.bad[i].error.text());
  if (import.bad.size() > kShown) fmt::print(stderr, "… and {} more lines\n", import.bad.size() - kShown);
}

void print_json(const Args& args, const Import& import, const Error* error) {
  json::array bad;
  for (const auto& [line, why] : import.bad)
    bad.push_back({{"line", line}, {"code", name_of(why.code)}, {"what", why.what}, {"remedy", why.remedy}});
  json::object out{{"ok", error == nullptr},      {"dry_run", args.dry_run},
                   {"imported", import.imported}, {"importable", import.users.size()},
                   {"existing", import.existing}, {"bad", std::move(bad)}};
  if (error) out["error"] = error->text();
  std::printf("%s\n", json::serialize(out).c_str());
}

int finish(const Args& args, const Import& import, const Error* error) {
  if (args.json)
    print_json(args, import, error);
  else
    print_bad(import);
  if (error) return report(*error);
  if (args.json) return kDone;
  if (args.dry_run)
    fmt::print("{} users can be imported", import.users.size());
  else
    fmt::print("Imported {} users", import.imported);
  if (import.existing > 0) fmt::print(", {} were here already", import.existing);
  if (!import.bad.empty()) fmt::print(", {} lines were left out", import.bad.size());
  fmt::print(".\n");
  if (!args.dry_run && import.imported > 0)
    fmt::print("Each gets the mailbox at the first sign-in; until then mail to it is asked to come again.\n");
  return kDone;
}

int run(const Args& args) {
  const auto text = read_all(args.file);
  if (!text) return report(text.error());
  auto file = server::read_user_file(*text);
  if (!file) return report(file.error());
  Import import{.users = std::move(file->users), .bad = std::move(file->bad)};
  auto system = MailSystem::find(args.where);
  if (!system) return report(system.error());
  if (const auto checked = check(*system, args, import); !checked)
    return finish(args, import, &checked.error());
  if (!import.bad.empty() && !args.skip_bad) {
    const Error refused{
        Code::invalid, fmt::format("{} lines cannot be imported, and nothing was written", import.bad.size()),
        "Correct them, or leave them out with --skip-bad"};
    return finish(args, import, &refused);
  }
  if (args.dry_run) return finish(args, import, nullptr);
  const auto sent = send(*system, "Importing", import, false, [](std::size_t, Error error) -> Result<void> {
    return std::unexpected(std::move(error));
  });
  if (sent) return finish(args, import, nullptr);
  Error error = sent.error();
  error.what = fmt::format("stopped after {} users: {}", import.imported, error.what);
  error.remedy = "Run it again with --skip-existing. " + error.remedy;
  return finish(args, import, &error);
}

}  // namespace

void describe_user_import(Command& user) {
  auto args = std::make_shared<Args>();
  auto& command = user.command("import", "Imports users with their password hashes from another system.");
  command.positional("FILE", args->file, "JSON lines or CSV; `-` for standard input.");
  args->where.describe(command);
  command.flag("--dry-run", args->dry_run, "Says what would be done, and writes nothing.");
  command.flag("--skip-bad", args->skip_bad, "Leaves out lines that cannot be imported.");
  command.flag("--skip-existing", args->skip_existing, "Leaves out who is here already.");
  command.flag("--json", args->json, "Prints one line of JSON.");
  command.manual(
      "One user a line, as JSON or as CSV whose first line names the columns:\n"
      "  address   a@example.org; its domain has to be here\n"
      "  hash      $2a$ $2b$ $2y$ (bcrypt), $argon2id$, $argon2i$, $6$ $5$ $y$ $1$; also with a scheme in\n"
      "            front, as Dovecot ({BLF-CRYPT}, {ARGON2ID} …), Spring and Django write it\n"
      "  name, quota (2GiB), admin, disabled       may be left out\n"
      "  A field of CSV with commas in it, as an Argon2 hash has them, stands in quotes.\n"
      "  mailbox   false: an account for signing in elsewhere, without mail\n"
      "Users of a Keycloak export: jq -c '.users[]' realm.json | muhur user import -\n\n"
      "Unless all lines are good nothing is written. The mailbox and its keys are made when its owner first\n"
      "signs in, by IMAP or a browser; the hash is replaced by Argon2id then. Ask for the recovery key with\n"
      "`muhur user recovery-key`.");
  command.run([args] { return run(*args); });
}

}  // namespace muhur::cli
