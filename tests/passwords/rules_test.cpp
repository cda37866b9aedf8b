#include "passwords/rules.hpp"

#include <gtest/gtest.h>

namespace muhur::passwords {
namespace {

TEST(Rules, Bug29BothSpellingsOfOneLetterAreOnePassword) {
  const auto composed = normalize(as_bytes("mühür-mühür"));
  const auto apart = normalize(as_bytes("mu\u0308hu\u0308r-mu\u0308hu\u0308r"));
  ASSERT_TRUE(composed && apart);
  EXPECT_TRUE(*composed == *apart);
}

TEST(Rules, CaseAndSpacesAreKept) { EXPECT_EQ(normalize(as_bytes(" A b "))->text(), " A b "); }

TEST(Rules, Bug27RefusesWhatCannotBeAPassword) {
  EXPECT_EQ(normalize({}).error().code, Code::invalid);
  EXPECT_EQ(normalize(as_bytes(std::string_view("abc\0def", 7))).error().code, Code::invalid);
  EXPECT_EQ(normalize(as_bytes("\xFF\xFE")).error().code, Code::invalid);
  EXPECT_EQ(normalize(as_bytes(std::string(kMaxPasswordBytes + 1, 'a'))).error().code, Code::invalid);
  EXPECT_TRUE(normalize(as_bytes(std::string(kMaxPasswordBytes, 'a'))));
}

TEST(Rules, ANewOneCountsCharactersNotBytes) {
  EXPECT_FALSE(accept_new(as_bytes("şğüışğü")));
  EXPECT_TRUE(accept_new(as_bytes("şğüışğüı")));
  EXPECT_FALSE(accept_new(as_bytes("1234567")));
  EXPECT_TRUE(normalize(as_bytes("short")));
}

TEST(Rules, ANewOneIsNotOneCharacterRepeated) {
  EXPECT_FALSE(accept_new(as_bytes("aaaaaaaaaaaa")));
  EXPECT_FALSE(accept_new(as_bytes("şşşşşşşşşşşş")));
  EXPECT_TRUE(accept_new(as_bytes("aaaaaaaaaaab")));
}

TEST(Rules, NoErrorRepeatsThePassword) {
  const auto refused = accept_new(as_bytes("seKret1"));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().text().find("seKret1"), std::string::npos);
}

}  // namespace
}  // namespace muhur::passwords
