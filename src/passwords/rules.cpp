#include "passwords/rules.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/unicode.hpp"

namespace muhur::passwords {
namespace {

std::size_t characters(std::string_view utf8) {
  return static_cast<std::size_t>(
      std::ranges::count_if(utf8, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

// "aaaaaaaa": long, and the first thing that is guessed. Compares bytes of whole characters.
bool is_one_character_repeated(std::string_view utf8) {
  std::size_t first = 1;
  while (first < utf8.size() && (static_cast<unsigned char>(utf8[first]) & 0xC0) == 0x80) ++first;
  for (std::size_t i = first; i < utf8.size(); ++i)
    if (utf8[i] != utf8[i - first]) return false;
  return true;
}

}  // namespace

Result<Secret> normalize(ByteView password) {
  if (password.empty()) return fail(Code::invalid, "the password is empty", "Give a password");
  if (password.size() > kMaxPasswordBytes)
    return fail(Code::invalid, "the password is too long",
                fmt::format("Use at most {} bytes", kMaxPasswordBytes));
  const std::string_view text = as_text(password);
  if (text.find('\0') != std::string_view::npos)
    return fail(Code::invalid, "the password has a NUL character", "Leave that character out");
  if (!is_utf8(text))
    return fail(Code::invalid, "the password is not UTF-8", "Set your client to send UTF-8");
  if (is_nfc(text)) return Secret(password);  // nearly always: no copy outside of locked memory
  std::optional<std::string> composed = to_nfc(text);
  if (!composed) return fail(Code::internal, "the password could not be brought into its normal form");
  Secret normal = Secret::from_text(*composed);
  wipe({reinterpret_cast<Byte*>(composed->data()), composed->size()});
  return normal;
}

Result<Secret> accept_new(ByteView password) {
  MUHUR_TRY(Secret normal, normalize(password));
  if (characters(normal.text()) < kMinPasswordChars)
    return fail(Code::invalid, "the password is too short",
                fmt::format("Use at least {} characters; several words do well", kMinPasswordChars));
  if (is_one_character_repeated(normal.text()))
    return fail(Code::invalid, "the password is one character repeated", "Use several words");
  return normal;
}

}  // namespace muhur::passwords
