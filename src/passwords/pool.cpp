#include "passwords/pool.hpp"

#include <fmt/format.h>
#include <pthread.h>

#include <array>
#include <deque>
#include <optional>
#include <thread>
#include <variant>
#include <vector>

#include "base/metrics.hpp"
#include "base/priority.hpp"
#include "base/random.hpp"
#include "base/sync.hpp"
#include "passwords/meters.hpp"

namespace muhur::passwords {
namespace {

using TimePoint = std::chrono::steady_clock::time_point;

struct VerifyWork {
  Record record;
  HashPool::Done done;
};
struct HashWork {
  crypto::Argon2Cost cost;
  HashPool::Hashed done;
};
struct Job {
  Secret password;
  TimePoint deadline;
  std::string batch;  // empty: alone
  TimePoint since{};  // when it came
  std::variant<VerifyWork, HashWork> work;
};
using Jobs = std::vector<Job>;

void refuse(Job& job, const Error& error) {
  std::visit([&](auto& work) { work.done(std::unexpected(error)); }, job.work);
}

Error too_late() {
  return {Code::timed_out, "too many passwords are being verified", "Try again in a moment"};
}
Error full() { return {Code::busy, "too many passwords are being verified", "Try again in a moment"}; }
Error ended() { return {Code::closed, "the server is stopping", {}}; }

Result<std::string> make_record(const Secret& password, const crypto::Argon2Cost& cost) {
  MUHUR_TRY(const NewRecord made, new_record(password, cost));
  return to_text(made.record);
}

// Both compute, call `computed` (the books are right before anybody hears of it), and answer.
void run_alone(Job& job, const std::function<void()>& computed) {
  if (auto* verify = std::get_if<VerifyWork>(&job.work)) {
    auto verdict = verify_one(job.password, verify->record);
    computed();
    verify->done(std::move(verdict));
  } else if (auto* hash = std::get_if<HashWork>(&job.work)) {
    auto record = make_record(job.password, hash->cost);
    computed();
    hash->done(std::move(record));
  }
}

// Jobs of one batch key: bcrypt of one cost.
void run_together(Jobs& jobs, const std::function<void()>& computed) {
  std::array<BcryptCheck, kBcryptLanes> checks;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const auto& verify = std::get<VerifyWork>(jobs[i].work);
    checks[i] = {&jobs[i].password, &std::get<BcryptRecord>(verify.record)};
  }
  verify_together(std::span(checks).first(jobs.size()));
  computed();
  for (std::size_t i = 0; i < jobs.size(); ++i)
    std::get<VerifyWork>(jobs[i].work).done(Verdict{checks[i].right, {}});
}

struct Meters {
  metrics::Counter& batches =
      metrics::counter("muhur_password_batches_total", "Groups of up to four hashes computed interleaved");
  metrics::Counter& full = refused("full");
  metrics::Counter& late = refused("late");
  metrics::Counter& ended = refused("ended");
  metrics::Gauge& waiting =
      metrics::gauge("muhur_password_waiting", "Password hashes that wait for a thread");
  metrics::Gauge& running = metrics::gauge("muhur_password_running", "Password hashes being computed");
  metrics::Histogram& waited =
      metrics::histogram("muhur_password_wait_seconds", "How long password hashes waited for a thread");

  static metrics::Counter& refused(std::string_view reason) {
    return metrics::counter("muhur_password_refused_total",
                            "Password hashes refused: the queue full, a deadline over, the server stopping",
                            metrics::label("reason", reason));
  }
};
Meters& meters() {
  static Meters all;
  return all;
}

}  // namespace

struct HashPool::Impl {
  PoolOptions options;
  mutable Mutex mutex;
  Condition wake;
  std::deque<Job> waiting MUHUR_GUARDED_BY(mutex);
  PoolFigures figures MUHUR_GUARDED_BY(mutex);
  std::size_t idle MUHUR_GUARDED_BY(mutex) = 0;
  bool ending MUHUR_GUARDED_BY(mutex) = false;
  std::vector<std::thread> threads;

  void add(Job job);
  void work();
  void count(std::size_t computed);
  // What one thread does next, and in `late` what came too late. Both empty: the pool ends.
  Jobs next(Jobs& late);
  void sort_out_late(TimePoint now, Jobs& late) MUHUR_REQUIRES(mutex);
  Jobs take() MUHUR_REQUIRES(mutex);
};

