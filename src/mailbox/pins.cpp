#include "mailbox/pins.hpp"

#include <algorithm>

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

bool Pins::Removal::take(EmailId id, std::uint64_t size) {
  const Lock lock(pins_->mutex_);
  if (const auto at = pins_->entries_.find(id); at != pins_->entries_.end() && at->second.readers > 0) {
    at->second.wanted = true;
    return false;
  }
  const bool first = taken_.empty();
  if (taken_.size() >= kRemovedAtOnce || (!first && size > kRemovedBytesAtOnce - bytes_)) {
    left_some_ = true;
    return false;
  }
  bytes_ += first ? std::min(size, kRemovedBytesAtOnce) : size;
  pins_->entries_[id].going = true;
  taken_.push_back(id);
  return true;
}

Pins::Removal::~Removal() {
  if (taken_.empty()) return;
  const Lock lock(pins_->mutex_);
  for (const EmailId id : taken_) pins_->entries_.erase(id);
  pins_->settled_.notify_all();
}

}  // namespace muhur::mailbox
