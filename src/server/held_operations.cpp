#include "server/held_operations.hpp"

#include <boost/json/array.hpp>

#include "server/operations.hpp"

namespace muhur::server {
namespace json = boost::json;
namespace {

Result<std::int64_t> id_of(const json::value& value) {
  if (!value.is_int64()) return fail(Code::invalid, "the id of a held message is a number");
  return value.get_int64();
}

// Those that the request names.
Result<std::vector<std::int64_t>> wanted(mail::PostOffice& office, const json::object& request) {
  std::vector<std::int64_t> ids;
  if (const auto* named = request.if_contains("ids"); named && named->is_array()) {
    for (const auto& one : named->get_array()) {
      MUHUR_TRY(const std::int64_t id, id_of(one));
      ids.push_back(id);
    }
    return ids;
  }
  const auto* address = request.if_contains("address");
  const auto* all = request.if_contains("all");
  accounts::UserId of = 0;
  if (address && address->is_string()) {
    MUHUR_TRY(const auto user, office.users().by_address(std::string_view(address->get_string())));
    of = user.id;
  } else if (!all || !all->is_bool() || !all->get_bool()) {
    return fail(Code::invalid, "no held message is named", "Name their ids, or a user, or all");
  }
  MUHUR_TRY(const auto held, office.spool().held());
  for (const auto& one : held)
    if (of == 0 || one.user == of) ids.push_back(one.id);
  return ids;
}

}  // namespace

Result<json::object> list_held(mail::PostOffice& office, const json::object&) {
  MUHUR_TRY(const auto held, office.spool().held());
  json::array list;
  for (const auto& one : held) {
    const auto owner = office.users().by_id(one.user);
    list.push_back(json::object{{"id", one.id},
                                {"address", owner ? owner->address : std::string()},
                                {"received", format_time(one.received_ms)},
                                {"held", format_time(one.held_ms)},
                                {"size", one.size},
                                {"reason", one.reason}});
  }
  return json::object{{"held", std::move(list)}};
}

Result<json::object> release_held(mail::PostOffice& office, const json::object& request) {
  MUHUR_TRY(const auto ids, wanted(office, request));
  MUHUR_CHECK(office.release_held(ids));
  return json::object{{"released", ids.size()}};
}

Result<json::object> discard_held(mail::PostOffice& office, const json::object& request) {
  const auto* named = request.if_contains("id");
  MUHUR_TRY(const std::int64_t id, id_of(named ? *named : json::value()));
  MUHUR_CHECK(office.spool().discard_held(id));
  return json::object{};
}

}  // namespace muhur::server
