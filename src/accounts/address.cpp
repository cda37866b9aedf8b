#include <unicode/uidna.h>

#include <array>
#include <memory>

#include "accounts/users.hpp"
#include "base/unicode.hpp"

namespace muhur::accounts {
namespace {

constexpr std::size_t kLongestLocal = 64;    // RFC 5321 §4.5.3.1.1, octets
constexpr std::size_t kLongestDomain = 253;  // RFC 1035 §2.3.4, without the root's dot
constexpr std::size_t kLongestLabel = 63;

std::unexpected<Error> no_address() {
  return fail(Code::invalid, "this is no address", "Write it as name@domain, without quotes");
}

// What no local part here may have: what would need quotes (RFC 5322 atext), and what could end a line.
// Asked again after folding, which turns look-alikes such as U+FF20 into '@'.
bool is_good_local(std::string_view local) {
  if (local.empty() || local.front() == '.' || local.back() == '.' ||
      local.find("..") != std::string_view::npos)
    return false;
  for (const char c : local)
    if (static_cast<unsigned char>(c) <= ' ' || c == 0x7F ||
        std::string_view("\"()<>[]:;@\\,").find(c) != std::string_view::npos)
      return false;
  // C1 controls and the space separators beyond ASCII.
  for (const std::string_view bad : {"\xC2\xA0", "\xE2\x80\xA8", "\xE2\x80\xA9", "\xE3\x80\x80"})
    if (local.find(bad) != std::string_view::npos) return false;
  for (std::size_t i = 0; i + 1 < local.size(); ++i)
    if (local[i] == '\xC2' && static_cast<unsigned char>(local[i + 1]) < 0xA0) return false;
  return true;
}

bool is_good_ascii_domain(std::string_view domain) {
  if (domain.empty() || domain.size() > kLongestDomain) return false;
  while (true) {
    const std::string_view label = domain.substr(0, domain.find('.'));
    if (label.empty() || label.size() > kLongestLabel || label.front() == '-' || label.back() == '-')
      return false;
    for (const char c : label)
      if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-')) return false;
    if (label.size() == domain.size()) return true;
    domain.remove_prefix(label.size() + 1);
  }
}

struct CloseIdna {
  void operator()(UIDNA* idna) const { uidna_close(idna); }
};

// UTS #46, non-transitional: as browsers and registries do it today.
std::optional<std::string> to_a_label(std::string_view domain) {
  UErrorCode status = U_ZERO_ERROR;
  static const std::unique_ptr<UIDNA, CloseIdna> idna(
      uidna_openUTS46(UIDNA_USE_STD3_RULES | UIDNA_CHECK_BIDI | UIDNA_CHECK_CONTEXTJ |
                          UIDNA_NONTRANSITIONAL_TO_ASCII | UIDNA_NONTRANSITIONAL_TO_UNICODE,
                      &status));
  if (!idna || domain.size() > 1024) return std::nullopt;
  std::array<char, 512> out;
  UIDNAInfo info = UIDNA_INFO_INITIALIZER;
  status = U_ZERO_ERROR;
  const std::int32_t size =
      uidna_nameToASCII_UTF8(idna.get(), domain.data(), static_cast<std::int32_t>(domain.size()), out.data(),
                             static_cast<std::int32_t>(out.size()), &info, &status);
  if (U_FAILURE(status) || info.errors != 0 || size <= 0 || size > static_cast<std::int32_t>(out.size()))
    return std::nullopt;
  return to_lower_ascii(std::string_view(out.data(), static_cast<std::size_t>(size)));
}

}  // namespace

Result<std::string> canonical_domain(std::string_view domain) {
  if (domain.ends_with('.')) domain.remove_suffix(1);
  std::optional<std::string> ascii =
      is_ascii(domain) && !domain.contains("xn--") ? to_lower_ascii(domain) : to_a_label(domain);
  if (!ascii || !is_good_ascii_domain(*ascii))
    return fail(Code::invalid, "this is no domain name", "Write it as example.org");
  return std::move(*ascii);
}

Result<AddressParts> split_address(std::string_view address) {
  const std::size_t at = address.rfind('@');
  if (at == std::string_view::npos) return no_address();
  const std::string_view given = address.substr(0, at);
  if (given.size() > kLongestLocal || !is_utf8(given) || !is_good_local(given)) return no_address();
  auto domain = canonical_domain(address.substr(at + 1));
  auto shown = to_nfc(given);
  if (!domain || !shown) return no_address();
  // Folding maps compatibility forms too: "ﬁ" and "fi", full-width and plain letters are one name here, so
  // that nobody can register another's look-alike of that kind.
  std::string folded = to_nfc(fold_case(given)).value_or("");
  if (!is_good_local(folded)) return no_address();
  return AddressParts{std::move(*shown), std::move(folded), std::move(*domain)};
}

Result<std::string> canonical_address(std::string_view address) {
  MUHUR_TRY(const AddressParts parts, split_address(address));
  return parts.folded_local + "@" + parts.domain;
}

}  // namespace muhur::accounts
