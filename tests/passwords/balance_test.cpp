#include "passwords/balance.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace muhur::passwords {
namespace {

TEST(Balance, TakesTheLeastOutstanding) {
  std::size_t turn = 0;
  EXPECT_EQ(least_loaded(std::vector<Place>{{3, 1, true}, {1, 1, true}, {2, 1, true}}, turn), 1U);
}

TEST(Balance, CountsWorkByThread) {
  std::size_t turn = 0;
  EXPECT_EQ(least_loaded(std::vector<Place>{{3, 1, true}, {8, 4, true}}, turn), 1U);
  EXPECT_EQ(least_loaded(std::vector<Place>{{1, 1, true}, {8, 4, true}}, turn), 0U);
}

TEST(Balance, EqualsTakeTurns) {
  const std::vector<Place> places{{1, 1, true}, {1, 1, true}, {1, 1, false}, {2, 2, true}};
  std::size_t turn = 0;
  std::vector<std::size_t> chosen;
  for (int i = 0; i < 7; ++i) chosen.push_back(*least_loaded(places, turn));
  EXPECT_EQ(chosen, (std::vector<std::size_t>{0, 1, 3, 0, 1, 3, 0}));
}

TEST(Balance, LeavesOutWhatIsNotUsableOrFull) {
  std::size_t turn = 0;
  EXPECT_EQ(least_loaded({}, turn), std::nullopt);
  EXPECT_EQ(least_loaded(std::vector<Place>{{0, 1, false}}, turn), std::nullopt);
  EXPECT_EQ(least_loaded(std::vector<Place>{{64, 1, true}, {127, 2, true}}, turn), 1U);
  EXPECT_EQ(least_loaded(std::vector<Place>{{64, 1, true}, {128, 2, true}}, turn), std::nullopt);
}

TEST(Balance, TheServerHelpsOnceEveryLaneOfAWorkerIsTaken) {
  EXPECT_FALSE(local_is_better({0, 2, true}, {3, 1, true}));
  EXPECT_TRUE(local_is_better({0, 2, true}, {4, 1, true}));
  EXPECT_TRUE(local_is_better({7, 2, true}, {4, 1, true}));
  EXPECT_FALSE(local_is_better({8, 2, true}, {4, 1, true}));
  EXPECT_FALSE(local_is_better({0, 2, false}, {40, 1, true}));
}

}  // namespace
}  // namespace muhur::passwords
