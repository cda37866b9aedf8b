#pragma once
// Slows guessing down: counters for each account and each network, asked BEFORE a password is hashed.
//
// The first wrong guesses are free; then each next one has to wait, longer and longer. Nobody is locked out
// for good, and a refusal says only how long to wait, the same for accounts that exist and those that do not.
//
// N parallel wrong guesses count as N: an admitted attempt occupies its place until its outcome is known, and
// no more are admitted at once than guesses are free (later ones wait for the outcome of those before).
//
// A network from which an account was lately signed in to counts by itself for that account: strangers who
// guess at it do not keep its owner out, and the owner's own successes do not wipe the strangers' count.
//
// Counters live in memory (bounded) and in directory.db, so that neither a restart nor a flood of other names
// wipes them. They are named by a keyed hash of the account.

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "accounts/directory.hpp"

namespace muhur::accounts {

struct LockoutLimits {
  int free_per_account = 5;
  int free_per_network = 100;
  Millis first_delay{1000};  // after the last free guess; doubles with each wrong one
  Millis longest_delay{60'000};
  Millis forget{24 * 3'600'000};            // without a wrong guess for so long: back to zero
  Millis known_for{30LL * 24 * 3'600'000};  // how long a network is known for an account
  bool count_networks = true;
  bool count_local = false;         // loopback as a network: off, since a web server of ours may stand there
  std::size_t remembered = 65'536;  // counters in memory
};

class Lockout {
 public:
  explicit Lockout(Directory& directory, LockoutLimits limits = {});
  ~Lockout();

  // One admitted attempt. Say how it ended; one that just goes (the server failed) counts for nothing.
  // Must not outlive its Lockout.
  class Attempt {
   public:
    Attempt(Attempt&& other) noexcept;
    Attempt& operator=(Attempt&&) = delete;
    ~Attempt();
    // `forgives`: wrong guesses before it are forgotten. Not by a credential other than the one that is
    // guessed at: who holds one program's app password must not guess the password for ever.
    void succeeded(bool forgives = true);
    void wrong();

   private:
    friend class Lockout;
    struct State;
    explicit Attempt(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
  };

  // busy: too many wrong guesses lately, the remedy says how many seconds to wait. `account` in its compared
  // form. May block for as long as other attempts on that account are being verified.
  Result<Attempt> admit(std::string_view account, std::string_view peer);
  // The same without waiting for others: nothing while they have all the places there are. Then `again` is
  // called once, on any thread, when one of them ends: time to ask again. It must be quick and not throw, and
  // is not called otherwise.
  Result<std::optional<Attempt>> try_admit(std::string_view account, std::string_view peer,
                                           std::function<void()> again);

 private:
  struct Impl;
  std::unique_ptr<Attempt::State> subjects_of(std::string_view account, std::string_view peer);
  std::unique_ptr<Impl> impl_;
};

}  // namespace muhur::accounts
