#include "imap/sequence.hpp"

#include <gtest/gtest.h>

#include "imap/list_pattern.hpp"

namespace muhur::imap {
namespace {

std::string shown(std::string_view text, std::uint32_t star) {
  const auto set = parse_sequence_set(text);
  if (!set) return "syntax";
  std::string out;
  for (const auto& [first, last] : set->normalized(star))
    out +=
        (out.empty() ? "" : ",") + std::to_string(first) + (first == last ? "" : ":" + std::to_string(last));
  return out;
}

TEST(SequenceSet, IsNormalized) {
  EXPECT_EQ(shown("5", 9), "5");
  EXPECT_EQ(shown("3:1,2,7,8:9", 9), "1:3,7:9");
  EXPECT_EQ(shown("4294967295,1", 9), "1,4294967295");
}

TEST(SequenceSet, KnowsTheLastOne) {
  // Bug class 9: "*", "*:1" and "N:*" beyond the end hold the last one.
  EXPECT_EQ(shown("*", 9), "9");
  EXPECT_EQ(shown("*:1", 9), "1:9");
  EXPECT_EQ(shown("20:*", 9), "9:20");
  EXPECT_EQ(shown("*:*", 9), "9");
  EXPECT_EQ(shown("*,1:*", 0), "") << "nothing is there";
}

TEST(SequenceSet, RefusesWhatIsNoSet) {
  for (const char* text : {"", "0", "1,", ",1", "1:", ":1", "1:0", "a", "1 2", "4294967296", "1:2:3", "-1"})
    EXPECT_EQ(shown(text, 9), "syntax") << text;
}

TEST(SequenceSet, IsPrintedInAsFewRangesAsCanBe) {
  std::string out;
  append_set(out, std::vector<std::uint32_t>{1, 2, 3, 5, 7, 8, 4294967294, 4294967295});
  EXPECT_EQ(out, "1:3,5,7:8,4294967294:4294967295");
}

TEST(SequenceSet, FindsMembers) {
  const mailbox::UidSet set{{2, 4}, {9, 9}};
  for (const std::uint32_t in : {2, 3, 4, 9}) EXPECT_TRUE(contains(set, in));
  for (const std::uint32_t out : {1, 5, 8, 10}) EXPECT_FALSE(contains(set, out));
}

TEST(ListPattern, StarCrossesLevelsAndPercentDoesNot) {
  EXPECT_TRUE(matches("*", "a/b"));
  EXPECT_FALSE(matches("%", "a/b"));
  EXPECT_TRUE(matches("%/%", "a/b"));
  EXPECT_TRUE(matches("a*", "a"));
  EXPECT_FALSE(matches("a", "ab"));
  EXPECT_FALSE(matches("", "a"));
  EXPECT_TRUE(matches("%b%", "abc"));
  EXPECT_TRUE(matches("inb%", "INBOX"));
  EXPECT_FALSE(matches("SENT", "Sent"));
}

// What the words of RFC 3501 §6.3.8 say, tried out one by one.
bool by_the_book(std::string_view pattern, std::string_view path) {
  if (pattern.empty()) return path.empty();
  if (pattern[0] == '*' || pattern[0] == '%') {
    if (by_the_book(pattern.substr(1), path)) return true;
    if (path.empty() || (pattern[0] == '%' && path[0] == kSeparator)) return false;
    return by_the_book(pattern, path.substr(1));
  }
  return !path.empty() && pattern[0] == path[0] && by_the_book(pattern.substr(1), path.substr(1));
}

TEST(ListPattern, MatchesWhatTheBookSays) {
  std::uint64_t seed = 3;
  const auto random = [&](std::uint64_t below) {
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    return (seed >> 33) % below;
  };
  int matched = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string pattern, path;
    for (auto n = random(9); n > 0; --n) pattern.push_back("ab/*%"[random(5)]);
    for (auto n = random(9); n > 0; --n) path.push_back("ab/"[random(3)]);
    ASSERT_EQ(matches(pattern, path), by_the_book(pattern, path)) << pattern << " and " << path;
    matched += matches(pattern, path);
  }
  EXPECT_GT(matched, 1'000);
}

TEST(ListPattern, LongerThanAWordOfBits) {
  const std::string as(200, 'a');
  EXPECT_TRUE(matches(as, as));
  EXPECT_FALSE(matches(as + "b", as + "c"));
  EXPECT_TRUE(matches(as + "%", as + "bbb"));
  EXPECT_FALSE(matches(as + "%", as + "b/b"));
  EXPECT_TRUE(matches("*" + as, as + as));
  for (std::size_t i = 60; i < 70; ++i) {
    const std::string start(i, 'x');
    EXPECT_TRUE(matches(start + "*y", start + "zzy")) << i;
    EXPECT_TRUE(matches(start + "*", start)) << i;
    EXPECT_FALSE(matches(start + "*y", start)) << i;
  }
}

TEST(ListPattern, ManyWildcardsCostNoMoreThanTheirNumber) {
  // Bug class 21: LIST "*a*a*a*…" took exponential time elsewhere.
  std::string pattern;
  for (int i = 0; i < 400; ++i) pattern += "*a";
  EXPECT_FALSE(matches(pattern + "b", std::string(900, 'a')));
  EXPECT_TRUE(matches(pattern, std::string(900, 'a')));
}

}  // namespace
}  // namespace muhur::imap
