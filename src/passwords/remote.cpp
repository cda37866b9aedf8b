#include "passwords/remote.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/log.hpp"
#include "passwords/remote_worker.hpp"

namespace muhur::passwords {
namespace asio = boost::asio;
using std::chrono::milliseconds;
using std::chrono::steady_clock;
namespace {

constexpr milliseconds kCheckLimit{2'000};

}  // namespace

struct Remote::Impl : std::enable_shared_from_this<Impl> {
  using Strand = asio::strand<asio::any_io_executor>;

  struct Entry {
    Entry(std::unique_ptr<WorkerClient> client, const Strand& strand)
        : known(std::move(client)), timer(strand) {}
    KnownWorker known;
    asio::steady_timer timer;  // of its health checks
  };

  Impl(const asio::any_io_executor& executor, milliseconds every) : strand(executor), check_every(every) {}

  Strand strand;
  const milliseconds check_every;
  std::vector<std::unique_ptr<Entry>> workers;  // the list does not change once it is made
  bool ended = false;                           // on the strand
  Mutex mutex;
  std::size_t turn MUHUR_GUARDED_BY(mutex) = 0;

  // Checks one worker for as long as the owner lives.
  static net::Task<void> watch(std::shared_ptr<Impl> self, Entry& entry) {
    while (!self->ended) {
      entry.known.check_ended(co_await entry.known.client().health(kCheckLimit));
      if (self->ended) break;
      entry.timer.expires_after(entry.known.until_check(self->check_every));
      boost::system::error_code cancelled;  // when its breaker opened meanwhile: the time is another now
      co_await entry.timer.async_wait(asio::redirect_error(asio::use_awaitable, cancelled));
      while (cancelled && !self->ended) {
        entry.timer.expires_after(entry.known.until_check(self->check_every));
        cancelled = {};
        co_await entry.timer.async_wait(asio::redirect_error(asio::use_awaitable, cancelled));
      }
    }
  }

  // Runs `call` on the strand and keeps the books.
  template <class T, class Call>
  static net::Task<CallResult<T>> run([[maybe_unused]] std::shared_ptr<Impl> self, Entry& entry, Call call) {
    const auto began = steady_clock::now();
    CallResult<T> result = co_await call();
    if (entry.known.call_ended(began, result ? nullptr : &result.error())) entry.timer.cancel();
    co_return result;
  }
};

Remote::Remote(asio::any_io_executor executor, const VerifierOptions& options)
    : impl_(std::make_shared<Impl>(executor, options.health_every)) {
  if (options.workers.empty()) return;
  if (options.worker_secret.size() < kLeastWorkerSecret) {
    log::error("passwords", "no worker is used: the shared secret is shorter than 32 bytes");
    return;
  }
  const auto wire = std::make_shared<const Wire>(options.worker_secret);
  for (const RemoteWorker& worker : options.workers) {
    auto client = WorkerClient::create(executor, worker.url, wire, options.ca_file);
    if (!client) {
      log::error("passwords", "a worker is not used",
                 {{"worker", worker.url}, {"why", client.error().text()}});
      continue;
    }
    impl_->workers.push_back(std::make_unique<Impl::Entry>(std::move(*client), impl_->strand));
  }
  for (const auto& entry : impl_->workers)
    asio::co_spawn(impl_->strand, Impl::watch(impl_, *entry), asio::detached);
}

Remote::~Remote() {
  asio::post(impl_->strand, [impl = impl_] {
    impl->ended = true;
    for (const auto& entry : impl->workers) entry->timer.cancel();
  });
}

std::size_t Remote::size() const { return impl_->workers.size(); }

std::optional<std::size_t> Remote::take_place(const std::vector<bool>& tried,
                                              std::optional<std::size_t> local_load,
                                              std::size_t local_threads, bool any_will_do) {
  std::vector<Place> places;
  for (std::size_t i = 0; i < impl_->workers.size(); ++i) {
    Place place = impl_->workers[i]->known.place();
    place.usable = place.usable && !tried[i];
    places.push_back(place);
  }
  const Lock lock(impl_->mutex);
  auto at = least_loaded(places, impl_->turn);
  if (!at && any_will_do) {
    for (std::size_t i = 0; i < places.size(); ++i) places[i].usable = !tried[i];
    at = least_loaded(places, impl_->turn);
  }
  if (!at) return std::nullopt;
  if (local_load && local_is_better({*local_load, local_threads, true}, places[*at])) return std::nullopt;
  impl_->workers[*at]->known.take();
  return at;
}

net::Task<CallResult<Verdict>> Remote::verify(std::size_t at, const Secret& password,
                                              const std::string& record, milliseconds limit) {
  auto& entry = *impl_->workers[at];
  auto call = [&entry, &password, &record, limit] {
    return entry.known.client().verify(password, record, limit);
  };
  return asio::co_spawn(impl_->strand, Impl::run<Verdict>(impl_, entry, std::move(call)),
                        asio::use_awaitable);
}

net::Task<CallResult<std::string>> Remote::hash(std::size_t at, const Secret& password,
                                                crypto::Argon2Cost cost, milliseconds limit) {
  auto& entry = *impl_->workers[at];
  auto call = [&entry, &password, cost, limit] { return entry.known.client().hash(password, cost, limit); };
  return asio::co_spawn(impl_->strand, Impl::run<std::string>(impl_, entry, std::move(call)),
                        asio::use_awaitable);
}

std::vector<WorkerFigures> Remote::figures() const {
  std::vector<WorkerFigures> all;
  for (const auto& entry : impl_->workers) all.push_back(entry->known.figures());
  return all;
}

}  // namespace muhur::passwords
