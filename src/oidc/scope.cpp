#include "oidc/scope.hpp"

#include <algorithm>

namespace muhur::oidc {

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const auto end = std::min(text.find(' '), text.size());
    const auto word = text.substr(0, end);
    if (!word.empty() && !has_word(words, word)) words.emplace_back(word);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const auto& word : words) {
    if (!text.empty()) text += ' ';
    text += word;
  }
  return text;
}

bool has_word(const std::vector<std::string>& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

bool has_word(std::string_view text, std::string_view word) { return has_word(words_of(text), word); }

bool covers(std::string_view granted, std::string_view asked) {
  const auto have = words_of(granted);
  return std::ranges::all_of(words_of(asked), [&](const auto& word) { return has_word(have, word); });
}

}  // namespace muhur::oidc
