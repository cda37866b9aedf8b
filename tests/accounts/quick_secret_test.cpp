#include "accounts/quick_secret.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muhur::accounts {
namespace {

TEST(QuickSecret, ShowsGroupsOfFour) {
  EXPECT_THAT(make_secret(CredentialKind::recovery_key).shown,
              testing::MatchesRegex("([0-9A-HJKMNP-TV-Z]{4}-){7}[0-9A-HJKMNP-TV-Z]{4}"));
  EXPECT_THAT(make_secret(CredentialKind::app_password).shown,
              testing::MatchesRegex("([0-9a-hjkmnp-tv-z]{4}-){3}[0-9a-hjkmnp-tv-z]{4}"));
}

TEST(QuickSecret, WhatWasShownDerivesTheSameHalves) {
  for (const CredentialKind kind : {CredentialKind::recovery_key, CredentialKind::app_password}) {
    const MadeSecret made = make_secret(kind);
    const auto bytes = read_secret(kind, made.shown);
    ASSERT_TRUE(bytes);
    const auto derived = derive_quick(kind, *bytes, made.record.salt);
    EXPECT_EQ(derived.verifier, made.record.verifier);
    EXPECT_TRUE(derived.kek == made.kek);
    EXPECT_NE(derive_quick(kind, *bytes, Bytes(16)).verifier, made.record.verifier);
  }
}

TEST(QuickSecret, TypingItWithoutGroupsOrInTheOtherCaseIsTheSame) {
  const auto a = read_secret(CredentialKind::app_password, "abcd-efgh-jkmn-pqrs");
  const auto b = read_secret(CredentialKind::app_password, "ABCDEFGHJKMNPQRS");
  const auto c = read_secret(CredentialKind::app_password, "abcd efgh jkmn pqrs");
  ASSERT_TRUE(a && b && c);
  EXPECT_TRUE(*a == *b);
  EXPECT_TRUE(*a == *c);
}

TEST(QuickSecret, AnotherShapeIsNone) {
  for (const std::string_view bad :
       {"", "abcd-efgh-jkmn-pqr", "abcd-efgh-jkmn-pqrst", "abcd-efgh-jkmn-pqr!", "correct horse battery"})
    EXPECT_FALSE(read_secret(CredentialKind::app_password, bad)) << bad;
  EXPECT_FALSE(read_secret(CredentialKind::recovery_key, "abcd-efgh-jkmn-pqrs"));
  EXPECT_FALSE(read_secret(CredentialKind::recovery_key, std::string(10'000, 'A')));
}

TEST(QuickSecret, ARecordsTextReadsBackOrIsCorrupt) {
  const MadeSecret made = make_secret(CredentialKind::app_password);
  const std::string text = to_text(made.record);
  const auto back = parse_quick(text);
  ASSERT_TRUE(back);
  EXPECT_EQ(back->salt, made.record.salt);
  EXPECT_EQ(back->verifier, made.record.verifier);
  for (std::size_t size = 0; size < text.size(); ++size)
    EXPECT_EQ(parse_quick(std::string_view(text).substr(0, size)).error().code, Code::corrupt);
  EXPECT_FALSE(parse_quick(text + "A"));
}

}  // namespace
}  // namespace muhur::accounts
