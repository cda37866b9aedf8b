#pragma once
// What the sessions of one server share.

#include <memory>
#include <unordered_map>

#include "accounts/users.hpp"
#include "base/sync.hpp"
#include "imap/recent.hpp"
#include "imap/server.hpp"
#include "net/budget.hpp"

namespace muhur::imap {

// How many sessions each user has, so that one user cannot take all connections. Thread-safe.
class Seats {
 public:
  // A session's; given back when it goes. It must not outlive the Seats.
  class Seat {
   public:
    Seat(Seats& seats, accounts::UserId user) : seats_(seats), user_(user) {}
    Seat(const Seat&) = delete;
    Seat& operator=(const Seat&) = delete;
    ~Seat() { seats_.leave(user_); }

   private:
    Seats& seats_;
    accounts::UserId user_;
  };

  explicit Seats(std::size_t most) : most_(most) {}
  // Null: the user has as many as one may.
  std::unique_ptr<Seat> take(accounts::UserId user) {
    const Lock lock(mutex_);
    auto& count = taken_[user];
    if (count >= most_) return nullptr;
    ++count;
    return std::make_unique<Seat>(*this, user);
  }

 private:
  void leave(accounts::UserId user) {
    const Lock lock(mutex_);
    const auto at = taken_.find(user);
    if (--at->second == 0) taken_.erase(at);
  }
  const std::size_t most_;
  Mutex mutex_;
  std::unordered_map<accounts::UserId, std::size_t> taken_ MUHUR_GUARDED_BY(mutex_);
};

struct Shared {
  Shared(mail::PostOffice& o, ServerOptions opts)
      : office(o),
        options(std::move(opts)),
        seats(options.max_sessions_per_user),
        appends(options.append_memory) {}
  mail::PostOffice& office;
  const ServerOptions options;
  RecentMarks recents;
  Seats seats;
  net::Budget appends;  // octets of messages under way
};

}  // namespace muhur::imap
