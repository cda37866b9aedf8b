#include "vault/writer.hpp"

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <deque>
#include <exception>
#include <optional>
#include <thread>

#include "base/log.hpp"
#include "base/metrics.hpp"
#include "base/sync.hpp"
#include "vault/serial_thread.hpp"
#include "vault/transaction.hpp"

namespace muhur::vault {
namespace {

using Work = Writer::Work;
using Done = Writer::Done;

struct Job {
  Work work;
  Done done;
  bool alone = false;
  Result<void> outcome;
};
using Group = std::vector<std::unique_ptr<Job>>;

// A BEGIN IMMEDIATE that took longer than this has waited for somebody.
constexpr std::chrono::milliseconds kUncontended{1};

Result<void> run_guarded(const Work& work, Connection& connection) {
  try {
    return work(connection);
  } catch (const std::exception& error) {
    return fail(Code::internal, fmt::format("a write threw: {}", error.what()));
  } catch (...) {
    return fail(Code::internal, "a write threw");
  }
}

}  // namespace

struct Writer::Core : std::enable_shared_from_this<Core> {
  Core(std::unique_ptr<Connection> c, LockFile l, std::size_t most, std::string_view label)
      : lock_file(std::move(l)),
        connection(std::move(c)),
        max_group(most ? most : 1),
        durable(metrics::counter("muhur_commits_total", "Transactions committed",
                                 fmt::format("db=\"{}\"", label))) {}

  // Released in this order: the connection first, the lock beside it last.
  std::optional<LockFile> lock_file;
  std::unique_ptr<Connection> connection;  // of the draining thread
  const std::size_t max_group;
  metrics::Counter& durable;
  std::optional<SerialThread> own_thread;
  Executor executor;

  Mutex mutex;
  Condition changed;
  std::deque<std::unique_ptr<Job>> queue MUHUR_GUARDED_BY(mutex);
  bool draining MUHUR_GUARDED_BY(mutex) = false;
  bool scheduled MUHUR_GUARDED_BY(mutex) = false;
  bool closing MUHUR_GUARDED_BY(mutex) = false;
  std::thread::id drainer MUHUR_GUARDED_BY(mutex);

  std::atomic<std::uint64_t> works{0}, commits{0}, failures{0}, busy_waits{0};

  void schedule();
  void drain_scheduled();
  Result<void> run(Work work, bool alone);
  void close();
  template <class Enough>
  void drain_until(Lock& lock, Enough enough) MUHUR_NO_TSA;  // called and left with the lock held
  Group take_group() MUHUR_REQUIRES(mutex);

