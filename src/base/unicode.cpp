#include "base/unicode.hpp"

#include <unicode/bytestream.h>
#include <unicode/normalizer2.h>
#include <unicode/utf8.h>

#include <cstdint>
#include <cstring>

namespace muhur {
namespace {

constexpr std::size_t kIcuMax = INT32_MAX / 4;  // ICU counts in int32, and folding may grow a text
constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

const icu::Normalizer2* nfc() {
  UErrorCode status = U_ZERO_ERROR;
  static const icu::Normalizer2* const form = icu::Normalizer2::getNFCInstance(status);
  return form;
}

const icu::Normalizer2* nfkc_casefold() {
  UErrorCode status = U_ZERO_ERROR;
  static const icu::Normalizer2* const form = icu::Normalizer2::getNFKCCasefoldInstance(status);
  return form;
}

icu::StringPiece piece_of(std::string_view text) {
  return {text.data(), static_cast<std::int32_t>(text.size())};
}

// `text` is UTF-8 within ICU's size.
std::optional<std::string> normalized(const icu::Normalizer2* form, std::string_view text) {
  if (form == nullptr) return std::nullopt;
  std::string out;
  out.reserve(text.size() + text.size() / 8);
  icu::StringByteSink<std::string> sink(&out);
  UErrorCode status = U_ZERO_ERROR;
  form->normalizeUTF8(0, piece_of(text), sink, nullptr, status);
  if (U_FAILURE(status)) return std::nullopt;
  return out;
}

std::size_t ascii_prefix(std::string_view text) {
  std::size_t i = 0;
  for (; i + 8 <= text.size(); i += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + i, 8);
    if ((word & 0x8080808080808080ULL) != 0) break;
  }
  while (i < text.size() && static_cast<unsigned char>(text[i]) < 0x80) ++i;
  return i;
}

// Calls take(from, to) for each well-formed stretch and bad() for each ill-formed sequence between.
template <class Take, class Bad>
void walk_utf8(std::string_view text, Take take, Bad bad) {
  std::size_t i = 0;
  std::size_t from = 0;
  while (i < text.size()) {
    i += ascii_prefix(text.substr(i));
    if (i == text.size()) break;
    const std::size_t at = i;
    UChar32 c = 0;
    U8_NEXT(text.data(), i, text.size(), c);
    if (c >= 0) continue;
    take(from, at);
    if (!bad()) return;
    from = i;
  }
  take(from, text.size());
}

}  // namespace

bool is_ascii(std::string_view text) { return ascii_prefix(text) == text.size(); }

bool is_utf8(std::string_view text) {
  bool good = true;
  walk_utf8(text, [](std::size_t, std::size_t) {}, [&] { return good = false; });
  return good;
}

std::string to_valid_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  walk_utf8(
      text, [&](std::size_t from, std::size_t to) { out.append(text, from, to - from); },
      [&] {
        out += kReplacement;
        return true;
      });
  return out;
}

bool is_nfc(std::string_view text) {
  if (is_ascii(text)) return true;
  if (text.size() > kIcuMax || !is_utf8(text) || nfc() == nullptr) return false;
  UErrorCode status = U_ZERO_ERROR;
  return nfc()->isNormalizedUTF8(piece_of(text), status) && U_SUCCESS(status);
}

std::optional<std::string> to_nfc(std::string_view text) {
  if (is_ascii(text)) return std::string(text);
  if (text.size() > kIcuMax || !is_utf8(text)) return std::nullopt;
  return normalized(nfc(), text);
}

std::string fold_case(std::string_view text) {
  if (is_ascii(text)) return to_lower_ascii(text);
  const std::string repaired = to_valid_utf8(text);
  if (repaired.size() > kIcuMax) return to_lower_ascii(repaired);
  return normalized(nfkc_casefold(), repaired).value_or(repaired);
}

char to_lower_ascii(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string to_lower_ascii(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = to_lower_ascii(c);
  return out;
}

std::string to_upper_ascii(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return out;
}

bool equals_ignoring_case(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (to_lower_ascii(a[i]) != to_lower_ascii(b[i])) return false;
  return true;
}

bool starts_with_ignoring_case(std::string_view text, std::string_view prefix) {
  return text.size() >= prefix.size() && equals_ignoring_case(text.substr(0, prefix.size()), prefix);
}

}  // namespace muhur
