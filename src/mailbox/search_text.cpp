#include "mailbox/search_text.hpp"

#include "base/unicode.hpp"
#include "mailbox/coding.hpp"
#include "mailbox/packed.hpp"
#include "mime/text.hpp"

namespace muhur::mailbox {
namespace {

// Folding can lengthen (one character to at most 18, but of a whole text rarely to double).
constexpr std::size_t kMaxStored = 8 * (kMaxHeaderText + kMaxBodyText);

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

void join_spaces(std::string& text) {
  std::size_t out = 0;
  bool space = false;
  for (const char c : text) {
    if (!is_space(c)) {
      text[out++] = c;
      space = false;
    } else if (!space) {
      text[out++] = ' ';
      space = true;
    }
  }
  text.resize(out);
}

}  // namespace

std::string fold_text(std::string_view text) {
  // Of ASCII the folding is its small letters: most text is spared the long way.
  std::string folded = is_ascii(text) ? to_lower_ascii(text) : fold_case(text);
  join_spaces(folded);
  return folded;
}

Bytes make_search_text(ByteView message, const mime::Structure& structure) {
  std::string header = fold_text(mime::header_text(message, structure, kMaxHeaderText));
  const std::string body = fold_text(mime::body_text(message, structure, kMaxBodyText));
  if (header.size() + body.size() + 10 > kMaxStored) header.clear();
  Writer writer;
  writer.text(header);
  writer.raw(as_bytes(std::string_view(body).substr(0, kMaxStored - 10 - header.size())));
  return pack(writer.take());
}

std::optional<SearchText> read_search_text(ByteView packed) {
  auto plain = unpack(packed, kMaxStored);
  if (!plain) return std::nullopt;
  Reader reader(as_bytes(*plain));
  const std::size_t header = reader.varint(plain->size());
  if (!reader.ok() || header > reader.rest().size()) return std::nullopt;
  plain->erase(0, plain->size() - reader.rest().size());
  return SearchText{std::move(*plain), header};
}

}  // namespace muhur::mailbox
