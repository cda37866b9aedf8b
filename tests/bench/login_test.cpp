// The load against a small server that plays a provider: what is counted as what.
#include <gtest/gtest.h>

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <thread>

#include "bench/login.hpp"
#include "http/form.hpp"
#include "http/server.hpp"
#include "net/listener.hpp"

namespace muhur::bench {
namespace {

using http::Request;
using http::Response;

// Right in every step unless a member says otherwise; strict about what a browser and a client must send.
class PlayedProvider {
 public:
  std::atomic<int> refuse_logins{0}, inactive{0}, without_refresh{0};
  std::atomic<bool> asks_consent{false}, redirects_first{false}, closes{false};
  std::atomic<int> logins{0}, wrong{0};

  PlayedProvider() {
    route("GET", "/oauth2/authorize", [this](Request& r) { return authorize(r); });
    route("GET", "/page", [this](Request& r) { return page(r); });
    route("POST", "/oauth2/login", [this](Request& r) { return login(r); });
    route("POST", "/consent", [this](Request& r) { return consent(r); });
    route("POST", "/oauth2/token", [this](Request& r) { return token(r); });
    route("POST", "/oauth2/introspect", [this](Request& r) { return introspect(r); });
    server_ = std::make_unique<http::Server>(router_, http::ServerOptions{});
    net::ListenerOptions options;
    options.name = "played";
    options.address = net::TcpAddress{"127.0.0.1", 0};
    listener_ = *net::Listener::bind(
        io_, std::move(options), [this](net::StreamPtr stream) { return server_->serve(std::move(stream)); });
    listener_->start();
    thread_ = std::thread([this] { io_.run(); });
  }
  ~PlayedProvider() {
    listener_->stop();
    listener_->close_all();
    io_.stop();
    thread_.join();
  }
  LoginOptions options() const {
    LoginOptions options;
    options.url = "http://127.0.0.1:" + std::to_string(listener_->port());
    options.users = 3;
    options.accounts = 5;
    options.iterations = 20;
    options.time = std::chrono::minutes(2);  // never waited for
    options.ramp_up = options.warm_up = std::chrono::milliseconds(0);
    return options;
  }

 private:
  void route(std::string_view method, std::string_view path, std::function<Response(Request&)> answer) {
    router_.add(method, path, [this, answer](Request& r, const http::Parameters&) -> net::Task<Response> {
      Response response = answer(r);
      if (closes) response.with("Connection", "close");
      co_return response;
    });
  }
  Response no() {
    ++wrong;
    return Response::text(400, "no");
  }
  Response authorize(Request& r) {
    if (redirects_first)
      return Response::redirect("/page?" + r.query).with("Set-Cookie", "way=through; Path=/");
    return page(r);
  }
  Response page(Request& r) {
    const auto query = *http::Form::parse(r.query);
    if (query.value("code_challenge").size() != 43 || query.value("response_type") != "code") return no();
    if (r.path == "/page" && http::cookie(r.headers.get("Cookie").value_or(""), "way") != "through")
      return no();
    if (r.path != "/page" && r.headers.get("Cookie")) return no();  // a fresh browser has none
    return Response::html(200, "<form action='/oauth2/login'><input type=hidden name=state value='" +
                                   std::string(query.value("state")) + "'></form>")
        .with("Set-Cookie", "browser=b1; Path=/");
  }
  Response login(Request& r) {
    const auto form = *http::Form::parse(r.body);
    const auto cookies = r.headers.get("Cookie").value_or("");
    if (http::cookie(cookies, "browser") != "b1" || !r.headers.get("Origin")) return no();
    const std::string user(form.value("login"));
    if (user.size() != 21 || form.value("password") != "bench-password-" + user.substr(5, 4)) return no();
    if (refuse_logins-- > 0)
      return Response::html(503, "<form action='/oauth2/login'></form>").with("Retry-After", "0");
    ++logins;
    if (asks_consent)
      return Response::html(200, "<form action='/consent'><input type=hidden name=state value='" +
                                     std::string(form.value("state")) + "'></form>");
    return Response::redirect("http://127.0.0.1/callback?code=c1&state=" + std::string(form.value("state")),
                              302);
  }
  Response consent(Request& r) {
    const auto form = *http::Form::parse(r.body);
    if (form.value("answer") != "yes") return no();
    return Response::redirect("http://127.0.0.1/callback?code=c1&state=" + std::string(form.value("state")));
  }
  Response token(Request& r) {
    const auto form = *http::Form::parse(r.body);
    if (form.value("client_id") != "bench" || r.headers.get("Cookie")) return no();
    if (form.value("grant_type") == "refresh_token")
      return form.value("refresh_token") == "r1"
                 ? Response::json(200, R"({"access_token":"a2","refresh_token":"r2"})")
                 : no();
    if (form.value("code") != "c1" || form.value("code_verifier").size() != 43) return no();
    if (without_refresh-- > 0) return Response::json(200, R"({"access_token":"a1"})");
    return Response::json(200, R"({"access_token":"a1","refresh_token":"r1"})");
  }
  Response introspect(Request& r) {
    if (r.headers.get("Authorization") != "Bearer a1" || r.body != R"({"token":"a1"})") return no();
    return Response::json(200, inactive-- > 0 ? R"({"active":false})" : R"({"active":true})");
  }

