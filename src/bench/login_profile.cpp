#include "bench/login_profile.hpp"

#include <fmt/format.h>

#include <boost/json/parse.hpp>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>

namespace muhur::bench {
namespace {

namespace json = boost::json;

// What is done with the value of each key that an object may have.
using Read = std::function<Result<void>(const json::value&)>;
using Keys = std::map<std::string_view, Read>;

Result<void> read_object(std::string_view what, const json::value& value, const Keys& keys) {
  if (!value.is_object()) return fail(Code::invalid, fmt::format("{} is no object", what));
  for (const auto& [key, inner] : value.get_object()) {
    const auto found = keys.find(std::string_view(key));
    if (found == keys.end())
      return fail(Code::invalid, fmt::format("{} has an unknown key \"{}\"", what, std::string_view(key)));
    MUHUR_CHECK(found->second(inner));
  }
  return {};
}

Read text(std::string_view key, std::string& into) {
  return [key, &into](const json::value& value) -> Result<void> {
    if (!value.is_string()) return fail(Code::invalid, fmt::format("\"{}\" is no text", key));
    into = value.get_string();
    return {};
  };
}

Read fields(std::string_view key, FormFields& into) {
  return [key, &into](const json::value& value) -> Result<void> {
    if (!value.is_object()) return fail(Code::invalid, fmt::format("\"{}\" is no object", key));
    into.clear();
    for (const auto& [name, inner] : value.get_object()) {
      if (!inner.is_string())
        return fail(Code::invalid, fmt::format("\"{}\" of \"{}\" is no text", std::string_view(name), key));
      into.emplace_back(std::string(name), std::string(inner.get_string()));
    }
    return {};
  };
}

// One of a few words.
template <class T>
Read choice(std::string_view key, T& into, std::map<std::string_view, T> words) {
  return [key, &into, words = std::move(words)](const json::value& value) -> Result<void> {
    const auto found = value.is_string() ? words.find(std::string_view(value.get_string())) : words.end();
    if (found == words.end()) return fail(Code::invalid, fmt::format("\"{}\" is none of its words", key));
    into = found->second;
    return {};
  };
}

Read object(std::string_view key, Keys keys) {
  return [key, keys = std::move(keys)](const json::value& value) {
    return read_object(fmt::format("\"{}\"", key), value, keys);
  };
}

}  // namespace

Result<LoginProfile> LoginProfile::parse(std::string_view written) {
  boost::system::error_code error;
  const json::value value = json::parse(written, error);
  if (error) return fail(Code::invalid, "the profile is no JSON: " + error.message());
  LoginProfile p;
  using Auth = ClientAuth;
  const Keys keys{
      {"name", text("name", p.name)},
      {"authorization", text("authorization", p.authorization)},
      {"token", text("token", p.token)},
      {"introspection", text("introspection", p.introspection)},
      {"introspect_as",
       choice<bool>("introspect_as", p.introspect_by_bearer, {{"bearer", true}, {"client", false}})},
      {"client",
       object(
           "client",
           {{"id", text("id", p.client_id)},
            {"secret", text("secret", p.client_secret)},
            {"auth", choice<Auth>("auth", p.client_auth,
                                  {{"none", Auth::none}, {"post", Auth::post}, {"basic", Auth::basic}})}})},
      {"redirect_uri", text("redirect_uri", p.redirect_uri)},
      {"scope", text("scope", p.scope)},
      {"parameters", fields("parameters", p.parameters)},
      {"sign_in", object("sign_in", {{"action", text("action", p.sign_in_action)},
                                     {"user", text("user", p.user_field)},
                                     {"password", text("password", p.password_field)},
                                     {"fields", fields("fields", p.sign_in_fields)}})},
      {"consent", object("consent", {{"action", text("action", p.consent_action)},
                                     {"fields", fields("fields", p.consent_fields)}})},
      {"account", text("account", p.account)},
      {"password", text("password", p.password)},
  };
  MUHUR_CHECK(read_object("the profile", value, keys));
  return p;
}

Result<LoginProfile> LoginProfile::read(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::stringstream all;
  all << in.rdbuf();
  if (!in) return fail_errno(errno, "read " + file.string());
  auto profile = parse(all.str());
  if (!profile) return fail(Code::invalid, file.string() + ": " + profile.error().what);
  return profile;
}

std::string numbered(std::string_view pattern, std::uint64_t number) {
  const std::size_t from = pattern.find("NN");
  if (from == std::string_view::npos) return std::string(pattern);
  const std::size_t end = std::min(pattern.find_first_not_of('N', from), pattern.size());
  return fmt::format("{}{:0{}}{}", pattern.substr(0, from), number, end - from, pattern.substr(end));
}

}  // namespace muhur::bench
