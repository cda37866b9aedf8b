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

// What each user has of the server: sessions, so that one user cannot take all connections, and memory for
// messages that are being appended, so that one who begins many and ends none does not keep the others from
// it. Thread-safe.
class Seats {
  struct Guest {
    explicit Guest(std::uint64_t octets) : appends(octets) {}
    std::size_t sessions = 0;
    net::Budget appends;
  };

 public:
  // A session's; given back when it goes. It must not outlive the Seats.
  class Seat {
   public:
    Seat(Seats& seats, accounts::UserId user, Guest& guest) : seats_(seats), user_(user), guest_(guest) {}
    Seat(const Seat&) = delete;
    Seat& operator=(const Seat&) = delete;
    ~Seat() { seats_.leave(user_); }
    net::Budget& appends() { return guest_.appends; }  // of all sessions of the user

   private:
    Seats& seats_;
    accounts::UserId user_;
    Guest& guest_;
  };

  Seats(std::size_t most, std::uint64_t octets_each) : most_(most), octets_each_(octets_each) {}
  // Null: the user has as many as one may.
  std::unique_ptr<Seat> take(accounts::UserId user) {
    const Lock lock(mutex_);
    auto& guest = guests_[user];
    if (!guest) guest = std::make_unique<Guest>(octets_each_);
    if (guest->sessions >= most_) return nullptr;
    ++guest->sessions;
    return std::make_unique<Seat>(*this, user, *guest);
  }

 private:
  void leave(accounts::UserId user) {
    const Lock lock(mutex_);
    const auto at = guests_.find(user);
    if (--at->second->sessions == 0) guests_.erase(at);
  }
  const std::size_t most_;
  const std::uint64_t octets_each_;
  Mutex mutex_;
  std::unordered_map<accounts::UserId, std::unique_ptr<Guest>> guests_ MUHUR_GUARDED_BY(mutex_);
};

struct Shared {
  Shared(mail::PostOffice& o, ServerOptions opts)
      : office(o),
        options(std::move(opts)),
        seats(options.max_sessions_per_user, options.append_memory / 4),
        appends(options.append_memory) {}
  mail::PostOffice& office;
  const ServerOptions options;
  RecentMarks recents;
  Seats seats;
  net::Budget appends;  // octets of messages under way
};

}  // namespace muhur::imap
