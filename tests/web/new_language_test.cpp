// What has to be done for another language: a file, complete, and nothing else. A language that exists only
// here is added and every page is made in it.

#include <gtest/gtest.h>

#include <regex>
#include <set>

#include "web/embedded.hpp"
#include "web/page_samples.hpp"

namespace muhur::web {
namespace {

std::multiset<std::string> gaps(std::string_view text) {
  std::multiset<std::string> names;
  for (auto open = text.find('{'); open != std::string_view::npos; open = text.find('{', open + 1))
    names.emplace(text.substr(open, text.find('}', open) - open + 1));
  return names;
}

// What a translator has to mend, by key.
std::vector<std::string> faults_of(const Language& language) {
  std::vector<std::string> faults;
  const auto fault = [&](std::string_view key, const char* what) {
    faults.push_back(fmt::format("src/web/locales/{}.txt: {} {}", language.code(), key, what));
  };
  for (const auto& [key, text] : english().texts()) {
    const auto own = language.texts().find(key);
    if (own == language.texts().end())
      fault(key, "is missing");
    else if (own->second.empty())
      fault(key, "is empty");
    else if (gaps(own->second) != gaps(text))
      fault(key, "has other {gaps} than the English text");
  }
  for (const auto& [key, _] : language.texts())
    if (!english().has(key)) fault(key, "is asked for by nobody");
  return faults;
}

// The English file with every text in brackets, written from right to left: what a translator would hand in.
std::string bracketed_file() {
  std::string file;
  for (const auto& [key, text] : english().texts())
    file += key == "direction" ? "direction = rtl\n" : fmt::format("{} = ⟦{}⟧\n", key, text);
  return file;
}

TEST(Languages, EachIsComplete) {
  ASSERT_GT(english().texts().size(), 80u);
  for (const Language* language : languages())
    for (const std::string& fault : faults_of(*language)) ADD_FAILURE() << fault;
}

TEST(NewLanguage, WhatItLacksIsNamed) {
  std::string file = bracketed_file();
  EXPECT_EQ(faults_of(Language("xx", file, &english())), std::vector<std::string>());
  const auto replace = [&](const std::string& from, const std::string& to) {
    const auto at = file.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    file.replace(at, from.size(), to);
  };
  replace("sign_in.title = ", "sign_in.titel = ");
  replace("{client} would like to use your account.", "Somebody would.");
  replace("scope.openid = ⟦know who you are⟧", "scope.openid =");
  const std::vector<std::string> expected{
      "src/web/locales/xx.txt: consent.asks has other {gaps} than the English text",
      "src/web/locales/xx.txt: scope.openid is empty", "src/web/locales/xx.txt: sign_in.title is missing",
      "src/web/locales/xx.txt: sign_in.titel is asked for by nobody"};
  EXPECT_EQ(faults_of(Language("xx", file, &english())), expected);
}

// Every word of every page that no value is comes from the file: none is written in the code.
TEST(NewLanguage, ItsFileIsAllThatPagesNeed) {
  const Language language("xx", bracketed_file(), nullptr);
  for (const Sample& sample : samples()) {
    const std::string html = sample.make({test_site(), language, {}}, "0").body;
    EXPECT_TRUE(html.contains("<html lang=\"xx\" dir=\"rtl\">")) << sample.name;
    EXPECT_TRUE(html.contains("⟦")) << sample.name;
    std::string words = std::regex_replace(html, std::regex("<script>[^<]*</script>|<[^>]*>"), "");
    for (auto open = words.find("⟦"); open != std::string::npos; open = words.find("⟦"))
      words.erase(open, words.find("⟧", open) + std::string_view("⟧").size() - open);
    words = std::regex_replace(words, std::regex("Example &amp; Sons|[-0-9]+ [0-9:]+ UTC|[0 \n·]"), "");
    EXPECT_EQ(words, "") << sample.name;
  }
}

// The list of languages is the list of files: nothing else names them.
TEST(NewLanguage, IsFoundByItsFile) {
  std::set<std::string> files, codes;
  for (const EmbeddedFile& file : embedded_files())
    if (file.name.starts_with("locales/"))
      files.emplace(file.name.substr(8, file.name.size() - 8 - std::string_view(".txt").size()));
  for (const Language* language : languages()) codes.insert(language->code());
  EXPECT_EQ(codes, files);
  EXPECT_TRUE(std::ranges::includes(codes, std::set<std::string>{"en", "ko", "tr"}));
}

}  // namespace
}  // namespace muhur::web
