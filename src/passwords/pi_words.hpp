#pragma once
// The bits of pi that Blowfish begins with: P[0..17], then S[0..3][0..255]. Private to this folder.

#include <array>
#include <cstdint>

namespace muhur::passwords {

inline constexpr std::size_t kPiWordCount = 18 + 4 * 256;
extern const std::array<std::uint32_t, kPiWordCount> kPiWords;

}  // namespace muhur::passwords
