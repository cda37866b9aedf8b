#pragma once
// What the parts of the provider share: state, and the ways to read and write it. Private to oidc/.

#include <boost/json/object.hpp>

#include "oidc/authorize.hpp"
#include "oidc/claims.hpp"
#include "oidc/device.hpp"
#include "oidc/dpop.hpp"
#include "oidc/pending.hpp"
#include "oidc/provider.hpp"
#include "oidc/registration.hpp"
#include "oidc/request.hpp"
#include "oidc/sso.hpp"
#include "oidc/store.hpp"
#include "oidc/token.hpp"
#include "vault/await.hpp"

namespace muhur::oidc {

// A browser's session and its user.
struct Known {
  Session session;
  accounts::User user;
  std::string consent;  // for the client that was asked about
};

struct Provider::Impl {
  Impl(accounts::Directory& directory_, ProviderOptions options_, Subjects subjects_,
       const Secret& server_key);

  accounts::Directory& directory;
  accounts::Users users;
  ProviderOptions options;
  std::unique_ptr<Clients> clients;
  std::unique_ptr<SigningKeys> keys;
  std::unique_ptr<Store> store;
  std::unique_ptr<Registration> registration;
  Subjects subjects;
  Secret pending_key;
  Dpop dpop;
  UserCodeGuard user_codes;
  vault::Executor blocking;  // runs a job where it may block
  Mutex notify_mutex;
  Notify notify MUHUR_GUARDED_BY(notify_mutex);

  std::int64_t now() const { return directory.clock().now_s(); }
  template <class F>
  auto read(F f) {
    return vault::read(store->database(), blocking, std::move(f));
  }
  template <class F>
  auto write(F f) {
    return vault::write(store->database(), std::move(f));
  }
  // f() where it may block.
  template <class F>
  net::Task<std::invoke_result_t<F&>> run(F f) {
    if (options.pools) co_return co_await net::on(options.pools->storage, std::move(f));
    co_return f();
  }

  // --- provider_front.cpp
  net::Task<Outcome> authorize(http::Form form, Browser browser);
  net::Task<Outcome> signed_in(std::string pending, Browser browser, accounts::SignedIn user);
  net::Task<Outcome> consented(std::string pending, Browser browser, bool approved);
  Outcome again(std::string_view pending, const Browser& browser);
  // The request of a page that came back; its outcome when it is not good any more.
  std::expected<std::pair<Pending, AuthorizationRequest>, Outcome> reopen(std::string_view pending,
                                                                          const Browser& browser);
  std::expected<AuthorizationRequest, Outcome> understand(const http::Form& form, bool pushed);
  Outcome page(OAuthError error) const;
  Outcome refused(RequestRefusal refusal) const;
  Outcome refused(const AuthorizationRequest& request, OAuthError error) const;
  Outcome answer(const AuthorizationRequest& request, std::string code) const;
  Outcome ask(Outcome::Kind kind, const AuthorizationRequest& request, const Pending& pending,
              const Browser& browser) const;

  // --- provider_sessions.cpp
  // nullopt: no session, it is over, or its user is gone. On a reader.
  Result<std::optional<Known>> known(vault::Connection& c, std::string_view cookie,
                                     const Client* client = nullptr);
  net::Task<Result<std::optional<Known>>> present(const Browser& browser);
  Session new_session(const Browser& browser, const accounts::SignedIn& user, std::string_view cookie) const;
  // Puts a new session in the place of the browser's old one. Whom to tell that the old one ended.
  Result<std::vector<Notice>> replace_session(vault::Connection& c, const Browser& browser, Session& session);
  void tell(const std::vector<Notice>& notices);
  net::Task<LogoutOutcome> logout(http::Form form, Browser browser, bool confirmed);
  // The subject, session and client that an ID token of ours names. denied: none of ours.
  struct Hint {
    std::string subject, sid;
    std::shared_ptr<const Client> client;
  };
  Result<Hint> read_hint(std::string_view id_token) const;

  // --- provider_token.cpp
  Ruled<Caller> enter(const TokenRequest& request);
  // Whether proofs of this client need a nonce; then the request's answer brings the next one.
  bool wants_nonce(const Client& client, const TokenRequest& request);
  net::Task<JsonAnswer> token(TokenRequest request);
  net::Task<JsonAnswer> push(TokenRequest request);
  net::Task<JsonAnswer> device_authorize(TokenRequest request);

  // --- provider_introspect.cpp
  net::Task<JsonAnswer> introspect(TokenRequest request);
  net::Task<std::expected<void, OAuthError>> revoke(TokenRequest request);
  net::Task<std::expected<UserInfo, OAuthError>> userinfo(std::string bearer, bool dpop_scheme,
                                                          TokenRequest request, std::string method);
  net::Task<Result<TokenInfo>> token_info(std::string access_token);
};

}  // namespace muhur::oidc
