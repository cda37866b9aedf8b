#pragma once
// Who wants to hear that an account changed, so that a session ends when its user is disabled or deleted.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>

#include "accounts/users.hpp"
#include "base/sync.hpp"

namespace muhur::mail {

enum class UserChange { disabled, deleted, credentials };

class UserWatch {
 public:
  // Called on the thread that made the change, after its commit: only post to your own executor.
  using Listener = std::function<void(accounts::UserId, UserChange)>;

 private:
  struct State {
    Mutex mutex;
    std::uint64_t next MUHUR_GUARDED_BY(mutex) = 0;
    std::map<std::uint64_t, Listener> listeners MUHUR_GUARDED_BY(mutex);
  };

 public:
  // Stops listening when it goes; after its destructor returns no call is under way. A listener must not
  // end its own subscription from within the call.
  class Subscription {
   public:
    Subscription() = default;
    Subscription(Subscription&& other) noexcept = default;
    Subscription& operator=(Subscription&& other) noexcept;
    ~Subscription() { end(); }

   private:
    friend class UserWatch;
    Subscription(std::shared_ptr<State> state, std::uint64_t id) : state_(std::move(state)), id_(id) {}
    void end();
    std::shared_ptr<State> state_;
    std::uint64_t id_ = 0;
  };

  [[nodiscard]] Subscription listen(Listener listener);
  void tell(accounts::UserId user, UserChange change);

 private:
  std::shared_ptr<State> state_ = std::make_shared<State>();
};

}  // namespace muhur::mail
