// The sum of a frame, defined one pair of words (x, y) after the other:
//   a += x + b;  b += y + a
// so each step waits for the one before, and a page of 4 KiB takes over a thousand cycles. But a step is
// linear: the state (a, b) is multiplied by the matrix M = (1 1; 1 2), and something is added that depends on
// x and y alone. So four quarters of a page are summed side by side from zero, and joined:
//   sum(first, second) = M^n * sum(first) + sum(second), n being the steps in `second`.
#include "vault/wal_format.hpp"

namespace muhur::vault {
namespace {

struct State {
  std::uint32_t a = 0;
  std::uint32_t b = 0;
};

template <bool kSwap>
void step(State& state, const Byte* at) {
  std::uint32_t words[2];
  std::memcpy(words, at, sizeof words);
  if constexpr (kSwap) {
    words[0] = std::byteswap(words[0]);
    words[1] = std::byteswap(words[1]);
  }
  state.a += words[0] + state.b;
  state.b += words[1] + state.a;
}

// M^n, symmetric, for n a power of two.
struct Power {
  explicit Power(std::size_t n) {
    for (; n > 1; n /= 2) {
      const std::uint32_t q = b;
      b = q * (a + d);
      a = a * a + q * q;
      d = d * d + q * q;
    }
  }
  State operator*(State s) const { return {a * s.a + b * s.b, b * s.a + d * s.b}; }
  std::uint32_t a = 1, b = 1, d = 2;
};

constexpr std::size_t kStep = 8;
constexpr std::size_t kLanes = 4;
constexpr std::size_t kWorthIt = 512;  // bytes: the smallest page

template <bool kSwap>
State summed(State state, ByteView bytes) {
  const std::size_t steps = bytes.size() / kStep / kLanes;
  if (bytes.size() < kWorthIt || bytes.size() % (kStep * kLanes) != 0 || !std::has_single_bit(steps)) {
    for (std::size_t i = 0; i + kStep <= bytes.size(); i += kStep) step<kSwap>(state, bytes.data() + i);
    return state;
  }
  const std::size_t lane = steps * kStep;
  State second, third, fourth;
  for (const Byte *at = bytes.data(), *end = at + lane; at < end; at += kStep) {
    step<kSwap>(state, at);
    step<kSwap>(second, at + lane);
    step<kSwap>(third, at + 2 * lane);
    step<kSwap>(fourth, at + 3 * lane);
  }
  const Power power(steps);
  for (const State& next : {second, third, fourth}) {
    state = power * state;
    state.a += next.a;
    state.b += next.b;
  }
  return state;
}

}  // namespace

void wal_checksum(bool big_endian, ByteView bytes, std::uint32_t sum[2]) {
  const bool native = big_endian == (std::endian::native == std::endian::big);
  const State before{sum[0], sum[1]};
  const State after = native ? summed<false>(before, bytes) : summed<true>(before, bytes);
  sum[0] = after.a;
  sum[1] = after.b;
}

}  // namespace muhur::vault
