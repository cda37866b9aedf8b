#include "accounts/lockout.hpp"

#include <fmt/format.h>

#include "accounts/network.hpp"
#include "base/log.hpp"
#include "base/lru.hpp"
#include "base/metrics.hpp"
#include "base/sync.hpp"
#include "crypto/mac.hpp"

namespace muhur::accounts {
namespace {

constexpr std::size_t kSubjectSize = 16;
constexpr std::chrono::seconds kLongestTurn{30};         // for the outcome of others' attempts
constexpr std::int64_t kGoodExactTo = 24LL * 3'600'000;  // a success is written once a day
constexpr std::uint64_t kWritesAPrune = 256;

struct Counter {
  std::string subject;
  int failures = 0;
  std::int64_t last_ms = 0;  // of the last wrong guess
  std::int64_t good_ms = 0;  // of the last success (pairs of account and network only)
  int in_flight = 0;
  std::vector<std::function<void()>> waiting;  // for one in flight to end
};
using Shared = std::shared_ptr<Counter>;

std::string subject_of(ByteView key, std::string_view kind, std::string_view account,
                       std::string_view network) {
  std::string text(kind);
  text += '\0';
  text += account;
  text += '\0';
  text += network;
  const crypto::Digest digest = crypto::blake2b(as_bytes(text), key);
  return std::string(as_text(ByteView(digest).first(kSubjectSize)));
}

}  // namespace

struct Lockout::Impl {
  Directory& directory;
  const LockoutLimits limits;
  Bytes key;
  Mutex mutex;
  Condition ended;  // an attempt's outcome is known
  Lru<std::string, Shared> counters MUHUR_GUARDED_BY(mutex);
  std::uint64_t writes MUHUR_GUARDED_BY(mutex) = 0;

  Impl(Directory& d, LockoutLimits l) : directory(d), limits(l), counters(l.remembered, SIZE_MAX) {
    auto setting = directory.setting("sign-in-key");
    if (setting && *setting) key = std::move(**setting);
    // Without the key counters still count; they only start anew with the process.
    if (key.size() < 16 || key.size() > 64) key = to_bytes("unkeyed counters");
  }

  std::int64_t now() const { return directory.clock().now_ms(); }

  // From memory, else from the database, else a new one.
  Shared find(const std::string& subject) MUHUR_EXCLUDES(mutex) {
    {
      const Lock lock(mutex);
      if (Shared* known = counters.get(subject)) return *known;
    }
    auto made = std::make_shared<Counter>();
    made->subject = subject;
    const Result<void> read = directory.database().read([&](vault::Connection& c) -> Result<void> {
      MUHUR_TRY(auto st, c.prepare("SELECT failures, last_ms, good_ms FROM attempts WHERE subject = ?"));
      MUHUR_TRY(const bool row, st.bind(as_bytes(subject)).step());
      if (!row) return {};
      made->failures = st.as<int>(0);
      made->last_ms = st.int64(1);
      made->good_ms = st.int64(2);
      return {};
    });
    if (!read)
      log::warn("accounts", "a counter of guesses could not be read", {{"error", read.error().text()}});
    const Lock lock(mutex);
    if (Shared* known = counters.get(subject)) return *known;  // somebody was quicker
    return counters.put(subject, std::move(made));
  }

  int failures_of(const Counter& counter) const MUHUR_REQUIRES(mutex) {
    return now() - counter.last_ms > limits.forget.count() ? 0 : counter.failures;
  }

  // How long until the next attempt; 0: at once.
  std::int64_t delay_of(const Counter& counter, int free) const MUHUR_REQUIRES(mutex) {
    const int over = failures_of(counter) - free;
    if (over < 0) return 0;
    const std::int64_t longest = limits.longest_delay.count();
    const std::int64_t delay = over >= 30 ? longest : std::min(longest, limits.first_delay.count() << over);
    // A clock that was set back must not make the wait longer than the delay itself.
    return std::clamp<std::int64_t>(counter.last_ms + delay - now(), 0, delay);
  }

  bool has_room(const Counter& counter, int free) const MUHUR_REQUIRES(mutex) {
    return counter.in_flight < std::max(1, free - failures_of(counter));
  }

  struct Turn {
    std::int64_t wait_ms = 0;  // after wrong guesses
    Counter* full = nullptr;   // where all places are taken; null: there is one
  };
  Turn turn_of(Attempt::State& state) MUHUR_REQUIRES(mutex);
  void take_place(const Attempt::State& state) MUHUR_REQUIRES(mutex);
  static std::unexpected<Error> delayed(std::int64_t wait_ms);

  void save(const Counter& counter) MUHUR_REQUIRES(mutex) {
    const bool prune = ++writes % kWritesAPrune == 0;
    const std::int64_t old_failure = now() - limits.forget.count();
    const std::int64_t old_success = now() - limits.known_for.count();
    directory.database().write_async(
        [subject = to_bytes(counter.subject), failures = counter.failures, last = counter.last_ms,
         good = counter.good_ms, prune, old_failure, old_success](vault::Connection& c) -> Result<void> {
          MUHUR_CHECK(
              c.run("INSERT INTO attempts(subject, failures, last_ms, good_ms) VALUES (?, ?, ?, ?) "
                    "ON CONFLICT(subject) DO UPDATE SET failures = excluded.failures, "
                    "last_ms = excluded.last_ms, good_ms = excluded.good_ms",
                    subject, failures, last, good));
          if (!prune) return {};
          return c.run("DELETE FROM attempts WHERE last_ms < ? AND good_ms < ?", old_failure, old_success);
        },
        [](const Result<void>& done) {
          if (!done)
            log::warn("accounts", "a counter of guesses could not be stored",
                      {{"error", done.error().text()}});
        });
  }

