#pragma once
// The authorization server, whole: what the routes of web/ call. Rules are in the files beside this one, as
// functions over a request and state; this class brings them the state and makes each request's changes one
// durable transaction (vault group commit, awaited). No HTTP server, no HTML.
//
// Every secret that is handed out (cookie, code, refresh and access token, device code) is stored as a hash
// only. Where a user's mail scope goes along, its row also carries the mailbox's key wrapped under a key
// derived from that secret: at rest nothing opens it.

#include <boost/json/object.hpp>
#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "accounts/sign_in.hpp"
#include "accounts/users.hpp"
#include "http/form.hpp"
#include "net/pools.hpp"
#include "oidc/client_auth.hpp"
#include "oidc/clients.hpp"
#include "oidc/error.hpp"
#include "oidc/signing_keys.hpp"

namespace muhur::oidc {

struct Lifetimes {                           // seconds
  std::int64_t code = 60;
  std::int64_t pending = 1'800;              // from the first page to the last
  std::int64_t session_idle = 8 * 3'600;
  std::int64_t session_absolute = 30 * 86'400;
  std::int64_t refresh_grace = 10;
  std::int64_t device_code = 600;
  std::int64_t pushed_request = 60;
  std::int64_t id_token = 600;
};

struct ProviderOptions {
  std::string issuer;                        // https://id.example.org, without a final slash; a constant
  Lifetimes lifetimes;
  bool dynamic_registration = false;
  bool require_dpop_nonce = false;           // of every client's proofs
  SigningKeyOptions keys;
  net::Pools* pools = nullptr;
};

// What a browser brings along.
struct Browser {
  std::string session_cookie;                // the SSO secret; empty when there is none
  std::string binding;                       // a random cookie that ties pages to this browser; never empty
  std::string peer;
  std::string user_agent;
};

// What is to be shown or sent next.
struct Outcome {
  enum class Kind {
    error_page,   // error: the client or its URI is not to be trusted with an answer
    respond,      // redirect_uri with parameters: by redirect, or by a form that posts itself
    sign_in,      // the sign-in page, with `pending` in its form
    consent,      // the consent page, with `pending`
  };
  Kind kind = Kind::error_page;
  OAuthError error;
  bool page_is_over = false;                 // error_page: what was answered is used up, too old or not this browser's
  std::string redirect_uri;
  http::Form parameters;
  bool form_post = false;
  std::string pending;                       // the request, sealed and bound to this browser; used once
  std::shared_ptr<const Client> client;
  std::vector<std::string> scopes;           // asked for, to be consented to
  std::string login_hint;
  std::string ui_locales;
  std::optional<accounts::User> user;        // consent: who is signed in
  std::optional<std::string> set_session;    // a new SSO cookie for the browser
};

struct TokenRequest {                        // any direct request of a client
  Presented presented;
  std::string dpop;                          // the DPoP header, empty when absent
  std::string url;                           // of the endpoint, for DPoP's htu
  // Where a nonce for the client's next proof is put, to be sent along whatever the answer is (RFC 9449 §8.2);
  // it stays empty where none is asked for. Null, or outlives the answer.
  std::string* fresh_nonce = nullptr;
};

using JsonAnswer = std::expected<boost::json::object, OAuthError>;

struct SessionInfo {
  std::string sid;
  std::int64_t created_s, last_seen_s;
  std::string peer, user_agent;
  bool current = false;
};

// What a bearer of an access token may do.
struct TokenInfo {
  accounts::UserId user = 0;                 // 0: client credentials
  std::string client_id, scope, subject, sid;
  std::int64_t expires_s = 0, auth_time_s = 0;
  Secret dek;                                // not empty when the token carries mail scope
};

class Provider {
 public:
  static Result<std::unique_ptr<Provider>> open(const std::filesystem::path& data, const Secret& server_key,
                                                accounts::Directory& directory, ProviderOptions options);
  ~Provider();

  // --- front channel
  net::Task<Outcome> authorize(http::Form parameters, Browser browser);
  // After a proof of who the user is. `pending` comes back from the page. A new SSO session is always made.
  net::Task<Outcome> signed_in(std::string pending, Browser browser, accounts::SignedIn user);
  net::Task<Outcome> consented(std::string pending, Browser browser, bool approved);
  // The page again after a failed attempt: nothing of the request is lost.
  Outcome again(std::string_view pending, const Browser& browser);

  // --- back channel
  net::Task<JsonAnswer> token(TokenRequest request);
  net::Task<JsonAnswer> push(TokenRequest request);                  // RFC 9126
  net::Task<JsonAnswer> introspect(TokenRequest request);            // RFC 7662
  net::Task<std::expected<void, OAuthError>> revoke(TokenRequest request);  // RFC 7009
  net::Task<JsonAnswer> device_authorize(TokenRequest request);      // RFC 8628
  // The claims, or (clients with a signed response) a JWT in `jwt`.
  struct UserInfo {
    boost::json::object claims;
    std::string jwt;
  };
  net::Task<std::expected<UserInfo, OAuthError>> userinfo(std::string bearer, bool dpop_scheme, TokenRequest request,
                                                          std::string method);
  net::Task<Result<TokenInfo>> token_info(std::string access_token);  // for IMAP OAUTHBEARER; denied when inactive

  // --- device pages
  struct DeviceRequest {
    std::shared_ptr<const Client> client;
    std::vector<std::string> scopes;
    std::string user_code;                   // as the device shows it, whatever was typed
  };
  net::Task<Result<DeviceRequest>> find_device(std::string user_code, Browser browser);
  net::Task<Result<void>> decide_device(std::string user_code, Browser browser, bool approved);

  // --- sessions and logout
  net::Task<std::optional<accounts::User>> session_user(Browser browser);
  // A session outside an authorization request (account pages).
  net::Task<Result<std::string>> start_session(Browser browser, accounts::SignedIn user);
  net::Task<Result<std::vector<SessionInfo>>> sessions(accounts::UserId user, Browser browser);
  net::Task<Result<void>> end_session(accounts::UserId user, std::string sid);   // with back-channel notices
  struct LogoutOutcome {
    bool confirm = false;                    // ask first: no valid hint, or another user's
    // A registered URI with state; empty: the local page. With `confirm`: where it leads once it is confirmed.
    std::string redirect;
    std::shared_ptr<const Client> client;    // who asks, as far as it is known
    bool ended = false;
    bool failed = false;                     // the store could not be asked or written: nothing was ended
    std::string pending;
  };
  net::Task<LogoutOutcome> logout(http::Form parameters, Browser browser, bool confirmed);

  // --- documents
  std::string discovery() const;             // OIDC Discovery 1.0 and RFC 8414
  std::string jwks() const;
  std::string jwks_etag() const;

  // --- dynamic registration (RFC 7591, 7592)
  net::Task<JsonAnswer> register_client(std::string bearer, boost::json::object metadata);
  net::Task<JsonAnswer> manage_client(std::string bearer, std::string client_id, std::string method,
                                      boost::json::object metadata);

  // Posts a logout token; given by web/ (it has the HTTP client). Called after the commit.
  using Notify = std::function<void(std::string url, std::string logout_token)>;
  void on_backchannel_logout(Notify notify);

  Result<void> sweep();                      // removes what has expired, in bounded steps; blocks
  void user_changed(accounts::UserId user);  // disabled, password reset: ends sessions and grants
  Clients& clients();
  SigningKeys& keys();
  std::weak_ptr<vault::Database> sessions_database() const;  // for who keeps house
  const ProviderOptions& options() const;

 private:
  struct Impl;
  explicit Provider(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace muhur::oidc
