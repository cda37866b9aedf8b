#include "base/random.hpp"

#include <pthread.h>
#include <sys/random.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "base/encoding.hpp"
#include "base/secret.hpp"

namespace muhur {
namespace {

// Counts the forks behind this process: a child must not hand out the bytes its parent has buffered.
std::atomic<unsigned> fork_generation{0};

void from_kernel(Byte* out, std::size_t size) {
  while (size > 0) {
    const ssize_t got = ::getrandom(out, size, 0);
    if (got < 0) {
      if (errno == EINTR) continue;
      std::abort();  // no entropy: every key made from here on would be guessable
    }
    out += got;
    size -= static_cast<std::size_t>(got);
  }
}

struct Buffer {
  static constexpr std::size_t kSize = 1024;
  std::array<Byte, kSize> bytes;
  std::size_t used = kSize;
  unsigned generation = 0;

  ~Buffer() { wipe(bytes); }

  void take(MutableBytes out) {
    const unsigned now = fork_generation.load(std::memory_order_relaxed);
    if (generation != now || kSize - used < out.size()) {
      from_kernel(bytes.data(), kSize);
      used = 0;
      generation = now;
    }
    std::memcpy(out.data(), bytes.data() + used, out.size());
    wipe({bytes.data() + used, out.size()});  // what was handed out is not found here later
    used += out.size();
  }
};

}  // namespace

void fill_random(MutableBytes out) {
  static const int watch_forks =
      ::pthread_atfork(nullptr, nullptr, [] { fork_generation.fetch_add(1, std::memory_order_relaxed); });
  // Large requests gain nothing from the buffer; without the fork watch the buffer is not safe.
  if (watch_forks != 0 || out.size() > Buffer::kSize / 8) return from_kernel(out.data(), out.size());
  if (out.empty()) return;
  thread_local Buffer buffer;
  buffer.take(out);
}

Bytes random_bytes(std::size_t size) {
  Bytes bytes(size);
  fill_random(bytes);
  return bytes;
}

std::uint64_t random_u64() {
  std::uint64_t value = 0;
  fill_random({reinterpret_cast<Byte*>(&value), sizeof value});
  return value;
}

std::uint64_t random_below(std::uint64_t bound) {
  if (bound < 2) return 0;
  // The lowest 2^64 mod bound values are refused, so that the rest falls evenly on [0, bound).
  const std::uint64_t refused = (0 - bound) % bound;
  while (true) {
    const std::uint64_t value = random_u64();
    if (value >= refused) return value % bound;
  }
}

std::string random_hex(std::size_t bytes) { return to_hex(random_bytes(bytes)); }

std::string random_token(std::size_t bytes) { return to_base64url(random_bytes(bytes)); }

}  // namespace muhur