  void add_failure(Counter& counter) MUHUR_REQUIRES(mutex) {
    counter.failures = failures_of(counter) + 1;
    counter.last_ms = now();
    save(counter);
  }
};

struct Lockout::Attempt::State {
  Impl* impl;
  Shared guess;    // one of the next two: what this attempt counts for
  Shared pair;     // of account and network
  Shared whole;    // of the account
  Shared network;  // null: not counted
};

Lockout::Attempt::Attempt(std::unique_ptr<State> state) : state_(std::move(state)) {}
Lockout::Attempt::Attempt(Attempt&& other) noexcept = default;

Lockout::Attempt::~Attempt() {
  if (!state_) return;
  std::vector<std::function<void()>> waiting;
  {
    const Lock lock(state_->impl->mutex);
    --state_->guess->in_flight;
    waiting.swap(state_->guess->waiting);
    if (state_->network) {
      --state_->network->in_flight;
      std::ranges::move(state_->network->waiting, std::back_inserter(waiting));
      state_->network->waiting.clear();
    }
  }
  state_->impl->ended.notify_all();
  for (const auto& again : waiting) again();
}

void Lockout::Attempt::succeeded(bool forgives) {
  {
    const Lock lock(state_->impl->mutex);
    Counter& guess = *state_->guess;
    Counter& pair = *state_->pair;
    const std::int64_t now = state_->impl->now();
    const bool had_failures = forgives && guess.failures > 0;
    const bool stale = now - pair.good_ms > kGoodExactTo;
    if (had_failures) guess.failures = 0;
    pair.good_ms = now;
    if (stale) state_->impl->save(pair);
    if (had_failures && !(stale && &guess == &pair)) state_->impl->save(guess);
  }
  const Attempt ended(std::move(state_));
}

void Lockout::Attempt::wrong() {
  {
    const Lock lock(state_->impl->mutex);
    state_->impl->add_failure(*state_->guess);
    if (state_->network) state_->impl->add_failure(*state_->network);
  }
  const Attempt ended(std::move(state_));
}

Lockout::Lockout(Directory& directory, LockoutLimits limits)
    : impl_(std::make_unique<Impl>(directory, limits)) {}
Lockout::~Lockout() = default;

std::unique_ptr<Lockout::Attempt::State> Lockout::subjects_of(std::string_view account,
                                                              std::string_view peer) {
  Impl& impl = *impl_;
  const Network network = network_of(peer);
  auto state = std::make_unique<Attempt::State>();
  state->impl = &impl;
  state->pair = impl.find(subject_of(impl.key, "pair", account, network.name));
  state->whole = impl.find(subject_of(impl.key, "account", account, ""));
  if (impl.limits.count_networks && (impl.limits.count_local || !network.is_local))
    state->network = impl.find(subject_of(impl.key, "network", "", network.name));
  return state;
}

// Asked anew at each turn: what those before did may have opened or closed the way.
Lockout::Impl::Turn Lockout::Impl::turn_of(Attempt::State& state) {
  const bool known = now() - state.pair->good_ms <= limits.known_for.count();
  state.guess = known ? state.pair : state.whole;
  Turn turn{delay_of(*state.guess, limits.free_per_account), nullptr};
  if (!has_room(*state.guess, limits.free_per_account)) turn.full = state.guess.get();
  if (state.network) {
    turn.wait_ms = std::max(turn.wait_ms, delay_of(*state.network, limits.free_per_network));
    if (!has_room(*state.network, limits.free_per_network)) turn.full = state.network.get();
  }
  return turn;
}

void Lockout::Impl::take_place(const Attempt::State& state) {
  ++state.guess->in_flight;
  if (state.network) ++state.network->in_flight;
}

std::unexpected<Error> Lockout::Impl::delayed(std::int64_t wait_ms) {
  static auto& delayed = metrics::counter("muhur_sign_ins_delayed_total", "Sign-ins refused before hashing");
  delayed.add();
  return fail(Code::busy, "too many wrong guesses came lately",
              fmt::format("Wait {} s and try again", (wait_ms + 999) / 1000));
}

Result<Lockout::Attempt> Lockout::admit(std::string_view account, std::string_view peer) {
  Impl& impl = *impl_;
  auto state = subjects_of(account, peer);
  Lock lock(impl.mutex);
  Impl::Turn turn;
  const auto my_turn = [&]() MUHUR_NO_TSA {
    turn = impl.turn_of(*state);
    return turn.wait_ms > 0 || turn.full == nullptr;
  };
  if (!impl.ended.wait_for(lock, kLongestTurn, my_turn)) turn.wait_ms = 1000;
  if (turn.wait_ms > 0) return Impl::delayed(turn.wait_ms);
  impl.take_place(*state);
  return Attempt(std::move(state));
}

Result<std::optional<Lockout::Attempt>> Lockout::try_admit(std::string_view account, std::string_view peer,
                                                           std::function<void()> again) {
  Impl& impl = *impl_;
  auto state = subjects_of(account, peer);
  const Lock lock(impl.mutex);
  const Impl::Turn turn = impl.turn_of(*state);
  if (turn.wait_ms > 0) return Impl::delayed(turn.wait_ms);
  if (turn.full != nullptr) {
    turn.full->waiting.push_back(std::move(again));
    return std::optional<Attempt>();
  }
  impl.take_place(*state);
  return std::optional(Attempt(std::move(state)));
}

}  // namespace muhur::accounts
