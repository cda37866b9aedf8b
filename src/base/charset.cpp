// The charsets of mail, to UTF-8: the half of base/unicode.hpp that needs converters.
#include <unicode/ucnv.h>
#include <unicode/ucnv_cb.h>

#include <array>
#include <map>
#include <memory>

#include "base/unicode.hpp"

namespace muhur {
namespace {

// Names that ICU does not know, or knows as less than what senders put under them. Supersets replace what
// they extend: bytes beyond the small set are then read as the sender meant them.
struct Alias {
  std::string_view mail;
  const char* icu;
};
constexpr Alias kAliases[] = {
    {"ansi", "windows-1252"},       {"big-5", "big5"},
    {"chinesebig5", "big5"},        {"cn-big5", "big5"},
    {"cn-gb", "gb18030"},           {"cp-850", "cp850"},
    {"euc-cn", "gb18030"},          {"gb2312", "gb18030"},
    {"gb_2312-80", "gb18030"},      {"gbk", "gb18030"},
    {"iso-8859-1", "windows-1252"}, {"iso-8859-8-e", "iso-8859-8"},
    {"iso-8859-8-i", "iso-8859-8"}, {"iso-8859-9", "windows-1254"},
    {"iso8859-1", "windows-1252"},  {"iso8859-9", "windows-1254"},
    {"iso_8859-1", "windows-1252"}, {"iso_8859-9", "windows-1254"},
    {"jis", "iso-2022-jp"},         {"ks_c_5601-1987", "windows-949"},
    {"ksc5601", "windows-949"},     {"ksc_5601", "windows-949"},
    {"euc-kr", "windows-949"},      {"latin-1", "windows-1252"},
    {"latin1", "windows-1252"},     {"latin5", "windows-1254"},
    {"shift-jis", "windows-31j"},   {"shift_jis", "windows-31j"},
    {"sjis", "windows-31j"},        {"cp932", "windows-31j"},
    {"turkish", "windows-1254"},    {"unicode-1-1-utf-7", "utf-7"},
    {"x-gbk", "gb18030"},           {"x-mac-roman", "macintosh"},
    {"x-sjis", "windows-31j"},      {"x-windows-949", "windows-949"},
};

// Charsets that say nothing: the bytes decide.
constexpr std::string_view kUnnamed[] = {
    "",        "x-unknown", "unknown",        "unknown-8bit", "x-unknown-8bit",
    "default", "8bit",      "x-user-defined", "binary"};
constexpr std::string_view kUtf8[] = {"utf-8",    "utf8",  "unicode-1-1-utf-8", "x-utf-8",
                                      "us-ascii", "ascii", "cp65001",           "ansi_x3.4-1968",
                                      "us",       "646",   "iso646-us"};

constexpr std::size_t kLongestName = 60;
constexpr std::size_t kConvertersAThread = 16;

template <std::size_t N>
bool one_of(std::string_view name, const std::string_view (&names)[N]) {
  for (const std::string_view known : names)
    if (known == name) return true;
  return false;
}

// Lower case, without quotes, spaces and comments around; RFC 2231's "*language" is cut off.
std::string plain_name(std::string_view charset) {
  constexpr std::string_view kAround = " \t\r\n\"'<>;";
  const std::size_t first = charset.find_first_not_of(kAround);
  if (first == std::string_view::npos) return {};
  charset = charset.substr(first, charset.find_last_not_of(kAround) - first + 1);
  charset = charset.substr(0, charset.find('*'));
  return to_lower_ascii(charset);
}

// ICU's name for it, or null. Only names of ICU's own table pass: ucnv_open would otherwise look for a
// data file of that name.
const char* icu_name(const std::string& name) {
  if (name.size() > kLongestName) return nullptr;
  for (const char c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.' ||
                       c == ':' || c == '+';
    if (!plain) return nullptr;
  }
  const char* asked = name.c_str();
  for (const Alias& alias : kAliases)
    if (alias.mail == name) asked = alias.icu;
  for (const char* attempt : {asked, name.starts_with("x-") ? name.c_str() + 2 : asked}) {
    UErrorCode status = U_ZERO_ERROR;
    if (ucnv_countAliases(attempt, &status) == 0 || U_FAILURE(status)) continue;
    status = U_ZERO_ERROR;
    const char* first = ucnv_getAlias(attempt, 0, &status);
    if (U_SUCCESS(status) && first != nullptr) return first;
  }
  return nullptr;
}

struct CloseConverter {
  void operator()(UConverter* converter) const { ucnv_close(converter); }
};
using Converter = std::unique_ptr<UConverter, CloseConverter>;

// ICU's own substitution gives U+001A for single bytes of some charsets; readers expect U+FFFD.
void write_replacement(const void*, UConverterToUnicodeArgs* args, const char*, std::int32_t,
                       UConverterCallbackReason reason, UErrorCode* status) {
  if (reason > UCNV_IRREGULAR) return;  // reset, close, clone
  constexpr UChar kReplacement = 0xFFFD;
  *status = U_ZERO_ERROR;
  ucnv_cbToUWriteUChars(args, &kReplacement, 1, 0, status);
}

Converter open_converter(const char* name) {
  UErrorCode status = U_ZERO_ERROR;
  Converter converter(ucnv_open(name, &status));
  if (U_FAILURE(status)) return {};
  ucnv_setToUCallBack(converter.get(), write_replacement, nullptr, nullptr, nullptr, &status);
  return U_SUCCESS(status) ? std::move(converter) : Converter{};
}

// Opening costs far more than converting a header, so a thread keeps a few.
UConverter* cached_converter(const char* name) {
  thread_local std::map<std::string, Converter, std::less<>> cache;
  const auto at = cache.find(std::string_view(name));
  if (at != cache.end()) return at->second.get();
  Converter made = open_converter(name);
  if (!made) return nullptr;
  if (cache.size() >= kConvertersAThread && !std::string_view(name).starts_with("UTF-8")) cache.clear();
  return cache.emplace(name, std::move(made)).first->second.get();
}

std::optional<std::string> convert(std::string_view bytes, const char* name) {
  thread_local const Converter to_utf8 = open_converter("UTF-8");
  UConverter* from = cached_converter(name);
  if (from == nullptr || !to_utf8) return std::nullopt;
  std::string out;
  out.reserve(bytes.size() + bytes.size() / 2);
  std::array<char, 8192> buffer;
  std::array<UChar, 1024> pivot;
  UChar* pivot_source = pivot.data();
  UChar* pivot_target = pivot.data();
  const char* source = bytes.data();
  bool reset = true;
  while (true) {
    char* target = buffer.data();
    UErrorCode status = U_ZERO_ERROR;
    ucnv_convertEx(to_utf8.get(), from, &target, buffer.data() + buffer.size(), &source,
                   bytes.data() + bytes.size(), pivot.data(), &pivot_source, &pivot_target,
                   pivot.data() + pivot.size(), static_cast<UBool>(reset), true, &status);
    out.append(buffer.data(), static_cast<std::size_t>(target - buffer.data()));
    reset = false;
    if (status == U_BUFFER_OVERFLOW_ERROR) continue;
    if (U_FAILURE(status)) return std::nullopt;
    return out;
  }
}

}  // namespace

std::optional<std::string> from_charset(std::string_view bytes, std::string_view charset) {
  const std::string name = plain_name(charset);
  if (one_of(name, kUtf8)) return to_valid_utf8(bytes);
  if (one_of(name, kUnnamed)) {
    if (is_utf8(bytes)) return std::string(bytes);
    return convert(bytes, "windows-1252");
  }
  const char* icu = icu_name(name);
  if (icu == nullptr) return std::nullopt;
  return convert(bytes, icu);
}

bool knows_charset(std::string_view charset) {
  const std::string name = plain_name(charset);
  return one_of(name, kUtf8) || one_of(name, kUnnamed) || icu_name(name) != nullptr;
}

}  // namespace muhur
