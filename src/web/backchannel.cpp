#include "web/backchannel.hpp"

#include <atomic>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/log.hpp"
#include "base/metrics.hpp"
#include "http/form.hpp"

namespace muhur::web {
namespace {

constexpr int kMostAtOnce = 1'000;
constexpr std::chrono::milliseconds kDeadline{5'000};
// A token lives two minutes: no use in longer pauses.
constexpr std::chrono::seconds kPauses[] = {std::chrono::seconds(1), std::chrono::seconds(10)};

struct Under {
  std::atomic<int> count{0};
};

net::Task<void> pause(std::chrono::seconds time) {
  boost::asio::steady_timer timer(co_await boost::asio::this_coro::executor, time);
  boost::system::error_code ignored;
  co_await timer.async_wait(boost::asio::redirect_error(boost::asio::use_awaitable, ignored));
}

net::Task<void> post(http::Client& client, std::string url, std::string token, std::shared_ptr<Under> under) {
  static auto& told =
      metrics::counter("muhur_backchannel_logouts_total", "Logout tokens by result", "result=\"ok\"");
  static auto& lost =
      metrics::counter("muhur_backchannel_logouts_total", "Logout tokens by result", "result=\"failed\"");
  http::Form form;
  form.add("logout_token", std::move(token));
  std::string why;
  for (std::size_t i = 0;; ++i) {
    http::Headers headers;
    headers.add("Content-Type", "application/x-www-form-urlencoded");
    // Idempotent, as its jti says: a kept connection that the client has closed meanwhile costs no attempt.
    const auto answer =
        co_await client.send("POST", url, std::move(headers), form.encoded(), kDeadline, true);
    if (answer && answer->status >= 200 && answer->status < 300) {
      told.add();
      break;
    }
    why = answer ? "status " + std::to_string(answer->status) : answer.error().text();
    // What the client has understood and refused it refuses again.
    if (i == std::size(kPauses) || (answer && answer->status >= 400 && answer->status < 500)) {
      lost.add();
      log::warn("web", "a client was not told of a logout", {{"url", url}, {"why", why}});
      break;
    }
    co_await pause(kPauses[i]);
  }
  --under->count;
}

}  // namespace

oidc::Provider::Notify post_logout_tokens(http::Client& client, boost::asio::any_io_executor executor) {
  return [&client, executor, under = std::make_shared<Under>()](std::string url, std::string token) {
    if (++under->count > kMostAtOnce) {
      --under->count;
      log::warn("web", "too many logout notices at once", {{"url", url}});
      return;
    }
    boost::asio::co_spawn(executor, post(client, std::move(url), std::move(token), under),
                          boost::asio::detached);
  };
}

}  // namespace muhur::web
