// Whether what is stored is what was written.
#include <fmt/format.h>

#include <set>

#include "server/doctor.hpp"

namespace muhur::server {
namespace json = boost::json;
namespace {

constexpr const char* kDamaged =
    "`muhur db check` names the pages; restore a backup, or `muhur db salvage` what verifies";

Check integrity(std::string name, vault::Database& database) {
  const auto found =
      database.read([](vault::Connection& c) { return c.query_text("PRAGMA integrity_check"); });
  if (!found) return failure(std::move(name), found.error());
  return *found == "ok" ? fine(std::move(name), "ok") : failure(std::move(name), *found, kDamaged);
}

Check uids(std::string name, mailbox::Mailbox& mailbox) {
  const auto folders = mailbox.folders();
  if (!folders) return failure(std::move(name), folders.error());
  std::size_t messages = 0;
  for (const auto& folder : *folders) {
    const auto listed = mailbox.list(folder.id);
    if (!listed) return failure(std::move(name), listed.error());
    std::set<mailbox::Uid> seen;
    for (const auto& row : listed->changed) {
      if (!seen.insert(row.uid).second)
        return failure(std::move(name), fmt::format("{}: UID {} twice", folder.path, row.uid), kDamaged);
      if (row.uid >= listed->folder.uid_next)
        return failure(std::move(name), fmt::format("{}: UID {} beyond UIDNEXT", folder.path, row.uid),
                       kDamaged);
      ++messages;
    }
  }
  return fine(std::move(name), fmt::format("ok, {} messages", messages));
}

Check of_user(mail::PostOffice& office, const json::value& user) {
  const auto* fields = user.if_object();
  const auto* address = fields ? fields->if_contains("address") : nullptr;
  const auto* password = fields ? fields->if_contains("password") : nullptr;
  if (!address || !address->is_string() || !password || !password->is_string())
    return failure("user", "a user needs address and password", "");
  std::string name(address->get_string());
  const auto session =
      office.sign_in_blocking(name, as_bytes(std::string_view(password->get_string())), "admin");
  if (!session) return failure(std::move(name), session.error());
  Check check = integrity(name, session->mailbox->database());
  return check.verdict == Verdict::ok ? uids(std::move(name), *session->mailbox) : check;
}

Check held(mail::Spool& spool) {
  const auto figures = spool.figures();
  if (!figures) return failure("waiting mail", figures.error());
  if (figures->held > 0)
    return warning("waiting mail",
                   fmt::format("{} messages could not be moved to their mailbox", figures->held),
                   "`muhur held list` names them and the reasons; `muhur held release` tries them again");
  return fine("waiting mail", fmt::format("{} messages, {} bytes", figures->deliveries, figures->bytes));
}

}  // namespace

Checks check_integrity(mail::PostOffice& office, const json::object& request) {
  Checks checks{integrity("directory.db", office.directory().database()),
                integrity("spool.db", office.spool().database()), held(office.spool())};
  if (const auto* users = request.if_contains("users"))
    for (const auto& user : users->as_array()) checks.push_back(of_user(office, user));
  return checks;
}

}  // namespace muhur::server
