#include "bench/login.hpp"

#include <sys/resource.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <charconv>

#include "http/client.hpp"
#include "net/connect.hpp"

namespace muhur::bench {
namespace asio = boost::asio;
namespace {

using Clock = std::chrono::steady_clock;
using Millis = std::chrono::milliseconds;

constexpr Millis kLook{100};
constexpr Millis kLongestEnd{60'000};  // for the sign-ins under way when the time is over
constexpr Millis kAfterError{100};     // a server that is down is not asked as fast as can be
constexpr std::size_t kMemoryPoints = 10;

double own_cpu_s() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

net::Task<void> sleep_for(Millis time) {
  asio::steady_timer timer(co_await asio::this_coro::executor, time);
  co_await timer.async_wait(asio::use_awaitable);
}

// The whole of a run. Lives on one thread.
struct Load {
  LoginOptions options;
  LoginTarget target;
  ServerProbe probe;
  LoginTally tally;
  std::vector<std::unique_ptr<LoginUser>> users;
  std::uint64_t next_account = 0;
  std::size_t active = 0;
  bool ending = false;
  LoginResults results;

  net::Task<void> use(LoginUser& user, Millis delay);
  net::Task<void> count();
  net::Task<Result<void>> conduct();
  double share_done(Clock::time_point begun) const;
};

net::Task<void> Load::use(LoginUser& user, Millis delay) {
  ++active;
  if (delay.count() > 0) co_await sleep_for(delay);
  while (!ending) {
    const auto outcome = co_await user.iterate(1 + next_account++ % target.accounts);
    if (outcome.kind == LoginUser::Kind::failed) co_await sleep_for(kAfterError);
    if (outcome.kind != LoginUser::Kind::refused) continue;
    for (Millis left = std::chrono::seconds(outcome.retry_after_s); left.count() > 0 && !ending;
         left -= kLook)
      co_await sleep_for(std::min(left, kLook));
  }
  --active;
}

double Load::share_done(Clock::time_point begun) const {
  const double by_time = std::chrono::duration<double>(Clock::now() - begun) / options.time;
  if (options.iterations == 0) return by_time;
  return std::max(by_time, static_cast<double>(tally.iterations) / static_cast<double>(options.iterations));
}

net::Task<void> Load::count() {
  results.before = co_await probe.look();
  const double cpu = own_cpu_s();
  const auto begun = Clock::now();
  tally.counting = true;
  std::size_t point = 0;
  const auto note_memory = [&](const ServerFigures& figures) {
    if (figures.rss_bytes) results.memory.emplace_back(tally.iterations, *figures.rss_bytes);
  };
  note_memory(results.before);
  bool over = false;
  while (!over) {
    co_await sleep_for(kLook);
    const double share = share_done(begun);
    over = share >= 1;
    if (options.progress) options.progress(std::min(share, 1.0));
    if (over || share * kMemoryPoints < static_cast<double>(point + 1)) continue;
    point = static_cast<std::size_t>(share * kMemoryPoints);
    note_memory(co_await probe.look());
  }
  tally.counting = false;
  results.seconds = std::chrono::duration<double>(Clock::now() - begun).count();
  results.generator_cpu_s = own_cpu_s() - cpu;
  results.after = co_await probe.look();
  note_memory(results.after);
}

net::Task<Result<void>> Load::conduct() {
  const auto reached = co_await net::connect({.host = target.host, .port = target.port});
  if (!reached) co_return std::unexpected(reached.error());
  const auto executor = co_await asio::this_coro::executor;
  for (std::size_t i = 0; i < options.users; ++i) {
    users.push_back(std::make_unique<LoginUser>(target, tally));
    const Millis delay = options.ramp_up * static_cast<int>(i) / static_cast<int>(options.users);
    asio::co_spawn(executor, use(*users.back(), delay), asio::detached);
  }
  co_await sleep_for(options.ramp_up + options.warm_up);
  co_await count();
  ending = true;
  for (Millis left = kLongestEnd; active > 0 && left.count() > 0; left -= kLook) co_await sleep_for(kLook);
  if (active > 0) tally.error("sign-ins that did not end");
  for (const auto& user : users) results.connections += user->connections();
  co_return Result<void>();
}

}  // namespace

Result<LoginResults> run_login(LoginOptions options) {
  MUHUR_TRY(const http::Url url, http::Url::parse(options.url));
  if (url.scheme != "http")
    return fail(Code::invalid, "the load speaks plain HTTP", "Name the server's http:// address");
  if (options.users == 0 || options.accounts == 0 || options.time.count() <= 0)
    return fail(Code::invalid, "users, accounts and time must be more than nothing");
  Load load;
  std::uint16_t port = 0;
  std::from_chars(url.port.data(), url.port.data() + url.port.size(), port);
  const std::string authority = LoginConnection(url.host, port).authority();
  load.target = {.host = url.host,
                 .port = port,
                 .origin = "http://" + authority,
                 .profile = options.profile,
                 .accounts = options.accounts};
  load.probe = {.host = url.host,
                .port = port,
                .authority = authority,
                .pid = options.pid,
                .worker_pids = options.worker_pids};
  load.options = options;

  asio::io_context io(1);
  std::optional<Result<void>> done;
  asio::co_spawn(io, load.conduct(), [&](const std::exception_ptr& failed, Result<void> outcome) {
    if (failed) outcome = fail(Code::internal, "the load ended with an exception");
    done = std::move(outcome);
    io.stop();
  });
  io.run();
  if (done && !*done) return std::unexpected(done->error());

  LoginResults& results = load.results;
  results.options = std::move(options);
  for (std::size_t i = 0; i < results.steps.size(); ++i)
    results.steps[i] = figures_of(std::move(load.tally.milliseconds[i]));
  results.tally = std::move(load.tally);
  return std::move(results);
}

}  // namespace muhur::bench
