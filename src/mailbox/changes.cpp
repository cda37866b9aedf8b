#include "mailbox/changes.hpp"

namespace muhur::mailbox {

// Listeners are called with the lock held: whoever unsubscribes waits for the call under way.
struct Changes::Subscription::State {
  Mutex mutex;
  std::map<std::uint64_t, Listener> listeners MUHUR_GUARDED_BY(mutex);
  std::uint64_t next_id MUHUR_GUARDED_BY(mutex) = 1;

  void remove(std::uint64_t id) {
    Listener gone;  // destroyed after the lock: what it captured may be large
    const Lock lock(mutex);
    if (const auto at = listeners.find(id); at != listeners.end()) {
      gone = std::move(at->second);
      listeners.erase(at);
    }
  }
};

Changes::Subscription& Changes::Subscription::operator=(Subscription&& other) noexcept {
  if (this == &other) return *this;
  if (state_) state_->remove(id_);
  state_ = std::move(other.state_);
  id_ = other.id_;
  return *this;
}

Changes::Subscription::~Subscription() {
  if (state_) state_->remove(id_);
}

Changes::Changes() : state_(std::make_shared<Subscription::State>()) {}

Changes::Subscription Changes::listen(Listener listener) {
  const Lock lock(state_->mutex);
  const std::uint64_t id = state_->next_id++;
  state_->listeners.emplace(id, std::move(listener));
  return Subscription(state_, id);
}

void Changes::tell(FolderId folder) {
  const Lock lock(state_->mutex);
  for (const auto& [id, listener] : state_->listeners) listener(folder);
}

}  // namespace muhur::mailbox
