#include "passwords/remote_worker.hpp"

#include <algorithm>
#include <cmath>

#include "base/log.hpp"
#include "base/random.hpp"

namespace muhur::passwords {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr std::size_t kLatencies = 256;
constexpr std::size_t kMostThreads = 1'024;  // whatever a worker says of itself

std::string label_of(const std::string& url) { return metrics::label("worker", url); }

double nearest_rank(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(values.size())));
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(std::max<std::size_t>(rank, 1) - 1);
  std::ranges::nth_element(values, at);
  return *at;
}

bool is_grave(Failure kind) { return kind == Failure::hung || kind == Failure::untrusted; }

}  // namespace

KnownWorker::KnownWorker(std::unique_ptr<WorkerClient> client)
    : client_(std::move(client)),
      done_total_(metrics::counter("muhur_worker_calls_total", "Password hashes that workers computed",
                                   label_of(client_->url()))),
      failed_total_(metrics::counter("muhur_worker_failures_total", "Calls to workers that failed",
                                     label_of(client_->url()))),
      healthy_gauge_(
          metrics::gauge("muhur_worker_healthy", "1 while a worker is given work", label_of(client_->url()))),
      outstanding_gauge_(metrics::gauge("muhur_worker_outstanding", "Hashes under way at a worker",
                                        label_of(client_->url()))),
      seconds_(metrics::histogram("muhur_worker_seconds", "How long workers took, waiting included",
                                  label_of(client_->url()))) {}

Place KnownWorker::place() const {
  const Lock lock(mutex_);
  return {outstanding_, threads_, breaker_.closed()};
}

void KnownWorker::take() {
  const Lock lock(mutex_);
  ++outstanding_;
  outstanding_gauge_.add(1);
}

bool KnownWorker::call_ended(steady_clock::time_point began, const CallError* error) {
  const auto now = steady_clock::now();
  const double seconds = std::chrono::duration<double>(now - began).count();
  const Lock lock(mutex_);
  --outstanding_;
  outstanding_gauge_.add(-1);
  const bool was_closed = breaker_.closed();
  // A request that is at fault says nothing against who refuses it; nor does having much to do.
  if (!error || error->kind == Failure::refused) {
    breaker_.call_succeeded();
    ++done_;
    done_total_.add();
    seconds_.observe(seconds);
    if (latencies_.size() < kLatencies)
      latencies_.push_back(seconds * 1e3);
    else
      latencies_[done_ % kLatencies] = seconds * 1e3;
    return false;
  }
  ++failed_;
  failed_total_.add();
  if (error->kind != Failure::busy) breaker_.failed(now, is_grave(error->kind));
  healthy_gauge_.set(breaker_.closed() ? 1 : 0);
  if (!breaker_.closed()) tell_left_out(error->error);
  return was_closed && !breaker_.closed();
}

void KnownWorker::check_ended(const CallResult<Health>& health) {
  const auto now = steady_clock::now();
  const Lock lock(mutex_);
  const bool was_closed = breaker_.closed();
  if (health) {
    threads_ = std::clamp<std::size_t>(health->threads, 1, kMostThreads);
    breaker_.check_succeeded();
    told_left_out_ = false;
    if (!was_closed) log::info("passwords", "a worker takes part", {{"worker", client_->url()}});
  } else if (health.error().kind != Failure::busy || !was_closed) {
    breaker_.failed(now, is_grave(health.error().kind));
    if (!breaker_.closed()) tell_left_out(health.error().error);
  }
  healthy_gauge_.set(breaker_.closed() ? 1 : 0);
}

// Once for each time: whatever fails afterwards fails for the same reason.
void KnownWorker::tell_left_out(const Error& why) {
  if (told_left_out_) return;
  told_left_out_ = true;
  log::warn("passwords", "a worker is left out", {{"worker", client_->url()}, {"why", why.text()}});
}

milliseconds KnownWorker::until_check(milliseconds usual) const {
  const Lock lock(mutex_);
  if (!breaker_.closed()) {
    const auto left = std::chrono::duration_cast<milliseconds>(breaker_.next_probe() - steady_clock::now());
    return std::max(left, milliseconds(0)) + milliseconds(1);
  }
  // A fifth more or less, so that servers which started together do not check together.
  const auto fifth = static_cast<std::uint64_t>(usual.count()) / 5;
  return usual - milliseconds(fifth) + milliseconds(random_below(2 * fifth + 1));
}

WorkerFigures KnownWorker::figures() const {
  const Lock lock(mutex_);
  return {client_->url(),
          breaker_.closed(),
          done_,
          failed_,
          outstanding_,
          nearest_rank(latencies_, 0.5),
          nearest_rank(latencies_, 0.95)};
}

}  // namespace muhur::passwords
