#pragma once
// Unicode text: validity, normal form, case folding, conversion from mail's charsets (ICU within).

#include <optional>
#include <string>
#include <string_view>

namespace muhur {

bool is_ascii(std::string_view text);
bool is_utf8(std::string_view text);  // well-formed, no surrogates

// Replaces each ill-formed sequence with U+FFFD.
std::string to_valid_utf8(std::string_view text);

// Normalization Form C. nullopt when the input is not UTF-8.
std::optional<std::string> to_nfc(std::string_view text);
bool is_nfc(std::string_view text);  // is UTF-8 and in that form; makes no copy of it

// Full case folding with NFKC_Casefold: the form in which search compares. Ill-formed input is
// repaired first.
std::string fold_case(std::string_view text);

// From a charset named as mail names it ("iso-8859-9", "gb18030", "utf-8"), to UTF-8. Unknown charset
// or bytes that do not fit: what fits, U+FFFD for the rest; nullopt only for a charset nobody knows.
std::optional<std::string> from_charset(std::string_view bytes, std::string_view charset);
bool knows_charset(std::string_view charset);

// ASCII only; locale-free.
char to_lower_ascii(char c);
std::string to_lower_ascii(std::string_view text);
std::string to_upper_ascii(std::string_view text);
bool equals_ignoring_case(std::string_view a, std::string_view b);  // ASCII letters fold, bytes else
bool starts_with_ignoring_case(std::string_view text, std::string_view prefix);

}  // namespace muhur
