#pragma once
// Languages of the pages. Each is one text file of src/web/locales/, named by its BCP 47 code, with a line
// `key = text` a sentence; `{name}` in a text is replaced. To add a language: put its file there, nothing
// else. A key that it lacks is taken from English. Texts are plain text: Html escapes them.

#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "web/html.hpp"

namespace muhur::web {

class Language {
 public:
  // The lines of a file. `fallback` answers for what is missing; null for English itself.
  Language(std::string code, std::string_view file, const Language* fallback);

  const std::string& code() const { return code_; }               // "en"
  std::string_view own_name() const { return find("language"); }  // "English", in the language itself
  bool right_to_left() const { return find("direction") == "rtl"; }

  struct Value {
    std::string_view name;
    std::string_view text;
  };
  std::string operator()(std::string_view key, std::initializer_list<Value> values = {}) const;
  // The same with markup in the gaps: `{client}` becomes the Html given for it.
  struct Markup {
    std::string_view name;
    Html html;
  };
  Html rich(std::string_view key, std::initializer_list<Markup> values) const;

  bool has(std::string_view key) const { return texts_.contains(key); }  // itself, without fallback
  const std::map<std::string, std::string, std::less<>>& texts() const { return texts_; }

 private:
  std::string_view find(std::string_view key) const;  // the key itself when nobody has it
  std::string code_;
  std::map<std::string, std::string, std::less<>> texts_;
  const Language* fallback_;
};

const std::vector<const Language*>& languages();  // English first; the embedded files; live for ever
const Language& english();
// The first that is spoken here of: ui_locales (OIDC Core §3.1.2.1: best first, spaces between), then
// Accept-Language (RFC 9110 §12.5.4, by weight), then `otherwise`, then English. "tr-TR" finds "tr".
const Language& choose_language(std::string_view ui_locales, std::string_view accept_language,
                                std::string_view otherwise = "en");

}  // namespace muhur::web
