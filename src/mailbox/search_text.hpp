#pragma once
// The text that SEARCH looks at, made once at arrival: decoded, case-folded, white space runs as one space
// (so that a line break in a paragraph hides nothing). Kept packed (packed.hpp):
//   text = header size varint | header | body
// Bounded: what lies beyond kMaxBodyText of a body is not found.

#include <optional>
#include <string>

#include "base/bytes.hpp"
#include "mime/structure.hpp"

namespace muhur::mailbox {

inline constexpr std::size_t kMaxHeaderText = 256 * 1024;
inline constexpr std::size_t kMaxBodyText = 1024 * 1024;

// The form in which texts and needles are compared.
std::string fold_text(std::string_view text);

Bytes make_search_text(ByteView message, const mime::Structure& structure);

struct SearchText {
  std::string all;
  std::size_t header_size = 0;
  std::string_view header() const { return std::string_view(all).substr(0, header_size); }
  std::string_view body() const { return std::string_view(all).substr(header_size); }
};
std::optional<SearchText> read_search_text(ByteView packed);  // nullopt: damaged

}  // namespace muhur::mailbox
