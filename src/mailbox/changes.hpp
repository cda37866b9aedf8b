#pragma once
// Who wants to hear of what: sessions listen, writers tell. Callbacks run on the writer's thread after the
// commit: they only post to their own executor. Thread-safe.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>

#include "base/sync.hpp"
#include "mailbox/types.hpp"

namespace muhur::mailbox {

class Changes {
 public:
  // Called with the folder that changed; 0 when the list of folders did.
  using Listener = std::function<void(FolderId)>;

  // Stops listening when it goes; after its destructor returns no call is under way.
  class Subscription {
   public:
    Subscription() = default;
    Subscription(Subscription&&) noexcept = default;
    Subscription& operator=(Subscription&&) noexcept;
    ~Subscription();

   private:
    friend class Changes;
    struct State;
    Subscription(std::shared_ptr<State> state, std::uint64_t id) : state_(std::move(state)), id_(id) {}
    std::shared_ptr<State> state_;
    std::uint64_t id_ = 0;
  };

  Changes();
  [[nodiscard]] Subscription listen(Listener listener);
  void tell(FolderId folder);

 private:
  std::shared_ptr<Subscription::State> state_;
};

}  // namespace muhur::mailbox
