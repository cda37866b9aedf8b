#include "mime/encoded_word.hpp"

#include <optional>

#include "base/encoding.hpp"
#include "base/unicode.hpp"
#include "mime/decode.hpp"
#include "mime/fields.hpp"

namespace muhur::mime {
namespace {

constexpr std::size_t kMaxCharset = 80;

struct EncodedWord {
  std::string_view charset;
  std::string octets;    // decoded from B or Q, not from the charset
  std::size_t size = 0;  // as written
};

bool is_blank(char c) { return c == ' ' || c == '\t'; }

std::string decode_q(std::string_view text) {
  std::string plain(text);
  std::replace(plain.begin(), plain.end(), '_', ' ');
  // A final character keeps quoted-printable from taking a last space for one at a line's end.
  plain += '.';
  const Bytes octets = decode_quoted_printable(as_bytes(plain));
  return std::string(as_text(octets).substr(0, octets.size() - 1));
}

// "=?charset[*language]?B|Q?text?=" at the beginning of `text`. The text ends at the first '?', so a failed
// reading costs no more than the distance to it.
std::optional<EncodedWord> read_word(std::string_view text) {
  const auto charset_end = text.find('?', 2);
  if (charset_end == std::string_view::npos || charset_end == 2 || charset_end > 2 + kMaxCharset)
    return std::nullopt;
  if (charset_end + 2 >= text.size() || text[charset_end + 2] != '?') return std::nullopt;
  const char kind = to_lower_ascii(text[charset_end + 1]);
  if (kind != 'b' && kind != 'q') return std::nullopt;
  const auto start = charset_end + 3;
  const auto end = text.find('?', start);
  if (end == std::string_view::npos || end + 1 >= text.size() || text[end + 1] != '=') return std::nullopt;

  const auto encoded = text.substr(start, end - start);
  std::string_view charset = text.substr(2, charset_end - 2);
  charset = charset.substr(0, charset.find('*'));
  if (!std::all_of(charset.begin(), charset.end(), [](char c) { return c > ' ' && c < 0x7f; }))
    return std::nullopt;
  return EncodedWord{charset, kind == 'b' ? to_string(decode_base64(as_bytes(encoded))) : decode_q(encoded),
                     end + 2};
}

std::string without_controls(std::string text) {
  for (char& c : text)
    if (static_cast<unsigned char>(c) < ' ' || c == 0x7f) c = ' ';
  return text;
}

// Words of one charset that stand side by side.
class Run {
 public:
  bool empty() const { return written_.empty(); }
  bool takes(const EncodedWord& word) const { return equals_ignoring_case(charset_, word.charset); }
  void add(const EncodedWord& word, std::string_view written) {
    charset_ = word.charset;
    octets_ += word.octets;
    written_ += written;
  }
  // Its text; what was written if the charset is unknown and the octets are no UTF-8 either.
  void flush(std::string& out) {
    if (empty()) return;
    if (auto text = from_charset(octets_, charset_))
      out += without_controls(std::move(*text));
    else if (is_utf8(octets_))
      out += without_controls(octets_);
    else
      out += to_valid_utf8(written_);
    *this = {};
  }

 private:
  std::string charset_, octets_, written_;
};

// Q where little is to be quoted, else B.
std::string encode_word(std::string_view text) {
  static constexpr std::string_view kPlain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789!*+-/";
  std::string q;
  for (const char c : text) {
    if (c == ' ')
      q += '_';
    else if (kPlain.contains(c))
      q += c;
    else
      q += fmt::format("={:02X}", static_cast<unsigned char>(c));
  }
  const std::string b = to_base64(as_bytes(text));
  return q.size() <= b.size() ? "=?UTF-8?Q?" + q + "?=" : "=?UTF-8?B?" + b + "?=";
}

// The largest beginning of `text` of at most `size` octets that cuts no character.
std::size_t whole_characters(std::string_view text, std::size_t size) {
  if (text.size() <= size) return text.size();
  std::size_t cut = size;
  while (cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xC0) == 0x80) --cut;
  return cut > 0 ? cut : size;  // no UTF-8: cut anywhere
}

bool needs_encoding(std::string_view word) {
  return word.contains("=?") ||
         !std::all_of(word.begin(), word.end(), [](char c) { return c >= ' ' && c < 0x7f; });
}

}  // namespace

std::string decode_words(std::string_view raw) {
  const std::string text = unfold(raw);
  std::string out;
  Run run;
  std::size_t plain = 0;  // where text begins that was not written out yet
  for (std::size_t at = 0; (at = text.find("=?", at)) != std::string::npos;) {
    const auto word = read_word(std::string_view(text).substr(at));
    if (!word) {
      at += 1;
      continue;
    }
    const std::string_view between = std::string_view(text).substr(plain, at - plain);
    const bool adjacent = !run.empty() && std::all_of(between.begin(), between.end(), is_blank);
    if (!adjacent || !run.takes(*word)) run.flush(out);
    if (!adjacent) out += to_valid_utf8(between);
    run.add(*word, std::string_view(text).substr(at, word->size));
    at += word->size;
    plain = at;
  }
  run.flush(out);
  out += to_valid_utf8(std::string_view(text).substr(plain));
  return out;
}

std::string encode_words(std::string_view utf8) {
  std::string out;
  std::string_view rest = utf8;
  while (!rest.empty()) {
    // Plain words up to the first that needs encoding; then all words up to the last of those in a row.
    std::size_t plain = 0, end = 0;
    for (std::size_t at = 0; at < rest.size();) {
      const std::size_t start = std::min(rest.find_first_not_of(' ', at), rest.size());
      const std::size_t stop = std::min(rest.find(' ', start), rest.size());
      if (needs_encoding(rest.substr(start, stop - start)))
        end = stop;
      else if (end != 0)
        break;
      else
        plain = stop;
      at = stop;
    }
    if (end == 0) {
      out += rest;
      break;
    }
    plain = std::min(rest.find_first_not_of(' ', plain), rest.size());
    out += rest.substr(0, plain);
    for (std::string_view part = rest.substr(plain, end - plain); !part.empty();) {
      const std::size_t size = whole_characters(part, 45);  // 60 characters of base64
      out += encode_word(part.substr(0, size));
      part.remove_prefix(size);
      if (!part.empty()) out += ' ';
    }
    rest.remove_prefix(end);
  }
  return out;
}

}  // namespace muhur::mime
