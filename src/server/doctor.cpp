#include "server/doctor.hpp"

#include <fmt/format.h>

#include <boost/json/array.hpp>
#include <set>

namespace muhur::server {
namespace json = boost::json;
namespace {

// Empty when all is well, else what is wrong.
std::string integrity(vault::Database& database) {
  const auto found =
      database.read([](vault::Connection& c) { return c.query_text("PRAGMA integrity_check"); });
  if (!found) return found.error().text();
  return *found == "ok" ? "" : *found;
}

std::string uids(mailbox::Mailbox& mailbox, std::size_t& messages) {
  const auto folders = mailbox.folders();
  if (!folders) return folders.error().text();
  for (const auto& folder : *folders) {
    const auto listed = mailbox.list(folder.id);
    if (!listed) return listed.error().text();
    std::set<mailbox::Uid> seen;
    for (const auto& row : listed->changed) {
      if (!seen.insert(row.uid).second) return fmt::format("{}: UID {} twice", folder.path, row.uid);
      if (row.uid >= listed->folder.uid_next)
        return fmt::format("{}: UID {} beyond UIDNEXT", folder.path, row.uid);
      ++messages;
    }
  }
  return {};
}

}  // namespace

Result<json::object> check_health(mail::PostOffice& office, const json::object& request) {
  json::array checks;
  bool sound = true;
  const auto report = [&](std::string name, const std::string& wrong, std::string fine = "ok") {
    sound = sound && wrong.empty();
    checks.push_back({{"name", name}, {"ok", wrong.empty()}, {"detail", wrong.empty() ? fine : wrong}});
  };
  report("directory.db", integrity(office.directory().database()));
  if (const auto* users = request.if_contains("users"); users && users->is_array()) {
    for (const auto& user : users->get_array()) {
      if (!user.is_object()) return fail(Code::invalid, "a user is not an object");
      const auto* address = user.get_object().if_contains("address");
      const auto* password = user.get_object().if_contains("password");
      if (!address || !address->is_string() || !password || !password->is_string())
        return fail(Code::invalid, "a user needs address and password");
      const std::string name(address->get_string());
      const auto session =
          office.sign_in_blocking(name, as_bytes(std::string_view(password->get_string())), "admin");
      if (!session) {
        report(name, session.error().text());
        continue;
      }
      std::size_t messages = 0;
      std::string wrong = integrity(session->mailbox->database());
      if (wrong.empty()) wrong = uids(*session->mailbox, messages);
      report(name, wrong, fmt::format("ok, {} messages", messages));
    }
  }
  return json::object{{"checks", std::move(checks)}, {"sound", sound}};
}

}  // namespace muhur::server