  void execute(Group& group);
  void commit_together(Group& group);
  Result<void> run_in_group(Job& job, bool only_one);
};

// ---- who drains

void Writer::Core::schedule() {
  {
    const Lock lock(mutex);
    if (scheduled || queue.empty()) return;
    scheduled = true;
  }
  try {
    executor([self = shared_from_this()] { self->drain_scheduled(); });
  } catch (...) {  // no thread to be had: then this one
    drain_scheduled();
  }
}

void Writer::Core::drain_scheduled() {
  Lock lock(mutex);
  scheduled = false;
  if (draining) return;  // who drains now looks at the queue before it resigns
  drain_until(lock, [] { return false; });
}

// Leads until `enough` (asked under the lock) or nothing is left. A closing writer drains to the end.
template <class Enough>
void Writer::Core::drain_until(Lock& lock, Enough enough) {
  draining = true;
  drainer = std::this_thread::get_id();
  while (!queue.empty() && (closing || !enough())) {
    Group group = take_group();
    lock.unlock();
    execute(group);
    group.clear();  // a Done may own what calls back in here when it goes
    lock.lock();
    changed.notify_all();
  }
  draining = false;
  drainer = {};
  changed.notify_all();
  if (!closing || !queue.empty()) return;
  connection.reset();
  lock_file.reset();
}

Group Writer::Core::take_group() {
  Group group;
  while (!queue.empty() && group.size() < max_group) {
    if (queue.front()->alone && !group.empty()) break;
    group.push_back(std::move(queue.front()));
    queue.pop_front();
    if (group.front()->alone) break;
  }
  return group;
}

Result<void> Writer::Core::run(Work work, bool alone) {
  std::optional<Result<void>> outcome;  // under the mutex
  auto job = std::make_unique<Job>();
  job->work = std::move(work);
  job->alone = alone;
  job->done = [&](Result<void> got) {
    const Lock lock(mutex);
    outcome = std::move(got);
  };
  Lock lock(mutex);
  if (closing) return fail(Code::closed, "the database is closed");
  if (draining && drainer == std::this_thread::get_id())
    return fail(Code::internal, "a write waits for itself: use the connection that the work was given");
  queue.push_back(std::move(job));
  while (!outcome) {
    if (draining)
      changed.wait(lock, [&] MUHUR_NO_TSA { return outcome || !draining; });
    else
      drain_until(lock, [&] { return outcome.has_value(); });
  }
  const bool left_over = !queue.empty();
  lock.unlock();
  if (left_over) schedule();
  return std::move(*outcome);
}

void Writer::Core::close() {
  Lock lock(mutex);
  if (closing) return;
  closing = true;
  if (draining && drainer == std::this_thread::get_id()) return;  // drain_until() sees it on its way out
  changed.wait(lock, [&] MUHUR_NO_TSA { return !draining; });
  drain_until(lock, [] { return false; });
}

// ---- what a drain does

void Writer::Core::execute(Group& group) {
  if (group.front()->alone)
    group.front()->outcome = run_guarded(group.front()->work, *connection);
  else
    commit_together(group);
  for (auto& job : group) {
    job->work = nullptr;
    ++works;
    if (!job->outcome) ++failures;
    try {
      job->done(std::move(job->outcome));
    } catch (const std::exception& error) {
      log::error("vault", "a completion threw", {{"what", error.what()}});
    }
  }
}

Result<void> Writer::Core::run_in_group(Job& job, bool only_one) {
  if (only_one) return run_guarded(job.work, *connection);  // the transaction is its savepoint
  MUHUR_TRY(Savepoint savepoint, Savepoint::begin(*connection));
  MUHUR_CHECK(run_guarded(job.work, *connection));
  return savepoint.release();
}

void Writer::Core::commit_together(Group& group) {
  std::size_t next = 0;
  while (next < group.size()) {
    const auto before = std::chrono::steady_clock::now();
    auto transaction = Transaction::begin(*connection);
    if (std::chrono::steady_clock::now() - before > kUncontended) ++busy_waits;
    if (!transaction) {
      for (; next < group.size(); ++next) group[next]->outcome = std::unexpected(transaction.error());
      return;
    }
    const std::size_t first = next;
    bool any = false, lost = false;
    const auto fail_earlier = [&](const Error& error) {
      for (std::size_t i = first; i < next; ++i)
        if (group[i]->outcome) group[i]->outcome = std::unexpected(error);
    };
    for (; next < group.size() && !lost; ++next) {
      Job& job = *group[next];
      job.outcome = run_in_group(job, group.size() == 1);
      any = any || job.outcome.has_value();
      lost = !connection->in_transaction();
      if (!lost) continue;
      if (job.outcome) job.outcome = fail(Code::internal, "a write ended the transaction of its group");
      fail_earlier(Error(job.outcome.error()));
    }
    if (lost || !any) continue;  // nothing to commit: ~Transaction rolls back what is left
    if (auto committed = transaction->commit(); committed) {
      ++commits;
      durable.add();
    } else {
      fail_earlier(committed.error());
    }
  }
}

// ---- the outside

Writer::Writer(std::unique_ptr<Connection> connection, LockFile lock, std::size_t max_group,
               Executor executor, std::string_view metrics_label)
    : core_(std::make_shared<Core>(std::move(connection), std::move(lock), max_group, metrics_label)) {
  if (executor) {
    core_->executor = std::move(executor);
  } else {
    core_->own_thread.emplace();
    core_->executor = [core = core_.get()](std::function<void()> job) {
      core->own_thread->post(std::move(job));
    };
  }
}

Writer::~Writer() { close(); }

void Writer::submit(Work work, Done done) {
  auto job = std::make_unique<Job>();
  job->work = std::move(work);
  job->done = std::move(done);
  {
    const Lock lock(core_->mutex);
    if (!core_->closing) {
      core_->queue.push_back(std::move(job));
    }
  }
  if (job) return job->done(fail(Code::closed, "the database is closed"));
  const auto core = core_;
  core->schedule();
}

// The copy keeps the core while this thread is in it, were another to drop the Writer meanwhile.
Result<void> Writer::run(Work work) {
  const auto core = core_;
  return core->run(std::move(work), false);
}
Result<void> Writer::run_alone(Work work) {
  const auto core = core_;
  return core->run(std::move(work), true);
}
void Writer::close() { core_->close(); }

WriterFigures Writer::figures() const {
  return {core_->works, core_->commits, core_->failures, core_->busy_waits};
}

}  // namespace muhur::vault
