#pragma once
// The core of bcrypt (Provos and Mazières, "A Future-Adaptable Password Scheme") for K passwords at once,
// K fixed at compile time. Private to this folder and its tests; passwords/bcrypt.hpp is the way in.
//
// Each of Blowfish's rounds waits for four loads that depend on the round before: one bcrypt keeps a core's
// load units busy a third of the time. K chains in one instruction stream fill the gaps. The two halves of
// each of K blocks stay in registers; everything else is addressed from one base register with constant
// offsets, for which the S-boxes of all lanes stand in one struct. 4 lanes are 16 KiB: half of a usual L1.

#include <array>
#include <cstdint>
#include <cstring>

#include "base/bytes.hpp"
#include "base/secret.hpp"
#include "passwords/pi_words.hpp"

namespace muhur::passwords::lanes {

using Word = std::uint32_t;
inline constexpr std::size_t kSubkeys = 18;

struct Input {
  std::array<Word, kSubkeys> key;    // the password, repeated with its NUL, in big-endian words
  std::array<Word, kSubkeys> first;  // the same for the first expansion: $2a$ may differ there
  std::array<Word, 4> salt;
};

using Output = std::array<Word, 6>;

template <std::size_t K>
class Lanes {
 public:
  ~Lanes() { wipe({reinterpret_cast<Byte*>(this), sizeof *this}); }

  void run(const std::array<Input, K>& in, int cost, std::array<Output, K>& out) {
    begin(in);
    for (std::uint64_t left = std::uint64_t{1} << cost; left > 0; --left) {
      mix_keys(in);
      expand();
      mix_salts(in);
      expand();
    }
    finish(out);
  }

 private:
  struct Blocks {
    Word l[K], r[K];
  };

  // One encryption of K blocks in step.
  [[gnu::always_inline]] void encrypt(Blocks& b) {
#pragma clang loop unroll(full)
    for (std::size_t k = 0; k < K; ++k) b.l[k] ^= p_[k][0];
#pragma clang loop unroll(full)
    for (std::size_t i = 1; i < kSubkeys - 1; i += 2) {
#pragma clang loop unroll(full)
      for (std::size_t k = 0; k < K; ++k) b.r[k] ^= mixed(k, b.l[k]) ^ p_[k][i];
#pragma clang loop unroll(full)
      for (std::size_t k = 0; k < K; ++k) b.l[k] ^= mixed(k, b.r[k]) ^ p_[k][i + 1];
    }
#pragma clang loop unroll(full)
    for (std::size_t k = 0; k < K; ++k) {
      const Word left = b.r[k] ^ p_[k][kSubkeys - 1];
      b.r[k] = b.l[k];
      b.l[k] = left;
    }
  }

  [[gnu::always_inline]] Word mixed(std::size_t k, Word x) const {
    return ((s_[k][0][x >> 24] + s_[k][1][x >> 16 & 0xFF]) ^ s_[k][2][x >> 8 & 0xFF]) + s_[k][3][x & 0xFF];
  }

  void begin(const std::array<Input, K>& in) {
    for (std::size_t k = 0; k < K; ++k) {
      for (std::size_t i = 0; i < kSubkeys; ++i) p_[k][i] = kPiWords[i] ^ in[k].first[i];
      std::memcpy(s_[k], kPiWords.data() + kSubkeys, sizeof s_[k]);
    }
    Blocks b{};
    std::size_t half = 0;  // which half of the salt comes next
    const auto step = [&] {
      for (std::size_t k = 0; k < K; ++k) {
        b.l[k] ^= in[k].salt[half];
        b.r[k] ^= in[k].salt[half + 1];
      }
      half ^= 2;
      encrypt(b);
    };
    for (std::size_t i = 0; i < kSubkeys; i += 2) {
      step();
      for (std::size_t k = 0; k < K; ++k) p_[k][i] = b.l[k], p_[k][i + 1] = b.r[k];
    }
    for (std::size_t i = 0; i < 1024; i += 2) {
      step();
      for (std::size_t k = 0; k < K; ++k) box_word(k, i) = b.l[k], box_word(k, i + 1) = b.r[k];
    }
  }

  // Replaces P and S by what they encrypt: where all the time goes.
  void expand() {
    Blocks b{};
    for (std::size_t i = 0; i < kSubkeys; i += 2) {
      encrypt(b);
#pragma clang loop unroll(full)
      for (std::size_t k = 0; k < K; ++k) p_[k][i] = b.l[k], p_[k][i + 1] = b.r[k];
    }
    for (std::size_t i = 0; i < 1024; i += 2) {
      encrypt(b);
#pragma clang loop unroll(full)
      for (std::size_t k = 0; k < K; ++k) box_word(k, i) = b.l[k], box_word(k, i + 1) = b.r[k];
    }
  }

  void mix_keys(const std::array<Input, K>& in) {
    for (std::size_t k = 0; k < K; ++k)
      for (std::size_t i = 0; i < kSubkeys; ++i) p_[k][i] ^= in[k].key[i];
  }
  void mix_salts(const std::array<Input, K>& in) {
    for (std::size_t k = 0; k < K; ++k)
      for (std::size_t i = 0; i < kSubkeys; ++i) p_[k][i] ^= in[k].salt[i % 4];
  }

  // "OrpheanBeholderScryDoubt", encrypted 64 times.
  void finish(std::array<Output, K>& out) {
    constexpr Word kText[6] = {0x4F727068, 0x65616E42, 0x65686F6C, 0x64657253, 0x63727944, 0x6F756274};
    for (std::size_t i = 0; i < 6; i += 2) {
      Blocks b;
      for (std::size_t k = 0; k < K; ++k) b.l[k] = kText[i], b.r[k] = kText[i + 1];
      for (int n = 0; n < 64; ++n) encrypt(b);
      for (std::size_t k = 0; k < K; ++k) out[k][i] = b.l[k], out[k][i + 1] = b.r[k];
    }
  }

  Word& box_word(std::size_t k, std::size_t i) { return s_[k][i / 256][i % 256]; }

  alignas(64) Word s_[K][4][256];
  alignas(64) Word p_[K][kSubkeys];
};

}  // namespace muhur::passwords::lanes
