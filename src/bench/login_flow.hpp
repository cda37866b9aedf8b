#pragma once
// One user: sign-ins one after another over one connection, each with the cookies of a fresh browser.
//
//   authorize    GET of the authorization endpoint, to the sign-in form
//   login        its POST, through consent where there is one, to the redirect with the code
//   token        the code for tokens, with the PKCE verifier
//   introspect   the access token is active
//   refresh      the refresh token for the next tokens

#include "bench/login_connection.hpp"
#include "bench/login_profile.hpp"
#include "bench/login_tally.hpp"

namespace muhur::bench {

struct LoginTarget {
  std::string host = "127.0.0.1";
  std::uint16_t port = 80;
  std::string origin;  // "http://127.0.0.1:8080"
  LoginProfile profile;
  std::uint64_t accounts = 1'000;
};

class LoginUser {
 public:
  LoginUser(const LoginTarget& target, LoginTally& tally)
      : target_(target), tally_(tally), connection_(target.host, target.port) {}

  enum class Kind { done, refused, failed };
  struct Outcome {
    Kind kind = Kind::done;
    unsigned retry_after_s = 0;  // refused
  };
  // One sign-in of the account with that number, counted in the tally.
  net::Task<Outcome> iterate(std::uint64_t account);
  std::uint64_t connections() const { return connection_.opened(); }

 private:
  // How a step ended that did not end well.
  struct Stopped {
    bool refused = false;
    unsigned retry_after_s = 0;
    std::string why;
  };
  template <class T = void>
  using Stepped = std::expected<T, Stopped>;
  struct Secrets {
    std::string verifier, state, code, access, refresh;
  };

  net::Task<Stepped<>> steps(std::uint64_t account);
  net::Task<Stepped<std::string>> open_page(const Secrets& secrets);  // the sign-in form, as its POST's body
  net::Task<Stepped<std::string>> sign_in(std::string body, const Secrets& secrets);  // the code
  net::Task<Stepped<>> tokens(std::string form, Secrets& into);
  net::Task<Stepped<>> introspect(const Secrets& secrets);

  net::Task<Stepped<HttpAnswer>> get(std::string target);
  net::Task<Stepped<HttpAnswer>> post(std::string target, std::string type, std::string body,
                                      std::string authorization = {});
  net::Task<Stepped<HttpAnswer>> send();  // request_
  void begin_request(std::string_view method, std::string_view target);
  Stepped<std::string> path_of(std::string_view location) const;
  void authenticate(std::string& form, std::string& authorization) const;

  const LoginTarget& target_;
  LoginTally& tally_;
  LoginConnection connection_;
  CookieJar cookies_;
  std::string request_, form_action_;
};

}  // namespace muhur::bench
