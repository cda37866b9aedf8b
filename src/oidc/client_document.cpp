#include "oidc/client_document.hpp"

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>

namespace muhur::oidc {
namespace json = boost::json;

std::string_view name_of(ClientAuth auth) {
  switch (auth) {
    case ClientAuth::none:
      return "none";
    case ClientAuth::basic:
      return "client_secret_basic";
    case ClientAuth::post:
      return "client_secret_post";
    case ClientAuth::private_key_jwt:
      return "private_key_jwt";
  }
  return "";
}

std::optional<ClientAuth> client_auth(std::string_view name) {
  for (const auto auth : {ClientAuth::none, ClientAuth::basic, ClientAuth::post, ClientAuth::private_key_jwt})
    if (name_of(auth) == name) return auth;
  return std::nullopt;
}

namespace {

// One table for both ways: each member by its name.
template <class Visitor, class C>
void visit(Visitor& v, C& c) {
  v.value("id", c.id);
  v.value("name", c.name);
  v.named("auth", c.auth, [](ClientAuth a) { return name_of(a); }, client_auth);
  v.value("redirect_uris", c.redirect_uris);
  v.value("post_logout_redirect_uris", c.post_logout_redirect_uris);
  v.value("backchannel_logout_uri", c.backchannel_logout_uri);
  v.value("backchannel_session_required", c.backchannel_session_required);
  v.value("grant_types", c.grant_types);
  v.value("scopes", c.scopes);
  v.value("resources", c.resources);
  v.value("require_pkce", c.require_pkce);
  v.value("require_par", c.require_par);
  v.value("require_dpop", c.require_dpop);
  v.value("require_dpop_nonce", c.require_dpop_nonce);
  v.value("skip_consent", c.skip_consent);
  v.value("may_introspect", c.may_introspect);
  v.named(
      "access_token", c.access_token,
      [](AccessTokenFormat f) { return f == AccessTokenFormat::jwt ? std::string_view("jwt") : "opaque"; },
      [](std::string_view name) -> std::optional<AccessTokenFormat> {
        if (name == "jwt") return AccessTokenFormat::jwt;
        if (name == "opaque") return AccessTokenFormat::opaque;
        return std::nullopt;
      });
  v.named(
      "id_token_algorithm", c.id_token_algorithm,
      [](crypto::SigningAlgorithm a) { return crypto::name_of(a); }, crypto::signing_algorithm);
  v.value("userinfo_signed_response", c.userinfo_signed_response);
  v.value("jwks", c.jwks);
  v.value("groups", c.groups);
  v.value("logo_uri", c.logo_uri);
  v.value("policy_uri", c.policy_uri);
  v.value("tos_uri", c.tos_uri);
  v.value("client_uri", c.client_uri);
  v.value("subject_type", c.subject_type);
  v.value("access_token_s", c.access_token_s);
  v.value("refresh_token_s", c.refresh_token_s);
  v.value("created_ms", c.created_ms);
  v.value("dynamic", c.dynamic);
}

struct Write {
  json::object out;
  void value(std::string_view name, const std::string& text) { out[name] = text; }
  void value(std::string_view name, bool flag) { out[name] = flag; }
  void value(std::string_view name, std::int64_t number) { out[name] = number; }
  void value(std::string_view name, const std::vector<std::string>& list) {
    out[name] = json::array(list.begin(), list.end());
  }
  template <class T, class To, class From>
  void named(std::string_view name, const T& value, To to, From) {
    out[name] = to(value);
  }
};

struct Read {
  const json::object& in;
  std::size_t known = 0;
  std::string wrong;  // the first member of a wrong kind

  const json::value* take(std::string_view name) {
    const auto* found = in.if_contains(name);
    if (found) ++known;
    return found;
  }
  void note(std::string_view name) {
    if (wrong.empty()) wrong = name;
  }
  void value(std::string_view name, std::string& text) {
    if (const auto* v = take(name)) v->is_string() ? text.assign(v->get_string()) : (note(name), text);
  }
  void value(std::string_view name, bool& flag) {
    if (const auto* v = take(name)) v->is_bool() ? void(flag = v->get_bool()) : note(name);
  }
  void value(std::string_view name, std::int64_t& number) {
    if (const auto* v = take(name)) v->is_int64() ? void(number = v->get_int64()) : note(name);
  }
  void value(std::string_view name, std::vector<std::string>& list) {
    const auto* v = take(name);
    if (!v) return;
    if (!v->is_array()) return note(name);
    list.clear();
    for (const auto& item : v->get_array()) {
      if (!item.is_string()) return note(name);
      list.emplace_back(item.get_string());
    }
  }
  template <class T, class To, class From>
  void named(std::string_view name, T& value, To, From from) {
    const auto* v = take(name);
    if (!v) return;
    const auto read = v->is_string() ? from(std::string_view(v->get_string())) : std::optional<T>();
    read ? void(value = *read) : note(name);
  }
};

}  // namespace

json::object document_of(const Client& client) {
  Write write;
  visit(write, client);
  return std::move(write.out);
}

Result<Client> client_of(const json::object& document, Client base) {
  Read read{document};
  visit(read, base);
  if (!read.wrong.empty()) return fail(Code::invalid, "the client's " + read.wrong + " has no such value");
  if (read.known != document.size()) {
    const json::object known = document_of(base);
    for (const auto& member : document)
      if (!known.contains(member.key()))
        return fail(Code::invalid, "a client has no " + std::string(member.key()));
  }
  return base;
}

}  // namespace muhur::oidc
