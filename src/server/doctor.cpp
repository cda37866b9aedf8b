#include "server/doctor.hpp"

#include <algorithm>

namespace muhur::server {
namespace json = boost::json;

std::string_view name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::ok:
      return "ok";
    case Verdict::warn:
      return "warn";
    case Verdict::fail:
      return "fail";
  }
  return "fail";
}

json::array as_json(const Checks& checks) {
  json::array all;
  for (const Check& check : checks)
    all.push_back({{"name", check.name},
                   {"verdict", name_of(check.verdict)},
                   {"ok", check.verdict != Verdict::fail},
                   {"detail", check.detail},
                   {"remedy", check.remedy}});
  return all;
}

Result<json::object> check_health(mail::PostOffice& office, const json::object& request) {
  if (const auto* users = request.if_contains("users"); users && !users->is_array())
    return fail(Code::invalid, "users are not a list");
  Checks checks = check_integrity(office, request);
  for (Check& check : check_storage(office)) checks.push_back(std::move(check));
  for (Check& check : check_process(office.options().data)) checks.push_back(std::move(check));
  const bool sound = std::ranges::none_of(checks, [](const auto& c) { return c.verdict == Verdict::fail; });
  return json::object{{"checks", as_json(checks)}, {"sound", sound}};
}

}  // namespace muhur::server
