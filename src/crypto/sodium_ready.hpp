#pragma once
// libsodium's one-time start (it picks the fast code for this processor). Private to this folder.

#include <sodium.h>

#include <cstdlib>

namespace muhur::crypto {

inline void sodium_ready() {
  static const int started = sodium_init();
  if (started < 0) std::abort();  // no source of randomness
}

}  // namespace muhur::crypto
