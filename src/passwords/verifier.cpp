#include "passwords/verifier.hpp"

#include "passwords/await.hpp"
#include "passwords/meters.hpp"
#include "passwords/remote.hpp"

namespace muhur::passwords {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

// What one try at a worker may take of the time that is left, when there is somebody else to turn to: a
// worker that hangs costs a third, and two more can be asked before the time is up.
constexpr int kShareOfOneTry = 3;

milliseconds left_until(steady_clock::time_point deadline) {
  return std::chrono::duration_cast<milliseconds>(deadline - steady_clock::now());
}

}  // namespace

struct Verifier::Impl {
  Impl(boost::asio::any_io_executor executor, HashPool& pool, const VerifierOptions& options)
      : local(pool),
        deadline(options.deadline),
        local_fallback(options.local_fallback),
        remote(std::move(executor), options) {}

  HashPool& local;
  const milliseconds deadline;
  const bool local_fallback;
  Remote remote;

  // One hash, wherever it is best done. Workers first; who is busy, gone or not to be trusted is passed over.
  template <class T, class OnWorker, class OnPool>
  net::Task<Result<T>> anywhere(std::string_view kind, steady_clock::time_point latest, OnWorker on_worker,
                                OnPool on_pool) {
    const auto until = std::min(latest, steady_clock::now() + deadline);
    const bool has_local = local_fallback || remote.size() == 0;
    std::vector<bool> tried(remote.size(), false);
    bool tried_local = false;
    Error last{Code::busy, "nobody can verify passwords at the moment", "Try again in a moment"};
    while (left_until(until) > milliseconds(0)) {
      std::optional<std::size_t> load;
      if (has_local && !tried_local) {
        const PoolFigures figures = local.figures();
        load = figures.waiting + figures.running;
      }
      const auto at = remote.take_place(tried, load, local.threads(), !has_local);
      if (!at) {
        if (!load) co_return std::unexpected(last);
        tried_local = true;
        Result<T> result = co_await on_pool(until);
        if (result || result.error().code != Code::busy) co_return result;
        last = std::move(result).error();
        continue;  // our own queue is full: a worker whose lanes are taken may still have room
      }
      tried[*at] = true;
      const bool is_last = !load && std::ranges::find(tried, false) == tried.end();
      CallResult<T> result =
          co_await on_worker(*at, is_last ? left_until(until) : left_until(until) / kShareOfOneTry);
      if (result) {
        count_remote_hash(kind);
        co_return std::move(*result);
      }
      if (result.error().kind == Failure::refused) co_return std::unexpected(std::move(result.error().error));
    }
    co_return fail(Code::timed_out, "the password could not be verified in time", "Try again in a moment");
  }
};

Verifier::Verifier(boost::asio::any_io_executor executor, HashPool& local, VerifierOptions options)
    : impl_(std::make_unique<Impl>(std::move(executor), local, options)) {}
Verifier::~Verifier() = default;

net::Task<Result<Verdict>> Verifier::verify(Secret password, std::string record,
                                            steady_clock::time_point until) {
  MUHUR_CO_TRY(const Record parsed, parse_record(record));
  co_return co_await impl_->anywhere<Verdict>(
      kind_of(parsed), until,
      [&](std::size_t at, milliseconds limit) { return impl_->remote.verify(at, password, record, limit); },
      [&](steady_clock::time_point by) { return verify_on(impl_->local, password.copy(), parsed, by); });
}

net::Task<Result<std::string>> Verifier::hash(Secret password, crypto::Argon2Cost cost) {
  co_return co_await impl_->anywhere<std::string>(
      "argon2id", steady_clock::time_point::max(),
      [&](std::size_t at, milliseconds limit) { return impl_->remote.hash(at, password, cost, limit); },
      [&](steady_clock::time_point until) { return hash_on(impl_->local, password.copy(), cost, until); });
}

net::Task<Result<NewRecord>> Verifier::new_record(Secret password, crypto::Argon2Cost cost) {
  MUHUR_CO_TRY(const std::string text, co_await hash(password.copy(), cost));
  MUHUR_CO_TRY(Argon2Record record, parse_argon2(text));
  MUHUR_CO_TRY(Verdict verdict, co_await verify(std::move(password), text));
  // Also what an upgrade has to hold on to: a record that is dearer than asked for, or that its own password
  // does not fit, would lock its user out.
  if (!verdict.right || record.cost != cost || verdict.kek.empty())
    co_return fail(Code::internal, "a record that was made does not fit its password");
  co_return NewRecord{std::move(record), std::move(verdict.kek)};
}

std::vector<WorkerFigures> Verifier::workers() const { return impl_->remote.figures(); }
milliseconds Verifier::deadline() const { return impl_->deadline; }
HashPool& Verifier::local() { return impl_->local; }

}  // namespace muhur::passwords
