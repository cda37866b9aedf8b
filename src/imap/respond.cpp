#include "imap/respond.hpp"

#include <algorithm>
#include <charconv>

#include "base/encoding.hpp"
#include "base/unicode.hpp"
#include "imap/mutf7.hpp"
#include "imap/parser.hpp"
#include "mime/header.hpp"

namespace muhur::imap {
namespace {

// RFC 3501 §4.3 sets no bound, but no client expects a quoted string of many kilobytes.
constexpr std::size_t kMaxQuoted = 4'000;

bool can_quote(std::string_view text) {
  if (text.size() > kMaxQuoted) return false;
  return std::ranges::none_of(text, [](char c) {
    return c == '\r' || c == '\n' || c == '\0' || static_cast<unsigned char>(c) >= 0x80;
  });
}

void append_quoted(std::string& out, std::string_view text) {
  out.push_back('"');
  for (const char c : text) {
    if (c == '"' || c == '\\') out.push_back('\\');
    out.push_back(c);
  }
  out.push_back('"');
}

}  // namespace

void append_number(std::string& out, std::uint64_t number) {
  char digits[20];
  const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  out.append(digits, end);
}

void append_literal_head(std::string& out, std::uint64_t size) {
  out.push_back('{');
  append_number(out, size);
  out.append("}\r\n");
}

void append_string(std::string& out, std::string_view text) {
  if (can_quote(text)) return append_quoted(out, text);
  append_literal_head(out, text.size());
  const std::size_t start = out.size();
  out.append(text);
  std::replace(out.begin() + static_cast<std::ptrdiff_t>(start), out.end(), '\0', '?');
}

void append_nstring(std::string& out, const std::optional<std::string>& text) {
  if (text)
    append_string(out, *text);
  else
    out.append("NIL");
}

void append_astring(std::string& out, std::string_view text) {
  const bool atom =
      !text.empty() && !equals_ignoring_case(text, "NIL") && std::ranges::all_of(text, is_atom_char);
  if (atom)
    out.append(text);
  else
    append_string(out, text);
}

namespace {

// Octets of a charset that nobody named (RFC 1428), none lost: the client may know better than we do.
std::string encode_unknown(std::string_view raw) {
  constexpr std::size_t kOctets = 39;  // 52 characters of base64: 74 of the 75 that RFC 2047 §2 allows
  std::string out;
  for (; !raw.empty(); raw.remove_prefix(std::min(kOctets, raw.size()))) {
    if (!out.empty()) out.push_back(' ');
    out.append("=?unknown-8bit?B?").append(to_base64(as_bytes(raw.substr(0, kOctets)))).append("?=");
  }
  return out;
}

}  // namespace

void append_message_text(std::string& out, std::string_view raw) {
  if (is_ascii(raw)) return append_string(out, raw);
  std::string encoded = is_utf8(raw) ? mime::encode_words(raw) : encode_unknown(raw);
  std::erase_if(encoded, [](char c) { return c == '\r' || c == '\n'; });
  append_string(out, encoded);
}

void append_message_nstring(std::string& out, const std::optional<std::string>& raw) {
  if (raw)
    append_message_text(out, *raw);
  else
    out.append("NIL");
}

void append_mailbox(std::string& out, std::string_view path) { append_astring(out, to_mutf7(path)); }

void append_flags(std::string& out, const mailbox::Flags& flags, bool recent) {
  out.push_back('(');
  const std::size_t start = out.size();
  const auto add = [&](std::string_view name) {
    if (out.size() > start) out.push_back(' ');
    out.append(name);
  };
  if (flags.system & mailbox::kAnswered) add("\\Answered");
  if (flags.system & mailbox::kFlagged) add("\\Flagged");
  if (flags.system & mailbox::kDeleted) add("\\Deleted");
  if (flags.system & mailbox::kSeen) add("\\Seen");
  if (flags.system & mailbox::kDraft) add("\\Draft");
  if (recent) add("\\Recent");
  for (const auto& keyword : flags.keywords) add(keyword);
  out.push_back(')');
}

void append_known_flags(std::string& out, const std::vector<std::string>& keywords, bool permanent) {
  out.append("(\\Answered \\Flagged \\Deleted \\Seen \\Draft");
  for (const auto& keyword : keywords) {
    out.push_back(' ');
    out.append(keyword);
  }
  out.append(permanent ? " \\*)" : ")");
}

}  // namespace muhur::imap
