#include "passwords/trial.hpp"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cmath>

#include "passwords/worker_client.hpp"

namespace muhur::passwords {
namespace asio = boost::asio;
using std::chrono::milliseconds;
using std::chrono::steady_clock;
namespace {

constexpr milliseconds kLimit{15'000};
constexpr int kChecks = 5;
constexpr std::size_t kMostAtOnce = 256;

double ms_since(steady_clock::time_point began) {
  return std::chrono::duration<double, std::milli>(steady_clock::now() - began).count();
}

double nearest_rank(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(values.size())));
  return values[std::max<std::size_t>(rank, 1) - 1];
}

struct Load {
  WorkerClient& client;
  const Secret password = Secret::from_text("trial");
  std::string record;
  steady_clock::time_point until;
  std::vector<double> times;
  std::optional<Error> error;
  std::size_t running = 0;
};

// One of many that verify again and again until the time is up.
net::Task<void> keep_verifying(Load& load) {
  while (!load.error && steady_clock::now() < load.until) {
    const auto began = steady_clock::now();
    const auto verdict = co_await load.client.verify(load.password, load.record, kLimit);
    if (!verdict)
      load.error = verdict.error().error;
    else if (!verdict->right)
      load.error = Error{Code::internal, "the worker takes a right password for a wrong one", {}};
    else
      load.times.push_back(ms_since(began));
  }
}

net::Task<void> measure_rate(Load& load, std::size_t at_once) {
  const auto executor = co_await asio::this_coro::executor;
  asio::steady_timer all_done(executor, steady_clock::time_point::max());
  for (std::size_t i = 0; i < at_once; ++i) {
    ++load.running;
    asio::co_spawn(executor, keep_verifying(load), [&](std::exception_ptr thrown) {
      if (thrown && !load.error) load.error = Error{Code::internal, "the trial failed", {}};
      if (--load.running == 0) all_done.cancel();
    });
  }
  boost::system::error_code cancelled;
  while (load.running > 0) co_await all_done.async_wait(asio::redirect_error(asio::use_awaitable, cancelled));
}

}  // namespace

net::Task<Trial> try_worker(const Secret& shared, TrialOptions options) {
  Trial trial;
  trial.url = options.url;
  if (shared.size() < kLeastWorkerSecret) {
    trial.error = Error{Code::invalid, "the shared secret is shorter than 32 bytes", {}};
    co_return trial;
  }
  auto client = WorkerClient::create(co_await asio::this_coro::executor, options.url,
                                     std::make_shared<const Wire>(shared), options.ca_file);
  if (!client) {
    trial.error = std::move(client).error();
    co_return trial;
  }
  std::vector<double> checks;
  for (int i = 0; i < kChecks; ++i) {
    const auto began = steady_clock::now();
    const auto health = co_await (*client)->health(kLimit);
    if (!health) {
      trial.error = health.error().error;
      co_return trial;
    }
    checks.push_back(ms_since(began));
    trial.threads = health->threads;
  }
  trial.round_trip_ms = nearest_rank(checks, 0.5);

  Load load{.client = **client, .until = {}};
  const auto record = make_bcrypt(load.password.view(), options.cost);
  if (!record) {
    trial.error = record.error();
    co_return trial;
  }
  load.record = to_text(*record);
  const auto began = steady_clock::now();
  load.until = began + options.time;
  // Twice as many as there are lanes: while four are computed the next four wait.
  const std::size_t lanes = std::max<std::size_t>(trial.threads, 1) * kBcryptLanes;
  co_await measure_rate(load, std::min(2 * lanes, kMostAtOnce));
  if (load.error) trial.error = load.error;
  trial.hashes_per_s = static_cast<double>(load.times.size()) / (ms_since(began) / 1e3);
  trial.p50_ms = nearest_rank(load.times, 0.5);
  trial.p95_ms = nearest_rank(load.times, 0.95);
  co_return trial;
}

}  // namespace muhur::passwords
