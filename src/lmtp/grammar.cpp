#include "lmtp/grammar.hpp"

#include <charconv>
#include <utility>

#include "base/unicode.hpp"

namespace muhur::lmtp {
namespace {

bool is_alnum(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_high(char c) { return static_cast<unsigned char>(c) >= 0x80; }
bool is_atext(char c) {
  return is_alnum(c) || is_high(c) || std::string_view("!#$%&'*+-/=?^_`{|}~").contains(c);
}

std::string_view trim(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

std::unexpected<Error> bad_address() { return fail(Code::invalid, "the address is malformed"); }

// RFC 5321's Domain, or an address literal; underscores are tolerated as everywhere.
bool is_domain(std::string_view domain) {
  if (domain.empty() || domain.size() > kMaxDomain) return false;
  if (domain.starts_with('[')) {
    if (!domain.ends_with(']') || domain.size() < 3) return false;
    for (const char c : domain.substr(1, domain.size() - 2))
      if (!is_alnum(c) && c != '.' && c != ':' && c != '-') return false;
    return true;
  }
  char before = '.';
  for (const char c : domain) {
    if (!is_alnum(c) && !is_high(c) && c != '-' && c != '_' && c != '.') return false;
    if (c == '.' && before == '.') return false;
    before = c;
  }
  return before != '.';
}

// Takes a local part off the front of `text`; a quoted one that needs no quotes comes without them.
Result<std::string> take_local(std::string_view& text) {
  if (!text.starts_with('"')) {
    std::size_t size = 0;
    while (size < text.size() && (is_atext(text[size]) || text[size] == '.')) ++size;
    const std::string local(text.substr(0, size));
    text.remove_prefix(size);
    // Leading, trailing and double dots are against the grammar and exist in real addresses.
    if (local.empty()) return bad_address();
    return local;
  }
  std::string plain, quoted = "\"";
  bool needs_quotes = false;
  std::size_t at = 1;
  for (;; ++at) {
    if (at >= text.size()) return bad_address();
    char c = text[at];
    if (c == '"') break;
    const bool escaped = c == '\\';
    if (escaped) {
      if (++at >= text.size()) return bad_address();
      c = text[at];
    }
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) return bad_address();
    needs_quotes = needs_quotes || !(is_atext(c) || c == '.');
    plain += c;
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  text.remove_prefix(at + 1);
  if (plain.empty()) return bad_address();
  return needs_quotes ? quoted + "\"" : plain;
}

// "<…>" off the front of `text`; what stood between, checked. Empty for "<>".
Result<std::string> take_path(std::string_view& text, bool& non_ascii) {
  if (!text.starts_with('<')) return bad_address();
  const std::string_view whole = text;
  text.remove_prefix(1);
  if (text.starts_with('>')) {
    text.remove_prefix(1);
    return std::string();
  }
  if (text.starts_with('@')) {  // a source route (RFC 5321 §4.1.1.3): ignored
    const auto colon = text.find(':');
    if (colon == std::string_view::npos || colon > kMaxPath) return bad_address();
    text.remove_prefix(colon + 1);
  }
  MUHUR_TRY(std::string address, take_local(text));
  if (text.starts_with('@')) {
    text.remove_prefix(1);
    const std::string_view domain = text.substr(0, text.find('>'));
    if (!is_domain(domain)) return bad_address();
    address += '@';
    address += domain;
    text.remove_prefix(domain.size());
  } else if (!equals_ignoring_case(address, "postmaster")) {
    return bad_address();
  }
  if (!text.starts_with('>') || address.size() > kMaxPath) return bad_address();
  text.remove_prefix(1);
  if (!is_utf8(whole.substr(0, whole.size() - text.size()))) return bad_address();
  non_ascii = !is_ascii(address);
  return address;
}

// Behind a path: nothing, or a blank and parameters.
Result<std::string_view> parameters_of(std::string_view rest) {
  if (!rest.empty() && !rest.starts_with(' '))
    return fail(Code::invalid, "there is something behind the address");
  return trim(rest);
}

// The next "KEYWORD[=value]" off the front of `text`.
std::pair<std::string, std::string_view> take_parameter(std::string_view& text) {
  const std::string_view word = text.substr(0, text.find(' '));
  text = trim(text.substr(word.size()));
  const auto equals = word.find('=');
  const std::string_view value =
      equals == std::string_view::npos ? std::string_view() : word.substr(equals + 1);
  return {to_upper_ascii(word.substr(0, equals)), value};
}

std::optional<std::uint64_t> number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// "FROM:" or "TO:" off the front, with the blanks that some clients put behind it.
Result<std::string_view> behind(std::string_view rest, std::string_view word) {
  if (!starts_with_ignoring_case(rest, word))
    return fail(Code::invalid, "expected " + std::string(word) + "<address>");
  rest.remove_prefix(word.size());
  while (rest.starts_with(' ')) rest.remove_prefix(1);
  return rest;
}

}  // namespace

Command parse_command(std::string_view line) {
  const std::string_view word = line.substr(0, line.find(' '));
  static constexpr std::pair<std::string_view, Verb> kVerbs[] = {
      {"LHLO", Verb::lhlo}, {"EHLO", Verb::helo}, {"HELO", Verb::helo}, {"MAIL", Verb::mail},
      {"RCPT", Verb::rcpt}, {"DATA", Verb::data}, {"BDAT", Verb::bdat}, {"RSET", Verb::rset},
      {"NOOP", Verb::noop}, {"QUIT", Verb::quit}, {"VRFY", Verb::vrfy}, {"HELP", Verb::help}};
  for (const auto& [name, verb] : kVerbs)
    if (equals_ignoring_case(word, name)) return {verb, trim(line.substr(word.size()))};
  return {};
}

Result<std::string> parse_client_name(std::string_view rest) {
  if (!is_domain(rest) || !is_utf8(rest)) return fail(Code::invalid, "say LHLO with your name");
  return std::string(rest);
}

Result<MailFrom> parse_mail(std::string_view rest) {
  MailFrom mail;
  bool non_ascii = false;
  MUHUR_TRY(rest, behind(rest, "FROM:"));
  MUHUR_TRY(mail.sender, take_path(rest, non_ascii));
  MUHUR_TRY(rest, parameters_of(rest));
  bool body = false;
  for (std::size_t count = 0; !rest.empty(); ++count) {
    if (count == kMaxParameters) return fail(Code::invalid, "too many parameters");
    const auto [key, value] = take_parameter(rest);
    if (key == "SIZE") {
      const auto size = number(value);
      if (!size || mail.size) return fail(Code::invalid, "SIZE is malformed");
      mail.size = size;
    } else if (key == "BODY") {
      if (std::exchange(body, true)) return fail(Code::invalid, "BODY stands twice");
      if (!equals_ignoring_case(value, "7BIT") && !equals_ignoring_case(value, "8BITMIME"))
        return fail(Code::unsupported, "this BODY is not supported");
    } else if (key == "SMTPUTF8" && value.empty()) {
      mail.utf8 = true;
    } else {
      return fail(Code::unsupported, "a parameter is not supported");
    }
  }
  if (non_ascii && !mail.utf8) return fail(Code::invalid, "an address like this needs SMTPUTF8");
  return mail;
}

Result<std::string> parse_rcpt(std::string_view rest, bool utf8) {
  bool non_ascii = false;
  MUHUR_TRY(rest, behind(rest, "TO:"));
  MUHUR_TRY(std::string address, take_path(rest, non_ascii));
  if (address.empty()) return bad_address();
  MUHUR_TRY(rest, parameters_of(rest));
  if (!rest.empty()) return fail(Code::unsupported, "a parameter is not supported");
  if (non_ascii && !utf8) return fail(Code::invalid, "an address like this needs SMTPUTF8");
  return address;
}

Result<Chunk> parse_bdat(std::string_view rest) {
  Chunk chunk;
  const std::string_view digits = rest.substr(0, rest.find(' '));
  const auto size = number(digits);
  const std::string_view behind_size = trim(rest.substr(digits.size()));
  if (!size || !(behind_size.empty() || equals_ignoring_case(behind_size, "LAST")))
    return fail(Code::invalid, "say BDAT size, or BDAT size LAST");
  chunk.size = *size;
  chunk.last = !behind_size.empty();
  return chunk;
}

}  // namespace muhur::lmtp
