#include "accounts/sign_in_async.hpp"

#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/metrics.hpp"

namespace muhur::accounts {

namespace asio = boost::asio;
namespace {

using SteadyTime = std::chrono::steady_clock::time_point;

std::unexpected<Error> unavailable(Error error) {
  static auto& count =
      metrics::counter("muhur_sign_ins_total", "Sign-ins by result", "result=\"unavailable\"");
  count.add();
  return std::unexpected(std::move(error));
}

// Waits for its turn without a thread: however long the hashes of one account take, or whoever guesses at it,
// others are served meanwhile.
net::Task<Result<SignIn::Started>> prepare(SignIn& signing_in, net::Pool& pool, std::string_view address,
                                           const Secret& password, std::string_view peer, SteadyTime until) {
  const auto executor = co_await asio::this_coro::executor;
  while (true) {
    const auto timer = std::make_shared<asio::steady_timer>(executor, until);
    // Set to the past rather than cancelled: so it counts before the wait has begun, too.
    const auto again = [weak = std::weak_ptr(timer), executor] {
      asio::post(executor, [weak] {
        if (const auto waiting = weak.lock()) waiting->expires_at(SteadyTime::min());
      });
    };
    auto started =
        co_await net::on(pool, [&] { return signing_in.try_prepare(address, password.view(), peer, again); });
    if (!started) co_return std::unexpected(std::move(started).error());
    if (*started) co_return std::move(**started);
    boost::system::error_code woken;
    co_await timer->async_wait(asio::redirect_error(asio::use_awaitable, woken));
    if (std::chrono::steady_clock::now() >= until)
      co_return unavailable({Code::timed_out, "others' attempts on this account are still being verified",
                             "Try again in a moment"});
  }
}

}  // namespace

net::Task<Result<SignedIn>> sign_in(SignIn& signing_in, passwords::Verifier& verifier, net::Pools& pools,
                                    std::string address, Secret password, std::string peer) {
  const SteadyTime until = std::chrono::steady_clock::now() + verifier.deadline();
  auto started = co_await prepare(signing_in, pools.storage, address, password, peer, until);
  if (!started) co_return std::unexpected(std::move(started).error());
  password.wipe();
  const auto verdict =
      co_await verifier.verify(started->password().copy(), passwords::to_text(started->record()), until);
  if (!verdict) co_return unavailable(verdict.error());
  auto in = co_await net::on(pools.storage, [&] { return signing_in.conclude(*started, *verdict); });
  if (!in) co_return in;
  const bool first = signing_in.wants_mailbox(*in);
  if (!first && !signing_in.wants_upgrade(*started, *in)) co_return in;
  const auto record = co_await verifier.new_record(started->password().copy(), signing_in.cost());
  if (!first) {
    co_await net::on(pools.storage, [&] { signing_in.finish_upgrade(*started, *in, record); });
    co_return in;
  }
  if (!record) co_return unavailable(record.error());
  co_return co_await net::on(pools.passwords,
                             [&] { return signing_in.finish_first(*started, std::move(*in), *record); });
}

}  // namespace muhur::accounts
