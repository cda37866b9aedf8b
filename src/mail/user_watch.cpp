#include "mail/user_watch.hpp"

namespace muhur::mail {

UserWatch::Subscription& UserWatch::Subscription::operator=(Subscription&& other) noexcept {
  if (this != &other) {
    end();
    state_ = std::move(other.state_);
    id_ = other.id_;
  }
  return *this;
}

void UserWatch::Subscription::end() {
  if (!state_) return;
  const Lock lock(state_->mutex);
  state_->listeners.erase(id_);
}

UserWatch::Subscription UserWatch::listen(Listener listener) {
  const Lock lock(state_->mutex);
  const auto id = ++state_->next;
  state_->listeners.emplace(id, std::move(listener));
  return Subscription(state_, id);
}

void UserWatch::tell(accounts::UserId user, UserChange change) {
  const Lock lock(state_->mutex);
  for (const auto& [id, listener] : state_->listeners) listener(user, change);
}

}  // namespace muhur::mail
