#include "web/i18n.hpp"

#include <gtest/gtest.h>

#include <set>

namespace muhur::web {
namespace {

TEST(Languages, AreAllThere) {
  std::set<std::string> codes;
  for (const Language* language : languages()) codes.insert(language->code());
  EXPECT_TRUE(codes.contains("en"));
  EXPECT_TRUE(codes.contains("tr"));
  EXPECT_TRUE(codes.contains("ko"));
  EXPECT_EQ(languages().front()->code(), "en");
}

TEST(Language, FallsBackForWhatIsMissing) {
  const Language base("en", "a = Hello {name}\nb = B\n", nullptr);
  const Language other("xx", "# comment\n\n  a = Selam {name}, {name}!  \r\nbroken line\n", &base);
  EXPECT_EQ(other("a", {{"name", "<Ayşe>"}}), "Selam <Ayşe>, <Ayşe>!");
  EXPECT_EQ(other("b"), "B");
  EXPECT_EQ(other("none"), "none");
}

TEST(Language, KeepsMarkupAndTextApart) {
  const Language language("xx", "a = <{name}> & {missing}{\n", nullptr);
  EXPECT_EQ(language.rich("a", {{"name", el("b", {}, "<i>")}}).markup(), "&lt;<b>&lt;i&gt;</b>&gt; &amp; {");
}

TEST(ChooseLanguage, AsksTheRequestThenTheBrowserThenTheOperator) {
  const auto chosen = [](std::string_view ui, std::string_view accept, std::string_view otherwise = "en") {
    return choose_language(ui, accept, otherwise).code();
  };
  EXPECT_EQ(chosen("xx tr-TR ko", "ko"), "tr");
  EXPECT_EQ(chosen("", "fr;q=0.9, ko;q=0.5, tr;q=0.8"), "tr");
  EXPECT_EQ(chosen("", "en;q=0.1,ko-Kore-KR"), "ko");
  EXPECT_EQ(chosen("", "tr;q=0, ko;q=0.001"), "ko");
  EXPECT_EQ(chosen("", "tr;q=nonsense, tr;q=7, fr", "ko"), "ko");
  EXPECT_EQ(chosen("", "", "TR"), "tr");
  EXPECT_EQ(chosen("", "", "xx"), "en");
  EXPECT_EQ(chosen("../../etc", "*", ""), "en");
  EXPECT_EQ(chosen(std::string(10'000, ' '), std::string(10'000, ','), "ko"), "ko");
}

}  // namespace
}  // namespace muhur::web
