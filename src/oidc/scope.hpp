#pragma once
// Lists of words with one space between them (RFC 6749 §3.3): scopes, prompts, resources.

#include <string>
#include <string_view>
#include <vector>

namespace muhur::oidc {

// Each word once, in the order of its first appearance.
std::vector<std::string> words_of(std::string_view text);
std::string joined(const std::vector<std::string>& words);
bool has_word(std::string_view text, std::string_view word);
bool has_word(const std::vector<std::string>& words, std::string_view word);
// Whether every word of `asked` is in `granted`.
bool covers(std::string_view granted, std::string_view asked);

}  // namespace muhur::oidc
