#pragma once
// A provider over databases of its own, with a user, a public, a confidential and a first-party client, and
// the steps of a relying party as one call each.

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/json/value.hpp>
#include <list>
#include <mutex>

#include "base/encoding.hpp"
#include "oidc/fixture.hpp"
#include "oidc/jose.hpp"
#include "oidc/pkce.hpp"
#include "oidc/provider.hpp"

namespace muhur::oidc {

inline constexpr std::string_view kIssuer = "https://id.example";
inline constexpr std::string_view kCallback = "https://app.example/callback";
inline constexpr std::string_view kVerifier = "0123456789abcdef0123456789abcdef0123456789a";

using Fields = std::vector<std::pair<std::string, std::string>>;

inline http::Form form_of(const Fields& fields) {
  http::Form form;
  for (const auto& [name, value] : fields) form.add(name, value);
  return form;
}

inline std::string text(const boost::json::object& object, std::string_view name) {
  const auto* value = object.if_contains(name);
  return value && value->is_string() ? std::string(value->get_string()) : std::string();
}

class WithProvider : public accounts::WithDirectory {
 protected:
  void SetUp() override {
    WithDirectory::SetUp();
    user_ = add_user("ayse", "correct horse", dek_).user;
    open_provider();
    Client app{.id = "app", .name = "App", .auth = ClientAuth::none, .skip_consent = true};
    app.redirect_uris = {std::string(kCallback)};
    app.scopes = {"openid", "profile", "email", "groups", "offline_access", "mail"};
    app.resources = {"https://api.example", "https://mail.example"};
    app.grant_types.emplace_back("urn:ietf:params:oauth:grant-type:device_code");
    add(app);
    app.id = "other";
    add(app);
    Client server = app;
    server.id = "server";
    server.auth = ClientAuth::post;
    server.skip_consent = false;
    server.grant_types.emplace_back("client_credentials");
    server.scopes.emplace_back("reports");
    server.post_logout_redirect_uris = {"https://app.example/bye"};
    server.backchannel_logout_uri = "https://app.example/backchannel";
    server_secret_ = add(server);
  }
  void TearDown() override {
    provider_.reset();
    WithDirectory::TearDown();
  }
  void open_provider() {
    provider_.reset();
    ProviderOptions options;
    options.issuer = kIssuer;
    auto opened = Provider::open(data_, server_key_, *directory_, std::move(options));
    ASSERT_TRUE(opened) << opened.error().text();
    provider_ = std::move(*opened);
  }
  std::string add(const Client& client) {
    auto secret = provider_->clients().add(client);
    EXPECT_TRUE(secret) << secret.error().text();
    return secret.value_or("");
  }
  void change(std::string_view id, const std::function<void(Client&)>& how) {
    Client client = *provider_->clients().find(id);
    how(client);
    const auto updated = provider_->clients().update(client);
    ASSERT_TRUE(updated) << updated.error().text();
  }

  template <class T>
  static T run(net::Task<T> task) {
    // Outlives the provider's threads: they may still be inside the post that ended the task.
    static std::list<boost::asio::io_context> contexts;
    static std::mutex mutex;
    boost::asio::io_context& io = [] -> auto& {
      const std::lock_guard lock(mutex);
      return contexts.emplace_back(1);
    }();
    std::optional<T> value;
    boost::asio::co_spawn(io, std::move(task), [&](std::exception_ptr error, T got) {
      if (error) std::rethrow_exception(error);
      value.emplace(std::move(got));
    });
    io.run();
    return std::move(*value);
  }

  static Browser browser(std::string cookie = {}, std::string binding = "this browser") {
    return {.session_cookie = std::move(cookie),
            .binding = std::move(binding),
            .peer = "192.0.2.1:5000",
            .user_agent = "Test"};
  }
  accounts::SignedIn proof(accounts::CredentialKind how = accounts::CredentialKind::password) const {
    return {user_, dek_.copy(), how};
  }

