#include "passwords/foreign_record.hpp"

#include <fmt/format.h>

#include <array>
#include <optional>

#include "base/unicode.hpp"
#include "passwords/record.hpp"

namespace muhur::passwords {
namespace {

constexpr std::size_t kLongestScheme = 32;
constexpr std::size_t kLongestRecord = 512;

struct Scheme {
  std::string_view name;
  std::array<std::string_view, 4> begins;  // one of them; none named: whatever is known
};
constexpr Scheme kSchemes[] = {
    {"BLF-CRYPT", {"$2a$", "$2b$", "$2y$"}},
    {"BCRYPT", {"$2a$", "$2b$", "$2y$"}},
    {"ARGON2ID", {"$argon2id$"}},
    {"ARGON2I", {"$argon2i$"}},
    {"ARGON2", {"$argon2id$", "$argon2i$"}},
    {"SHA512-CRYPT", {"$6$"}},
    {"SHA256-CRYPT", {"$5$"}},
    {"MD5-CRYPT", {"$1$"}},
    {"CRYPT", {}},
};

std::unexpected<Error> unknown(std::string_view scheme) {
  return fail(
      Code::unsupported, fmt::format("passwords of the scheme {} cannot be verified here", scheme),
      "Known: bcrypt, Argon2id, Argon2i and crypt's $6$, $5$, $y$, $1$. Give that user a new password "
      "(`muhur user add`), or let the old system store it anew and export again");
}

// Django writes the scheme before a '$' that is the record's own first, or one more.
std::string_view without_django(std::string_view text) {
  if (text.starts_with("bcrypt$$2")) return text.substr(7);
  if (text.starts_with("argon2$argon2")) return text.substr(6);
  return text;
}

bool shown(char c) { return c > ' ' && c <= '~'; }

}  // namespace

Result<std::string> own_form_of(std::string_view exported) {
  if (exported.empty())
    return fail(Code::invalid, "there is no password record", "Users without one cannot be imported");
  if (exported.size() > kLongestRecord || !std::ranges::all_of(exported, shown))
    return fail(Code::invalid, "the password record is too long or has characters that none has");
  std::string_view text = without_django(exported);
  if (text.starts_with('{')) {
    const auto end = text.find('}');
    if (end == text.npos || end > kLongestScheme) return fail(Code::invalid, "a scheme's } is missing");
    const std::string name = to_upper_ascii(text.substr(1, end - 1));
    text.remove_prefix(end + 1);
    const auto* const scheme = std::ranges::find(kSchemes, std::string_view(name), &Scheme::name);
    if (scheme == std::end(kSchemes)) return unknown("{" + name + "}");
    const bool any = scheme->begins[0].empty();
    if (!any && std::ranges::none_of(scheme->begins, [&](std::string_view begin) {
          return !begin.empty() && text.starts_with(begin);
        }))
      return fail(Code::invalid, fmt::format("what stands behind {{{}}} is no such record", name));
  }
  const auto record = parse_record(text);
  if (record) return to_text(*record);
  if (record.error().code != Code::unsupported) return std::unexpected(record.error());
  // The scheme's name and no more: what follows may be close to the password itself.
  const auto dollar = text.find('$', 1);
  const bool named = dollar != text.npos && dollar <= kLongestScheme;
  return unknown(named ? text.substr(0, dollar) : "of this record");
}

}  // namespace muhur::passwords
