#pragma once
// Least-recently-used map bounded by count and by a weight in bytes. Not thread-safe: its owner locks.

#include <cstddef>
#include <functional>
#include <list>
#include <unordered_map>
#include <utility>

namespace muhur {

template <class Key, class Value, class Hash = std::hash<Key>>
class Lru {
 public:
  // Nothing is evicted while both bounds hold. `on_evict` is told of each value that has to go (not of
  // those erased by name).
  Lru(std::size_t max_count, std::size_t max_weight, std::function<void(const Key&, Value&)> on_evict = {})
      : max_count_(max_count), max_weight_(max_weight), on_evict_(std::move(on_evict)) {}

  // The value, made the most recent; null if absent. Valid until the next put or erase.
  Value* get(const Key& key) {
    const auto at = index_.find(key);
    if (at == index_.end()) return nullptr;
    entries_.splice(entries_.begin(), entries_, at->second);
    return &at->second->value;
  }

  Value& put(const Key& key, Value value, std::size_t weight = 1) {
    erase(key);
    entries_.push_front(Entry{key, std::move(value), weight});
    index_[key] = entries_.begin();
    weight_ += weight;
    while (entries_.size() > 1 && (entries_.size() > max_count_ || weight_ > max_weight_)) evict_last();
    return entries_.front().value;
  }

  bool erase(const Key& key) {
    const auto at = index_.find(key);
    if (at == index_.end()) return false;
    weight_ -= at->second->weight;
    entries_.erase(at->second);
    index_.erase(at);
    return true;
  }

  void clear() {
    entries_.clear();
    index_.clear();
    weight_ = 0;
  }
  std::size_t size() const { return entries_.size(); }
  std::size_t weight() const { return weight_; }

  // Least recent first, until `visit` says false.
  template <class Visit>
  void from_oldest(Visit visit) {
    for (auto at = entries_.rbegin(); at != entries_.rend(); ++at)
      if (!visit(at->key, at->value)) return;
  }

 private:
  struct Entry {
    Key key;
    Value value;
    std::size_t weight;
  };
  void evict_last() {
    Entry& last = entries_.back();
    if (on_evict_) on_evict_(last.key, last.value);
    weight_ -= last.weight;
    index_.erase(last.key);
    entries_.pop_back();
  }
  std::size_t max_count_;
  std::size_t max_weight_;
  std::size_t weight_ = 0;
  std::list<Entry> entries_;
  std::unordered_map<Key, typename std::list<Entry>::iterator, Hash> index_;
  std::function<void(const Key&, Value&)> on_evict_;
};

}  // namespace muhur
