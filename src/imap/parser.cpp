#include "imap/parser.hpp"

#include <charconv>

#include "base/unicode.hpp"

namespace muhur::imap {
namespace {

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }
bool is_high(char c) { return static_cast<unsigned char>(c) >= 0x80; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

bool is_atom_char(char c) {
  if (is_control(c) || is_high(c)) return false;
  return !std::string_view("(){ %*\"\\]").contains(c);
}

template <class Allowed>
std::optional<std::string_view> Parser::run(Allowed allowed) {
  const std::size_t start = at_;
  while (at_ < text_.size() && allowed(text_[at_])) ++at_;
  if (at_ == start) return std::nullopt;
  return text_.substr(start, at_ - start);
}

bool Parser::at_end() {
  while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  return at_ == text_.size();
}

bool Parser::take(char c) {
  if (!peek(c)) return false;
  ++at_;
  return true;
}

bool Parser::word(std::string_view expected) {
  if (!starts_with_ignoring_case(rest(), expected)) return false;
  const std::size_t after = at_ + expected.size();
  if (after < text_.size() && is_atom_char(text_[after])) return false;
  at_ = after;
  return true;
}

std::optional<std::string_view> Parser::atom() { return run(is_atom_char); }

std::optional<std::string_view> Parser::tag() {
  return run([](char c) { return c != '+' && (is_atom_char(c) || c == ']'); });
}

std::optional<std::string_view> Parser::item_name() {
  return run([](char c) { return c != '[' && c != '<' && is_atom_char(c); });
}

std::optional<std::string> Parser::quoted() {
  std::size_t at = at_;
  if (at >= text_.size() || text_[at] != '"') return std::nullopt;
  std::string out;
  for (++at; at < text_.size(); ++at) {
    char c = text_[at];
    if (c == '"') {
      at_ = at + 1;
      return out;
    }
    if (c == '\\') {
      if (++at == text_.size()) return std::nullopt;
      c = text_[at];
      if (c != '"' && c != '\\') return std::nullopt;
    }
    if (c == '\r' || c == '\n' || c == '\0') return std::nullopt;
    out.push_back(c);
  }
  return std::nullopt;
}

std::optional<std::string_view> Parser::literal() {
  if (!peek('{')) return std::nullopt;
  std::uint64_t size = 0;
  const char* const end = text_.data() + text_.size();
  auto [at, error] = std::from_chars(text_.data() + at_ + 1, end, size);
  if (error != std::errc()) return std::nullopt;
  if (at < end && *at == '+') ++at;
  const std::string_view behind(at, static_cast<std::size_t>(end - at));
  if (!behind.starts_with("}\r\n") || behind.size() - 3 < size) return std::nullopt;
  at_ = static_cast<std::size_t>(at - text_.data()) + 3 + static_cast<std::size_t>(size);
  return behind.substr(3, static_cast<std::size_t>(size));
}

std::optional<std::string> Parser::string() {
  if (auto text = quoted()) return text;
  if (const auto octets = literal()) return std::string(*octets);
  return std::nullopt;
}

std::optional<std::string> Parser::astring() {
  if (peek('"') || peek('{')) return string();
  const auto text = run([](char c) { return is_atom_char(c) || c == ']' || is_high(c); });
  if (!text) return std::nullopt;
  return std::string(*text);
}

std::optional<std::string> Parser::list_mailbox() {
  if (peek('"') || peek('{')) return string();
  const auto text =
      run([](char c) { return is_atom_char(c) || c == ']' || c == '%' || c == '*' || is_high(c); });
  if (!text) return std::nullopt;
  return std::string(*text);
}

std::optional<std::optional<std::string>> Parser::nstring() {
  if (word("NIL")) return std::optional<std::string>();
  auto text = string();
  if (!text) return std::nullopt;
  return text;
}

std::optional<std::string_view> Parser::flag() {
  const std::size_t start = at_;
  take('\\');
  if (!atom()) {
    at_ = start;
    return std::nullopt;
  }
  return text_.substr(start, at_ - start);
}

std::optional<std::string_view> Parser::set_text() {
  return run([](char c) { return is_digit(c) || c == ':' || c == ',' || c == '*'; });
}

std::optional<std::uint64_t> Parser::number64() {
  std::uint64_t value = 0;
  const char* const start = text_.data() + at_;
  const auto [end, error] = std::from_chars(start, text_.data() + text_.size(), value);
  if (error != std::errc() || value > INT64_MAX) return std::nullopt;
  at_ += static_cast<std::size_t>(end - start);
  return value;
}

std::optional<std::uint32_t> Parser::number() {
  const std::size_t start = at_;
  const auto value = number64();
  if (value && *value <= UINT32_MAX) return static_cast<std::uint32_t>(*value);
  at_ = start;
  return std::nullopt;
}

}  // namespace muhur::imap
