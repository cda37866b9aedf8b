#include "server/user_operations.hpp"

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>

#include "oidc/json.hpp"

namespace muhur::server {
namespace json = boost::json;
namespace {

using Imported = accounts::Credentials::Imported;
constexpr std::size_t kMostInARequest = 1'000;
constexpr std::string_view kPeer = "admin";

std::string text(const json::object& object, std::string_view name) {
  return std::string(oidc::text_of(object, name).value_or(""));
}
bool flag(const json::object& object, std::string_view name) {
  const auto* value = object.if_contains(name);
  return value && value->is_bool() && value->get_bool();
}

Result<std::vector<Imported>> users_of(const json::object& request) {
  const auto* list = request.if_contains("users");
  if (!list || !list->is_array() || list->get_array().size() > kMostInARequest)
    return fail(Code::invalid, "users is not a list of at most 1000");
  std::vector<Imported> users;
  for (const auto& item : list->get_array()) {
    if (!item.is_object()) return fail(Code::invalid, "a user is not an object");
    const auto& one = item.get_object();
    const auto* quota = one.if_contains("quota");
    users.push_back({.address = text(one, "address"),
                     .display_name = text(one, "name"),
                     .record = text(one, "record"),
                     .with_mailbox = flag(one, "mailbox"),
                     .admin = flag(one, "admin"),
                     .disabled = flag(one, "disabled"),
                     .quota_bytes = quota && quota->is_int64() ? quota->get_int64() : 0});
  }
  return users;
}

}  // namespace

Result<json::object> import_users(mail::PostOffice& office, const json::object& request) {
  MUHUR_TRY(const auto users, users_of(request));
  MUHUR_TRY(const auto problems, office.credentials().check_import(users));
  json::array told;
  for (const auto& [index, error] : problems)
    told.push_back(
        {{"index", static_cast<std::int64_t>(index)}, {"code", name_of(error.code)}, {"what", error.what}, {"remedy", error.remedy}});
  const bool write = problems.empty() && !flag(request, "check");
  if (write) MUHUR_CHECK(office.credentials().import_users(users));
  return json::object{{"imported", write ? static_cast<std::int64_t>(users.size()) : 0}, {"problems", std::move(told)}};
}

json::object import_request(std::span<const Imported* const> users, bool check) {
  json::array list;
  for (const Imported* one : users)
    list.push_back({{"address", one->address},
                    {"name", one->display_name},
                    {"record", one->record},
                    {"quota", one->quota_bytes},
                    {"admin", one->admin},
                    {"disabled", one->disabled},
                    {"mailbox", one->with_mailbox}});
  return {{"command", "user.import"}, {"check", check}, {"users", std::move(list)}};
}

Result<accounts::SignedIn> prove_owner(mail::PostOffice& office, std::string_view address,
                                       const json::object& request, std::string_view password) {
  const auto recovery_key = oidc::text_of(request, "recovery_key").value_or("");
  const auto given = oidc::text_of(request, password).value_or("");
  auto& signing_in = office.signing_in();
  auto in = recovery_key.empty() ? signing_in.with_password(address, as_bytes(given), kPeer)
                                 : signing_in.with_recovery_key(address, recovery_key, kPeer);
  if (in && in->how == accounts::CredentialKind::app_password)
    return fail(Code::denied, "an app password is for mail alone",
                "Give the user's own password, or the recovery key");
  return in;
}

Result<json::object> renew_recovery_key(mail::PostOffice& office, const json::object& request) {
  const auto address = text(request, "address");
  MUHUR_TRY(const auto in, prove_owner(office, address, request));
  if (in.dek.empty())
    return fail(Code::conflict, address + " has no mailbox, and a recovery key would open nothing",
                "Such a user is given a new password by `muhur user delete` and a new import");
  MUHUR_TRY(auto made, office.credentials().renew_recovery_key(in.user.id, in.dek));
  return json::object{{"recovery_key", std::move(made)}};
}

}  // namespace muhur::server
