#include "mailbox/pins.hpp"

namespace muhur::mailbox {

void Pins::hold(EmailId id) {
  Lock lock(mutex_);
  settled_.wait(lock, [&]() MUHUR_NO_TSA {
    const auto at = entries_.find(id);
    return at == entries_.end() || !at->second.going;
  });
  ++entries_[id].readers;
}

bool Pins::release(EmailId id) {
  const Lock lock(mutex_);
  const auto at = entries_.find(id);
  if (--at->second.readers > 0) return false;
  const bool wanted = at->second.wanted;
  entries_.erase(at);
  return wanted;
}

bool Pins::Removal::take(EmailId id) {
  const Lock lock(pins_->mutex_);
  Entry& entry = pins_->entries_[id];
  if (entry.readers > 0) {
    entry.wanted = true;
    return false;
  }
  if (!entry.going) taken_.push_back(id);
  entry.going = true;
  return true;
}

Pins::Removal::~Removal() {
  if (taken_.empty()) return;
  const Lock lock(pins_->mutex_);
  for (const EmailId id : taken_) pins_->entries_.erase(id);
  pins_->settled_.notify_all();
}

}  // namespace muhur::mailbox
