#include "net/budget.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace muhur::net {
namespace {

TEST(Budget, IsSharedAndGivenBack) {
  Budget budget(100);
  Budget::Share first, second;
  EXPECT_TRUE(first.grow(budget, 60));
  EXPECT_FALSE(second.grow(budget, 41));
  EXPECT_TRUE(second.grow(budget, 40));
  EXPECT_FALSE(first.grow(budget, 1));
  EXPECT_TRUE(first.grow(budget, 0));
  second = {};
  EXPECT_TRUE(first.grow(budget, 40));
  EXPECT_EQ(first.octets(), 100u);
  {
    const Budget::Share moved = std::move(first);
    EXPECT_FALSE(second.grow(budget, 1));
  }
  EXPECT_TRUE(second.grow(budget, 100));
}

TEST(Budget, WhoIsAloneMayTakeAnySize) {
  Budget budget(100);
  Budget::Share alone, other;
  EXPECT_TRUE(alone.grow(budget, 80));
  EXPECT_TRUE(alone.grow(budget, 1'000));
  EXPECT_FALSE(other.grow(budget, 1));
  alone = {};
  EXPECT_TRUE(other.grow(budget, 5'000));
}

TEST(Budget, IsRightWhenManyTakeAtOnce) {
  Budget budget(1'000);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 20'000; ++i) {
        Budget::Share share;
        (void)share.grow(budget, 300);
      }
    });
  for (auto& thread : threads) thread.join();
  Budget::Share one, all;
  EXPECT_TRUE(one.grow(budget, 1));
  EXPECT_TRUE(all.grow(budget, 999)) << "nothing was lost";
  EXPECT_FALSE(all.grow(budget, 1));
}

}  // namespace
}  // namespace muhur::net