  boost::asio::io_context io_{1};
  http::Router router_;
  std::unique_ptr<http::Server> server_;
  std::shared_ptr<net::Listener> listener_;
  std::thread thread_;
};

LoginResults run(LoginOptions options) {
  auto results = run_login(std::move(options));
  EXPECT_TRUE(results) << results.error().text();
  return results ? std::move(*results) : LoginResults{};
}

TEST(LoginLoad, CountsSignInsWhoseFiveStepsAreRight) {
  PlayedProvider provider;
  const LoginResults results = run(provider.options());
  EXPECT_EQ(provider.wrong, 0);
  EXPECT_EQ(results.tally.errors, 0U);
  EXPECT_EQ(results.tally.refused, 0U);
  EXPECT_GE(results.tally.iterations, 20U);
  EXPECT_EQ(results.connections, 3U);  // one a user, kept
  for (const StepFigures& step : results.steps) {
    EXPECT_GE(step.count + 3, results.tally.iterations);  // counting began amid those of three users
    EXPECT_GT(step.p50_ms, 0);
    EXPECT_LE(step.p50_ms, step.p95_ms);
    EXPECT_LE(step.p95_ms, step.p99_ms);
  }
}

TEST(LoginLoad, GoesThroughRedirectsAndConsent) {
  PlayedProvider provider;
  provider.asks_consent = provider.redirects_first = true;
  auto options = provider.options();
  options.profile.consent_action = "/consent";
  options.profile.consent_fields = {{"answer", "yes"}};
  const LoginResults results = run(std::move(options));
  EXPECT_EQ(provider.wrong, 0);
  EXPECT_EQ(results.tally.errors, 0U);
  EXPECT_GE(results.tally.iterations, 20U);
}

TEST(LoginLoad, RefusalsWithRetryAfterAreCountedApart) {
  PlayedProvider provider;
  provider.refuse_logins = 4;
  auto options = provider.options();
  options.users = 1;
  const LoginResults results = run(std::move(options));
  // Counting may begin after the first of them.
  EXPECT_LE(results.tally.refused, 4U);
  EXPECT_EQ(results.tally.errors, 0U);
  EXPECT_GE(results.tally.iterations, 20U);
  EXPECT_EQ(provider.wrong, 0);
}

TEST(LoginLoad, AFailedIntrospectionOrRefreshIsAFailedSignInAndIsSaid) {
  PlayedProvider provider;
  provider.inactive = 2;
  provider.without_refresh = 1;
  const LoginResults results = run(provider.options());
  EXPECT_EQ(results.tally.errors, 3U);
  EXPECT_EQ(results.tally.texts.at("introspect: status 200, not active"), 2U);
  EXPECT_EQ(results.tally.texts.at("token: no refresh_token"), 1U);
}

TEST(LoginLoad, AClosedConnectionIsOpenedAgain) {
  PlayedProvider provider;
  provider.closes = true;
  auto options = provider.options();
  options.users = 1;
  const LoginResults results = run(std::move(options));
  EXPECT_EQ(results.tally.errors, 0U);
  EXPECT_GE(results.tally.iterations, 20U);
}

TEST(LoginLoad, NobodyThereIsAnError) {
  LoginOptions options;
  options.url = "http://127.0.0.1:1";
  EXPECT_FALSE(run_login(options));
  options.url = "https://127.0.0.1:1";
  const auto refused = run_login(options);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::invalid);
}

TEST(LoginLoad, TheJsonHasTheKeysThatWereAgreedOn) {
  PlayedProvider provider;
  const auto json = run(provider.options()).json();
  for (const char* key :
       {"iterations_per_s", "errors", "steps", "server_cpu_ms_per_iteration", "commits", "fsyncs"})
    EXPECT_TRUE(json.contains(key)) << key;
  EXPECT_TRUE(json.at("commits").is_null());  // this server tells nothing
  for (const std::string_view step : kLoginSteps)
    for (const char* key : {"p50_ms", "p95_ms", "p99_ms"})
      EXPECT_TRUE(json.at("steps").as_object().at(step).as_object().contains(key)) << step << key;
}

}  // namespace
}  // namespace muhur::bench
