#include "oidc/claims.hpp"

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>

#include "base/encoding.hpp"
#include "crypto/mac.hpp"
#include "oidc/json.hpp"
#include "oidc/scope.hpp"

namespace muhur::oidc {
namespace json = boost::json;
namespace {

constexpr std::string_view kSetting = "oidc-subject-key";

json::object profile(const accounts::User& user) {
  return {{"name", user.display_name.empty() ? user.address : user.display_name},
          {"preferred_username", user.address}};
}
json::object email(const accounts::User& user) {
  return {{"email", user.address}, {"email_verified", true}};  // the mailbox is here
}
json::object groups(const accounts::User& user) {
  json::array names;
  for (const auto& group : groups_of(user)) names.emplace_back(group);
  return {{"groups", std::move(names)}};
}

}  // namespace

Result<Subjects> Subjects::open(accounts::Directory& directory) {
  MUHUR_TRY(auto stored, directory.setting(kSetting));
  if (!stored) {
    stored = to_bytes(Secret::random(32).text());
    MUHUR_CHECK(directory.set_setting(kSetting, *stored));
  }
  if (stored->size() != 32)
    return fail(Code::corrupt, "the key that subjects are made with is damaged",
                "Restore directory.db from a backup: another key would make strangers of all users");
  Subjects subjects{Secret(ByteView(*stored))};
  wipe(*stored);
  return subjects;
}

std::string Subjects::of(accounts::UserId user) const {
  Byte id[8];
  store_be64(id, static_cast<std::uint64_t>(user));
  return to_base64url(ByteView(crypto::hmac_sha256(key_.view(), id)).first(18));
}

std::vector<std::string> groups_of(const accounts::User& user) {
  return user.admin ? std::vector<std::string>{"admins", "users"} : std::vector<std::string>{"users"};
}

void add_scope_claims(json::object& out, const accounts::User& user, std::string_view scope) {
  for (const auto& word : words_of(scope)) {
    json::object some;
    if (word == "profile") some = profile(user);
    if (word == "email") some = email(user);
    if (word == "groups") some = groups(user);
    for (auto& [name, value] : some) out[name] = std::move(value);
  }
}

void add_named_claims(json::object& out, const accounts::User& user, std::string_view scope,
                      std::string_view claims, std::string_view part) {
  if (claims.empty()) return;
  const auto asked = parse_object(claims);
  if (!asked) return;
  const auto* wanted = asked->if_contains(part);
  if (!wanted || !wanted->is_object()) return;
  json::object all;
  add_scope_claims(all, user, scope);
  for (auto& [name, value] : all)
    if (wanted->get_object().contains(name)) out[name] = std::move(value);
}

}  // namespace muhur::oidc
