#pragma once
// How many octets the connections of a server may hold in memory together, where each holds something as a
// whole: a message that comes in. Thread-safe.

#include <atomic>
#include <cstdint>
#include <utility>

namespace muhur::net {

class Budget {
 public:
  explicit Budget(std::uint64_t octets) : most_(octets) {}

  // What one connection has of it, given back when this goes. It must not outlive the budget.
  class Share {
   public:
    Share() = default;
    Share(Share&& other) noexcept
        : budget_(std::exchange(other.budget_, nullptr)), octets_(std::exchange(other.octets_, 0)) {}
    Share& operator=(Share&& other) noexcept {
      std::swap(budget_, other.budget_);
      std::swap(octets_, other.octets_);
      other.give_back();
      return *this;
    }
    ~Share() { give_back(); }
    // More for the same thing. false: others have it now; nothing changed.
    bool grow(Budget& budget, std::uint64_t octets) {
      if (!budget.take(octets, octets_)) return false;
      budget_ = &budget;
      octets_ += octets;
      return true;
    }
    std::uint64_t octets() const { return octets_; }

   private:
    void give_back() {
      if (budget_) budget_->used_ -= octets_;
      budget_ = nullptr;
      octets_ = 0;
    }
    Budget* budget_ = nullptr;
    std::uint64_t octets_ = 0;
  };

 private:
  // Whoever is alone may take any size: one message always gets in. `had`: by who asks.
  bool take(std::uint64_t octets, std::uint64_t had) {
    if (octets == 0) return true;
    std::uint64_t used = used_;
    do {
      if (used > had && (used > most_ || octets > most_ - used)) return false;
    } while (!used_.compare_exchange_weak(used, used + octets));
    return true;
  }
  const std::uint64_t most_;
  std::atomic<std::uint64_t> used_ = 0;
};

}  // namespace muhur::net
