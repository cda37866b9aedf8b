#include "imap/bearer_message.hpp"

#include <algorithm>

#include "base/unicode.hpp"
#include "imap/limits.hpp"

namespace muhur::imap {
namespace {

constexpr char kEnd = '\x01';
constexpr std::string_view kScheme = "Bearer ";

bool is_alpha(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// RFC 7628 §3.1: VCHAR, SP, HTAB, CR, LF; a name may hold UTF-8 as well.
bool is_value_char(char c) {
  return (static_cast<unsigned char>(c) >= ' ' && c != 0x7f) || c == '\t' || c == '\r' || c == '\n';
}

// RFC 6750 §2.1: b64token.
bool is_token(std::string_view text) {
  while (text.ends_with('=')) text.remove_suffix(1);
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return is_alpha(c) || (c >= '0' && c <= '9') || std::string_view("-._~+/").contains(c);
  });
}

// What stands before ^A, which goes too.
std::optional<std::string_view> take_field(std::string_view& text) {
  const std::size_t end = text.find(kEnd);
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view field = text.substr(0, end);
  text.remove_prefix(end + 1);
  if (!std::ranges::all_of(field, is_value_char)) return std::nullopt;
  return field;
}

// RFC 5801 §4: ',' and '=' are written =2C and =3D.
std::optional<std::string> unescape(std::string_view name) {
  std::string out;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] == ',') return std::nullopt;
    if (name[i] != '=') {
      out.push_back(name[i]);
      continue;
    }
    const std::string_view escaped = name.substr(i, 3);
    if (escaped != "=2C" && escaped != "=3D") return std::nullopt;
    out.push_back(escaped == "=2C" ? ',' : '=');
    i += 2;
  }
  return out;
}

// "n," ["a=" name] ","
std::optional<std::string> read_gs2_header(std::string_view header) {
  if (!header.starts_with("n,") || !header.ends_with(',') || header.size() < 3) return std::nullopt;
  const std::string_view name = header.substr(2, header.size() - 3);
  if (name.empty()) return std::string();
  if (!name.starts_with("a=") || name.size() == 2) return std::nullopt;
  return unescape(name.substr(2));
}

}  // namespace

std::optional<BearerMessage> parse_bearer_message(BearerForm form, std::string_view text) {
  BearerMessage message;
  std::optional<std::string_view> name, auth;
  if (form == BearerForm::oauthbearer) {
    const auto header = take_field(text);
    auto named = header ? read_gs2_header(*header) : std::nullopt;
    if (!named) return std::nullopt;
    message.name = std::move(*named);
  }
  while (!text.empty() && text.front() != kEnd) {
    const auto field = take_field(text);
    const std::size_t equals = field ? field->find('=') : std::string_view::npos;
    if (equals == std::string_view::npos || equals == 0) return std::nullopt;
    const std::string_view key = field->substr(0, equals);
    if (!std::ranges::all_of(key, is_alpha)) return std::nullopt;
    // Others (host, port) say what the connection says already.
    auto* const kept = key == "auth" ? &auth : key == "user" && form == BearerForm::xoauth2 ? &name : nullptr;
    if (!kept) continue;
    if (*kept) return std::nullopt;
    *kept = field->substr(equals + 1);
  }
  if (text.size() != 1 || !auth) return std::nullopt;
  if (form == BearerForm::xoauth2) {
    if (!name) return std::nullopt;
    message.name = *name;
  }
  if (!starts_with_ignoring_case(*auth, kScheme)) return message;
  const std::string_view token = auth->substr(kScheme.size());
  if (token.size() <= kMaxToken && is_token(token)) message.token = Secret::from_text(token);
  return message;
}

std::string bearer_challenge(std::string_view configuration) {
  std::string out = R"({"status":"invalid_token","scope":"openid mail")";
  if (!configuration.empty()) out.append(R"(,"openid-configuration":")").append(configuration).append("\"");
  return out.append("}");
}

}  // namespace muhur::imap
