// muhur db shell: SQL typed by a person.
#include <fmt/format.h>
#include <unistd.h>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <cstdio>

#include "base/encoding.hpp"
#include "base/unicode.hpp"
#include "cli/cmd_db.hpp"
#include "cli/db_target.hpp"
#include "cli/terminal.hpp"
#include "vault/query.hpp"

namespace muhur::cli {
namespace {

namespace json = boost::json;

constexpr std::size_t kShownRows = 10'000;  // of one statement in a table, which is laid out as a whole

struct Args : DbArgs {
  std::string command;
  bool write = false;
};

std::string shown(const vault::Value& value) {
  struct Show {
    std::string operator()(std::monostate) const { return "NULL"; }
    std::string operator()(std::int64_t number) const { return std::to_string(number); }
    std::string operator()(double number) const { return fmt::format("{}", number); }
    std::string operator()(const std::string& text) const {
      std::string out;
      for (const char c : text) out += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c;
      return out;
    }
    std::string operator()(const Bytes& bytes) const {
      constexpr std::size_t kMost = 32;
      const auto head = to_hex(ByteView(bytes).first(std::min(bytes.size(), kMost)));
      return bytes.size() > kMost ? fmt::format("x'{}…' ({} bytes)", head, bytes.size())
                                  : fmt::format("x'{}'", head);
    }
  };
  return std::visit(Show(), value);
}

json::value as_json(const vault::Value& value) {
  struct Show {
    json::value operator()(std::monostate) const { return nullptr; }
    json::value operator()(std::int64_t number) const { return number; }
    json::value operator()(double number) const { return number; }
    json::value operator()(const std::string& text) const { return json::value(text); }
    json::value operator()(const Bytes& bytes) const { return {{"hex", to_hex(bytes)}}; }
  };
  return std::visit(Show(), value);
}

class Shell {
 public:
  Shell(vault::Connection& connection, bool json) : connection_(connection), json_(json) {}

  // Whole statements. False: an error was shown.
  bool run(std::string_view sql) {
    std::vector<std::vector<std::string>> rows;
    const auto done = vault::query(connection_, sql, [&](const auto& columns, const auto& row) {
      if (json_) {
        json::object object;
        for (std::size_t i = 0; i < row.size(); ++i) object[columns[i]] = as_json(row[i]);
        std::printf("%s\n", json::serialize(object).c_str());
        return true;
      }
      if (!rows.empty() && rows[0] != columns) show(rows);
      if (rows.empty()) rows.push_back(columns);
      std::vector<std::string> texts;
      for (const auto& value : row) texts.push_back(shown(value));
      rows.push_back(std::move(texts));
      if (rows.size() > kShownRows) show(rows);
      return true;
    });
    show(rows);
    if (!done) report(done.error());
    return done.has_value();
  }

  // A line that begins with a dot. False: leave.
  bool command(std::string_view line) {
    if (line == ".quit" || line == ".exit" || line == ".q") return false;
    if (line == ".tables") {
      run("SELECT type, name FROM sqlite_schema WHERE type IN ('table','view') AND name NOT LIKE "
          "'sqlite\\_%' "
          "ESCAPE '\\' ORDER BY name");
    } else if (line == ".schema" || line.starts_with(".schema ")) {
      schema(line.substr(std::min<std::size_t>(line.size(), 8)));
    } else {
      std::fprintf(line == ".help" ? stdout : stderr,
                   ".tables         lists tables and views\n"
                   ".schema [NAME]  shows how they were made\n"
                   ".quit           ends (as does the end of input)\n"
                   "Anything else is SQL, up to a semicolon.\n");
    }
    return true;
  }

 private:
  static void show(std::vector<std::vector<std::string>>& rows) {
    if (!rows.empty()) std::printf("%s", table(rows).c_str());
    std::fflush(stdout);
    rows.clear();
  }

  void schema(std::string_view name) {
    const auto done = vault::query(
        connection_,
        "SELECT sql, tbl_name FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY tbl_name, type DESC",
        [&](const auto&, const auto& row) {
          const auto* sql = std::get_if<std::string>(&row[0]);
          const auto* of = std::get_if<std::string>(&row[1]);
          if (sql && of && (name.empty() || equals_ignoring_case(*of, name)))
            std::printf("%s;\n", sql->c_str());
          return true;
        });
    if (!done) report(done.error());
  }

  vault::Connection& connection_;
  const bool json_;
};

// One line of standard input without reading ahead: a password may have stood before it.
std::optional<std::string> next_line() {
  std::string line;
  char c = 0;
  while (true) {
    const ssize_t got = ::read(STDIN_FILENO, &c, 1);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return line.empty() ? std::nullopt : std::optional(line);
    if (c == '\n') return line;
    line += c;
  }
}

int converse(Shell& shell) {
  const bool person = at_terminal();
  bool all_well = true;
  std::string sql;
  while (true) {
    if (person) std::printf("%s", sql.empty() ? "muhur> " : "   ...> ");
    std::fflush(stdout);
    const auto line = next_line();
    if (!line) break;
    if (sql.empty() && line->starts_with(".")) {
      if (!shell.command(*line)) break;
      continue;
    }
    if (sql.empty() && line->find_first_not_of(" \t\r") == line->npos) continue;
    sql += *line + "\n";
    if (!vault::is_complete(sql)) continue;
    all_well = shell.run(sql) && all_well;
    sql.clear();
  }
  if (!sql.empty()) all_well = shell.run(sql) && all_well;
  return all_well || person ? kDone : kFailed;
}

int shell(const Args& args) {
  const auto target = find_database(args);
  if (!target) return report(target.error());
  const auto db = open_database(*target);
  if (!db) return report(db.error());
  const auto ready = db->connection->exec(args.write ? "PRAGMA foreign_keys=ON" : "PRAGMA query_only=ON");
  if (!ready) return report(ready.error());
  Shell shell(*db->connection, args.json);
  if (!args.command.empty()) return shell.run(args.command) ? kDone : kFailed;
  if (at_terminal())
    std::printf("%s, %s%s. .help tells more.\n", target->path.c_str(),
                std::string(db->connection->cipher()).c_str(),
                args.write ? "" : ", read only (--write to change it)");
  return converse(shell);
}

}  // namespace

void describe_db_shell(Command& db) {
  auto args = std::make_shared<Args>();
  auto& command = db.command("shell", "Runs SQL on a database.");
  args->describe(command);
  command.option("--command", "SQL", args->command, "Runs this and ends.");
  command.flag("--write", args->write, "Statements may change the database.");
  command.manual(
      "Reads statements from the terminal or from standard input (behind the line of a password, when that "
      "is\n"
      "read there too). With --json each row is a line of JSON; a BLOB is {\"hex\":\"…\"}. Muhur relies on "
      "what is\n"
      "in its databases: change them only if you know what you do, and copy them before.\n\n"
      "Example:  muhur db shell alice@example.org --command 'SELECT count(*) FROM messages'");
  command.run([args] { return shell(*args); });
}

}  // namespace muhur::cli