void HashPool::Impl::add(Job job) {
  std::optional<Error> refusal;
  {
    const Lock lock(mutex);
    if (ending)
      refusal = ended();
    else if (waiting.size() >= options.max_waiting)
      refusal = full();
    if (refusal) {
      ++figures.refused;
      (ending ? meters().ended : meters().full).add();
    } else {
      job.since = std::chrono::steady_clock::now();
      waiting.push_back(std::move(job));
      meters().waiting.add(1);
    }
  }
  if (refusal) return refuse(job, *refusal);
  wake.notify_one();
}

void HashPool::Impl::sort_out_late(TimePoint now, Jobs& late) {
  const auto is_late = [&](const Job& job) { return job.deadline <= now; };
  if (std::ranges::none_of(waiting, is_late)) return;
  std::deque<Job> kept;
  for (Job& job : waiting) {
    if (is_late(job))
      late.push_back(std::move(job));
    else
      kept.push_back(std::move(job));
  }
  waiting.swap(kept);
}

Jobs HashPool::Impl::take() {
  Jobs taken;
  if (waiting.empty()) return taken;
  const std::size_t sharers = idle + 1;
  const std::size_t most = std::min((waiting.size() + sharers - 1) / sharers, kBcryptLanes);
  taken.push_back(std::move(waiting.front()));
  waiting.pop_front();
  if (taken.front().batch.empty()) return taken;
  for (auto at = waiting.begin(); at != waiting.end() && taken.size() < most;) {
    if (at->batch != taken.front().batch) {
      ++at;
      continue;
    }
    taken.push_back(std::move(*at));
    at = waiting.erase(at);
  }
  return taken;
}

Jobs HashPool::Impl::next(Jobs& late) {
  Lock lock(mutex);
  ++idle;
  wake.wait(lock, [&]() MUHUR_REQUIRES(mutex) { return ending || !waiting.empty(); });
  --idle;
  if (ending) return {};
  const auto now = std::chrono::steady_clock::now();
  sort_out_late(now, late);
  Jobs taken = take();
  for (const Job& job : taken)
    meters().waited.observe(std::chrono::duration<double>(now - job.since).count());
  figures.running += taken.size();
  figures.refused += late.size();
  return taken;
}

void HashPool::Impl::work() {
  pthread_setname_np(pthread_self(), "hash");
  if (options.nice > 0) lower_thread_priority(options.nice);
  while (true) {
    Jobs late;
    Jobs jobs = next(late);
    if (jobs.empty() && late.empty()) return;
    meters().waiting.add(-static_cast<std::int64_t>(jobs.size() + late.size()));
    meters().running.add(static_cast<std::int64_t>(jobs.size()));
    meters().late.add(late.size());
    for (Job& job : late) refuse(job, too_late());
    if (jobs.empty()) continue;
    const auto computed = [&] { count(jobs.size()); };
    if (jobs.size() == 1)
      run_alone(jobs.front(), computed);
    else
      run_together(jobs, computed);
  }
}

void HashPool::Impl::count(std::size_t computed) {
  meters().running.add(-static_cast<std::int64_t>(computed));
  meters().batches.add();
  const Lock lock(mutex);
  figures.running -= computed;
  figures.done += computed;
  ++figures.batches;
}

HashPool::HashPool(PoolOptions options) : impl_(std::make_unique<Impl>()) {
  announce_hashing();
  meters();
  if (options.threads == 0) options.threads = std::max(1U, std::thread::hardware_concurrency());
  impl_->options = options;
  for (std::size_t i = 0; i < options.threads; ++i)
    impl_->threads.emplace_back([impl = impl_.get()] { impl->work(); });
}

HashPool::~HashPool() {
  std::deque<Job> left;
  {
    const Lock lock(impl_->mutex);
    impl_->ending = true;
    left.swap(impl_->waiting);
  }
  impl_->wake.notify_all();
  meters().waiting.add(-static_cast<std::int64_t>(left.size()));
  meters().ended.add(left.size());
  for (Job& job : left) refuse(job, ended());
  for (auto& thread : impl_->threads) thread.join();
}

void HashPool::verify(Secret password, Record record, TimePoint deadline, Done done) {
  std::string batch = batch_key(record);
  impl_->add(
      {std::move(password), deadline, std::move(batch), {}, VerifyWork{std::move(record), std::move(done)}});
}

void HashPool::hash(Secret password, crypto::Argon2Cost cost, TimePoint deadline, Hashed done) {
  impl_->add({std::move(password), deadline, {}, {}, HashWork{cost, std::move(done)}});
}

PoolFigures HashPool::figures() const {
  const Lock lock(impl_->mutex);
  PoolFigures figures = impl_->figures;
  figures.waiting = impl_->waiting.size();
  return figures;
}

std::size_t HashPool::threads() const { return impl_->options.threads; }

}  // namespace muhur::passwords
