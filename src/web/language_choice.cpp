#include <charconv>

#include "base/unicode.hpp"
#include "web/i18n.hpp"

namespace muhur::web {
namespace {

constexpr std::size_t kMostTags = 20;  // of one header: nobody speaks more

// The language of a tag: itself, or with subtags taken off from the right (RFC 4647 §3.4).
const Language* lookup(std::string_view tag) {
  while (!tag.empty()) {
    for (const Language* language : languages())
      if (equals_ignoring_case(language->code(), tag)) return language;
    const auto dash = tag.rfind('-');
    tag = tag.substr(0, dash == std::string_view::npos ? 0 : dash);
  }
  return nullptr;
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

// "0.8" as 800; what is no weight counts as 0.
int weight_of(std::string_view parameters) {
  parameters = trim(parameters);
  if (parameters.empty()) return 1000;
  if (!parameters.starts_with("q=")) return 0;
  double weight = 0;
  std::from_chars(parameters.data() + 2, parameters.data() + parameters.size(), weight);
  return weight >= 0 && weight <= 1 ? static_cast<int>(weight * 1000) : 0;
}

const Language* by_accept_language(std::string_view header) {
  const Language* best = nullptr;
  int best_weight = 0;
  for (std::size_t n = 0; n < kMostTags && !header.empty(); ++n) {
    const auto end = std::min(header.find(','), header.size());
    const std::string_view range = header.substr(0, end);
    header.remove_prefix(std::min(end + 1, header.size()));
    const auto semicolon = std::min(range.find(';'), range.size());
    const int weight = weight_of(range.substr(std::min(semicolon + 1, range.size())));
    if (weight <= best_weight) continue;
    if (const Language* language = lookup(trim(range.substr(0, semicolon)))) {
      best = language;
      best_weight = weight;
    }
  }
  return best;
}

}  // namespace

const Language& choose_language(std::string_view ui_locales, std::string_view accept_language,
                                std::string_view otherwise) {
  for (std::size_t n = 0; n < kMostTags && !ui_locales.empty(); ++n) {
    const auto end = std::min(ui_locales.find(' '), ui_locales.size());
    if (const Language* language = lookup(ui_locales.substr(0, end))) return *language;
    ui_locales.remove_prefix(std::min(end + 1, ui_locales.size()));
  }
  if (const Language* language = by_accept_language(accept_language)) return *language;
  if (const Language* language = lookup(otherwise)) return *language;
  return english();
}

}  // namespace muhur::web
