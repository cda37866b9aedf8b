#include "mime/boundaries.hpp"

#include <gtest/gtest.h>

#include <random>

namespace muhur::mime {
namespace {

std::optional<std::uint32_t> part_of(const Boundaries& boundaries, std::string_view line,
                                     bool complete = true) {
  const auto match = boundaries.find(line, line.size(), complete);
  return match ? std::optional(match->part) : std::nullopt;
}

TEST(Boundaries, MatchTheBeginningOfALine) {
  Boundaries boundaries;
  boundaries.push("b", 1);
  EXPECT_EQ(part_of(boundaries, "b"), 1u);
  EXPECT_EQ(part_of(boundaries, "b--"), 1u);
  EXPECT_EQ(part_of(boundaries, "bc"), 1u);
  EXPECT_EQ(part_of(boundaries, "a"), std::nullopt);
  EXPECT_EQ(part_of(boundaries, ""), std::nullopt);
}

TEST(Boundaries, PreferTheLongestAndThenTheInnermost) {
  Boundaries boundaries;
  boundaries.push("bb", 1);
  boundaries.push("b", 2);
  EXPECT_EQ(part_of(boundaries, "bb x"), 1u);
  boundaries.push("bb", 3);
  EXPECT_EQ(part_of(boundaries, "bb x"), 3u);
}

TEST(Boundaries, PreferAnInnerOneThatIsClosedToAnOuterOneOfTheWholeLine) {
  Boundaries boundaries;
  boundaries.push("foo--", 1);
  boundaries.push("foo", 2);
  EXPECT_EQ(part_of(boundaries, "foo--"), 2u);
  EXPECT_EQ(part_of(boundaries, "foo--", false), 1u);
}

TEST(Boundaries, ForgetWhatWasPopped) {
  Boundaries boundaries;
  boundaries.push("outer", 1);
  boundaries.push("outer-inner", 2);
  boundaries.push("outer-inner", 3);
  boundaries.pop();
  EXPECT_EQ(part_of(boundaries, "outer-inner"), 2u);
  boundaries.pop();
  EXPECT_EQ(part_of(boundaries, "outer-inner"), 1u);
  boundaries.pop();
  EXPECT_TRUE(boundaries.empty());
  EXPECT_EQ(part_of(boundaries, "outer"), std::nullopt);
}

TEST(Boundaries, CutLongOnes) {
  Boundaries boundaries;
  boundaries.push(std::string(100, 'x'), 1);
  const auto match = boundaries.find(std::string(82, 'x'), 200, true);
  ASSERT_TRUE(match);
  EXPECT_EQ(match->length, 80u);
}

// The rules as a list that is searched, as slow as it is plain.
struct PlainBoundaries {
  std::vector<std::pair<std::string, std::uint32_t>> open;
  std::optional<std::uint32_t> find(std::string_view line) const {
    const std::pair<std::string, std::uint32_t>* best = nullptr;
    const bool dashes = line.size() > 2 && line.ends_with("--");
    for (auto at = open.rbegin(); at != open.rend(); ++at) {
      if (!line.starts_with(at->first) || (best && best->first.size() >= at->first.size())) continue;
      best = &*at;
      if (at->first.size() == line.size() || (dashes && at->first.size() + 2 == line.size())) break;
    }
    return best ? std::optional(best->second) : std::nullopt;
  }
};

TEST(Boundaries, AgreeWithASearchOfTheList) {
  std::mt19937 random(7);
  const auto word = [&] {
    std::string out;
    for (auto size = random() % 7; size > 0; --size) out += "ab-"[random() % 3];
    return out;
  };
  Boundaries boundaries;
  PlainBoundaries plain;
  for (std::uint32_t i = 0; i < 50'000; ++i) {
    if (random() % 2 == 0) {
      const std::string boundary = word();
      boundaries.push(boundary, i);
      plain.open.emplace_back(boundary, i);
    } else if (!boundaries.empty() && (random() % 2 == 0 || plain.open.size() > 40)) {
      boundaries.pop();
      plain.open.pop_back();
    }
    const std::string line = word();
    ASSERT_EQ(part_of(boundaries, line), plain.find(line)) << line;
  }
}

}  // namespace
}  // namespace muhur::mime
