#include "web/i18n.hpp"

#include "web/embedded.hpp"

namespace muhur::web {
namespace {

std::string_view trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r'))
    text.remove_suffix(1);
  return text;
}

// Calls text(piece) and gap(name) for what a sentence consists of. A '{' without its '}' is text.
template <class Text, class Gap>
void split(std::string_view sentence, Text text, Gap gap) {
  while (!sentence.empty()) {
    const auto open = sentence.find('{');
    const auto close = open == std::string_view::npos ? open : sentence.find('}', open);
    if (close == std::string_view::npos) return text(sentence);
    text(sentence.substr(0, open));
    gap(sentence.substr(open + 1, close - open - 1));
    sentence.remove_prefix(close + 1);
  }
}

}  // namespace

Language::Language(std::string code, std::string_view file, const Language* fallback)
    : code_(std::move(code)), fallback_(fallback) {
  while (!file.empty()) {
    const auto end = std::min(file.find('\n'), file.size());
    const std::string_view line = trim(file.substr(0, end));
    file.remove_prefix(std::min(end + 1, file.size()));
    const auto equals = line.find('=');
    if (line.starts_with('#') || equals == std::string_view::npos) continue;
    texts_.emplace(trim(line.substr(0, equals)), trim(line.substr(equals + 1)));
  }
}

std::string_view Language::find(std::string_view key) const {
  if (const auto own = texts_.find(key); own != texts_.end()) return own->second;
  return fallback_ ? fallback_->find(key) : key;
}

std::string Language::operator()(std::string_view key, std::initializer_list<Value> values) const {
  std::string out;
  split(
      find(key), [&](std::string_view text) { out += text; },
      [&](std::string_view name) {
        for (const Value& value : values)
          if (value.name == name) out += value.text;
      });
  return out;
}

Html Language::rich(std::string_view key, std::initializer_list<Markup> values) const {
  Html out;
  split(
      find(key), [&](std::string_view text) { out += Html(text); },
      [&](std::string_view name) {
        for (const Markup& value : values)
          if (value.name == name) out += value.html;
      });
  return out;
}

const Language& english() {
  static const Language language("en", embedded_file("locales/en.txt"), nullptr);
  return language;
}

const std::vector<const Language*>& languages() {
  static const auto all = [] {
    static std::vector<std::unique_ptr<Language>> others;
    std::vector<const Language*> list{&english()};
    for (const EmbeddedFile& file : embedded_files()) {
      constexpr std::string_view kFolder = "locales/", kEnd = ".txt";
      if (!file.name.starts_with(kFolder) || !file.name.ends_with(kEnd)) continue;
      const auto code = file.name.substr(kFolder.size(), file.name.size() - kFolder.size() - kEnd.size());
      if (code == "en") continue;
      others.push_back(std::make_unique<Language>(std::string(code), file.content, &english()));
      list.push_back(others.back().get());
    }
    return list;
  }();
  return all;
}

}  // namespace muhur::web