  // A request of `client` with these parameters instead of or beside the usual ones; an empty value leaves
  // one out.
  static http::Form request(std::string client = "app", const Fields& changed = {}) {
    Fields fields{{"response_type", "code"},
                  {"client_id", std::move(client)},
                  {"redirect_uri", std::string(kCallback)},
                  {"scope", "openid profile email"},
                  {"state", "a&b=c"},
                  {"nonce", "n-1"},
                  {"code_challenge", challenge_of(kVerifier)},
                  {"code_challenge_method", "S256"}};
    for (const auto& [name, value] : changed) {
      const auto at = std::ranges::find(fields, name, &std::pair<std::string, std::string>::first);
      if (at == fields.end())
        fields.emplace_back(name, value);
      else
        at->second = value;
    }
    std::erase_if(fields, [](const auto& field) { return field.second.empty(); });
    return form_of(fields);
  }
  Outcome authorize(const http::Form& form, const Browser& from = browser()) {
    return run(provider_->authorize(form, from));
  }
  // Through the sign-in page (and consent, if asked) to the answer.
  Outcome sign_in(const http::Form& form) {
    auto shown = authorize(form);
    EXPECT_EQ(shown.kind, Outcome::Kind::sign_in) << shown.error.description;
    auto done = run(provider_->signed_in(shown.pending, browser(), proof()));
    if (done.set_session) cookie_ = *done.set_session;
    if (done.kind == Outcome::Kind::consent)
      done = run(provider_->consented(done.pending, browser(cookie_), true));
    return done;
  }
  std::string code(const Fields& changed = {}, const std::string& client = "app") {
    const auto done = sign_in(request(client, changed));
    EXPECT_EQ(done.kind, Outcome::Kind::respond) << done.error.description;
    const std::string code(done.parameters.value("code"));
    EXPECT_FALSE(code.empty()) << done.error.code << ' ' << done.error.description;
    return code;
  }

  JsonAnswer post(const Fields& fields, const std::string& dpop = {}) {
    const auto form = form_of(fields);
    TokenRequest request;
    request.presented.form = &form;
    request.dpop = dpop;
    request.url = std::string(kIssuer) + "/oauth2/token";
    return run(provider_->token(std::move(request)));
  }
  static Fields redeeming(const std::string& code, const std::string& client = "app") {
    return {{"grant_type", "authorization_code"},
            {"code", code},
            {"redirect_uri", std::string(kCallback)},
            {"client_id", client},
            {"code_verifier", std::string(kVerifier)}};
  }
  static Fields refreshing(const std::string& token, const std::string& client = "app") {
    return {{"grant_type", "refresh_token"}, {"refresh_token", token}, {"client_id", client}};
  }
  boost::json::object tokens(const Fields& changed = {}) {
    auto got = post(redeeming(code(changed)));
    EXPECT_TRUE(got) << got.error().code << ' ' << got.error().description;
    return got.value_or(boost::json::object());
  }
  static std::string refused(const JsonAnswer& answer) { return answer ? "ok" : answer.error().code; }

  JsonAnswer introspect(const std::string& token, Fields as = {}) {
    if (as.empty()) as = server_credentials();
    as.emplace_back("token", token);
    const auto form = form_of(as);
    TokenRequest request;
    request.presented.form = &form;
    return run(provider_->introspect(std::move(request)));
  }
  Fields server_credentials() const { return {{"client_id", "server"}, {"client_secret", server_secret_}}; }
  bool is_active(const std::string& token) {
    change("server", [](Client& c) { c.may_introspect = true; });
    const auto answer = introspect(token);
    EXPECT_TRUE(answer) << answer.error().description;
    return answer && answer->at("active").as_bool();
  }
  std::string revoke(const std::string& token, const std::string& client = "app") {
    const auto form = form_of({{"token", token}, {"client_id", client}});
    TokenRequest request;
    request.presented.form = &form;
    const auto done = run(provider_->revoke(std::move(request)));
    return done ? "ok" : done.error().code;
  }
  boost::json::object id_token_claims(const boost::json::object& answer) {
    const std::string token = text(answer, "id_token");
    const auto jws = parse_jws(token);
    EXPECT_TRUE(jws);
    const auto key = provider_->keys().find(text(jws->header, "kid"));
    EXPECT_TRUE(key && verify_jws(*jws, *key, kAccepted));
    return jws->payload;
  }
  void pass(std::int64_t seconds) { clock_.advance(std::chrono::seconds(seconds)); }

  Secret dek_ = Secret::random(32);
  accounts::User user_;
  std::unique_ptr<Provider> provider_;
  std::string server_secret_, cookie_;
};

}  // namespace muhur::oidc
