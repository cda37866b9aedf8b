#pragma once
// Memory for secrets: locked against swap, left out of core dumps, wiped when it goes.
//
// Secret holds keys, passwords and what is derived from them. It moves and does not copy (copy() says
// so in words), compares in constant time, prints as "***" in the log and does not print otherwise.
// Secrets are small: they come from one locked arena of slots, so a million short-lived ones cost no
// system call each; those above 1 KiB get pages of their own with guard pages around (libsodium). Memory
// that cannot be locked is used all the same, with one warning in the log. A lock does not outlive fork():
// a child that goes on without exec() holds unlocked copies. Thread-safe as a vector is: distinct objects may
// be used from distinct threads.

#include <cstddef>
#include <string_view>

#include "base/bytes.hpp"

namespace muhur {

class Secret {
 public:
  Secret() = default;
  explicit Secret(std::size_t size);  // zero bytes
  explicit Secret(ByteView bytes);    // a copy; the caller wipes its own
  static Secret from_text(std::string_view text) { return Secret(as_bytes(text)); }
  static Secret random(std::size_t size);  // from the system's generator

  Secret(Secret&& other) noexcept;
  Secret& operator=(Secret&& other) noexcept;
  Secret(const Secret&) = delete;
  Secret& operator=(const Secret&) = delete;
  ~Secret();

  Secret copy() const { return Secret(view()); }

  ByteView view() const { return {data_, size_}; }
  MutableBytes writable() { return {data_, size_}; }
  std::string_view text() const { return as_text(view()); }
  const Byte* data() const { return data_; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

  // A part of it as a Secret of its own. from + size must be within.
  Secret slice(std::size_t from, std::size_t size) const { return Secret(view().subspan(from, size)); }

  // In constant time for equal sizes.
  friend bool operator==(const Secret& a, const Secret& b);

  void wipe();  // now, and empty afterwards

 private:
  Byte* data_ = nullptr;
  std::size_t size_ = 0;
};

// Wipes memory that a compiler must not optimise away.
void wipe(MutableBytes bytes);

// Equal in constant time for equal sizes (sizes are not secret).
bool equal_constant_time(ByteView a, ByteView b);

// Locks what it can and forbids core dumps (PR_SET_DUMPABLE). Called once at start by programs that
// hold users' keys; returns false where the system's RLIMIT_MEMLOCK is too small (a warning, not an end).
bool harden_process();

}  // namespace muhur
