#include "mime/parameters.hpp"

#include <charconv>
#include <tuple>

#include "base/unicode.hpp"
#include "mime/content_type.hpp"
#include "mime/encoded_word.hpp"

namespace muhur::mime {
namespace {

// One piece of an RFC 2231 value: name*index[*]=value.
struct Piece {
  std::string name;
  std::uint32_t index = 0;
  std::size_t order = 0;  // in which it came
  bool extended = false;  // percent-encoded
  std::string value;
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_fold(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

// ";" name "=" value. `end` when nothing is left, `broken` when this is no parameter.
Step read_parameter(Lexer& lexer, std::string& name, std::string& value) {
  name.clear();
  value.clear();
  if (lexer.done()) return Step::end;
  if (!lexer.at(';')) return Step::broken;
  lexer.advance();
  if (lexer.skip_space() != Step::more) return Step::broken;
  if (lexer.token(name) != Step::more || !lexer.at('=')) return Step::broken;
  lexer.advance();
  Step step = lexer.skip_space();
  if (step == Step::more) {
    if (lexer.at('"')) {
      step = lexer.quoted(value);
    } else if (lexer.at('=')) {
      // An encoded word without quotes: name==?utf-8?b?…?=
      while (!lexer.done() && lexer.peek() != ';' && !is_fold(lexer.peek())) {
        value += lexer.peek();
        lexer.advance();
      }
    } else {
      step = lexer.token(value);
    }
  }
  return step == Step::broken ? Step::broken : Step::more;
}

// "name*3*" as a piece; nullopt when the stars are no RFC 2231.
std::optional<Piece> as_piece(std::string_view name) {
  const auto star = name.find('*');
  if (star == std::string_view::npos) return std::nullopt;
  Piece piece;
  piece.name = name.substr(0, star);
  std::string_view rest = name.substr(star);
  if (rest.size() > 1) {
    rest.remove_prefix(1);
    const auto digits = std::find_if_not(rest.begin(), rest.end(), is_digit) - rest.begin();
    if (digits > 9) return std::nullopt;
    if (digits > 0) std::from_chars(rest.data(), rest.data() + digits, piece.index);
    rest.remove_prefix(static_cast<std::size_t>(digits));
  }
  if (rest.starts_with('*')) {
    piece.extended = true;
    rest.remove_prefix(1);
  }
  if (!rest.empty()) return std::nullopt;
  return piece;
}

// Pieces of one name, in order: joined if they are all there, else each as it came.
void add_joined(std::span<const Piece> pieces, Parameters& out) {
  const bool any_extended = std::any_of(pieces.begin(), pieces.end(), [](auto& p) { return p.extended; });
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (pieces[i].index == i) continue;
    for (const Piece& piece : pieces)
      out.emplace_back(fmt::format("{}*{}{}", piece.name, piece.index, piece.extended ? "*" : ""),
                       piece.value);
    return;
  }
  std::string value;
  if (any_extended && !pieces.front().extended) value = "''";  // neither charset nor language
  for (const Piece& piece : pieces) {
    if (piece.extended || !any_extended) {
      value += piece.value;
      continue;
    }
    for (const char c : piece.value) {
      if (c == '%')
        value += "%25";
      else
        value += c;
    }
  }
  out.emplace_back(pieces.front().name + (any_extended ? "*" : ""), std::move(value));
}

std::string percent_decoded(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned octet = 0;
    if (text[i] == '%' && i + 2 < text.size() &&
        std::from_chars(text.data() + i + 1, text.data() + i + 3, octet, 16).ptr == text.data() + i + 3) {
      out += static_cast<char>(octet);
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

// charset'language'percent-encoded
std::string extended_text(std::string_view value) {
  const auto first = value.find('\'');
  const auto second = first == std::string_view::npos ? first : value.find('\'', first + 1);
  if (second == std::string_view::npos) return to_valid_utf8(percent_decoded(value));
  const std::string bytes = percent_decoded(value.substr(second + 1));
  const std::string_view charset = value.substr(0, first);
  if (!charset.empty())
    if (auto text = from_charset(bytes, charset)) return *text;
  return to_valid_utf8(bytes);
}

}  // namespace

Parameters read_parameters(Lexer& lexer, std::size_t max) {
  Parameters parameters;
  std::vector<Piece> pieces;
  std::string name, value;
  for (Step step; (step = read_parameter(lexer, name, value)) != Step::end;) {
    if (step == Step::broken) {
      if (lexer.done()) break;
      lexer.advance();
      continue;
    }
    name = to_lower_ascii(name);
    if (auto piece = as_piece(name)) {
      piece->value = value;
      piece->order = pieces.size();
      pieces.push_back(std::move(*piece));
    } else {
      parameters.emplace_back(name, value);
    }
  }
  std::sort(pieces.begin(), pieces.end(), [](const Piece& a, const Piece& b) {
    return std::tie(a.name, a.index, a.order) < std::tie(b.name, b.index, b.order);
  });
  for (std::size_t i = 0, end = 0; i < pieces.size(); i = end) {
    while (end < pieces.size() && pieces[end].name == pieces[i].name) ++end;
    add_joined(std::span(pieces).subspan(i, end - i), parameters);
  }
  if (parameters.size() > max) parameters.resize(max);
  return parameters;
}

std::optional<std::string> parameter_text(const Parameters& parameters, std::string_view name) {
  const std::string *plain = nullptr, *extended = nullptr;
  std::string loose;  // pieces whose sequence has a gap
  bool any_loose = false;
  for (const auto& [key, value] : parameters) {
    if (!key.starts_with(name)) continue;
    const std::string_view rest = std::string_view(key).substr(name.size());
    if (rest.empty() && !plain) {
      plain = &value;
    } else if (rest == "*" && !extended) {
      extended = &value;
    } else if (rest.size() > 1 && rest[0] == '*' && is_digit(rest[1])) {
      loose += rest.ends_with('*') ? extended_text(value) : value;
      any_loose = true;
    }
  }
  if (extended) return extended_text(*extended);
  if (plain) return decode_words(*plain);
  if (any_loose) return to_valid_utf8(loose);
  return std::nullopt;
}

}  // namespace muhur::mime
