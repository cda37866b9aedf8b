#include "base/lru.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace muhur {
namespace {

TEST(Lru, TheLeastRecentGoesWhenTheCountIsFull) {
  std::vector<std::string> gone;
  Lru<std::string, int> lru(2, 1000, [&](const std::string& key, int&) { gone.push_back(key); });
  lru.put("a", 1);
  lru.put("b", 2);
  ASSERT_NE(lru.get("a"), nullptr);
  lru.put("c", 3);
  EXPECT_EQ(gone, std::vector<std::string>{"b"});
  EXPECT_EQ(lru.get("b"), nullptr);
  EXPECT_EQ(*lru.get("a"), 1);
}

TEST(Lru, WeightEvictsAsManyAsItTakesButNeverTheNewest) {
  Lru<int, int> lru(100, 10);
  for (int i = 0; i < 5; ++i) lru.put(i, i, 2);
  EXPECT_EQ(lru.weight(), 10U);
  lru.put(9, 9, 50);
  EXPECT_EQ(lru.size(), 1U);
  ASSERT_NE(lru.get(9), nullptr);
}

TEST(Lru, ErasingAndPuttingAgainKeepTheWeightRight) {
  Lru<int, int> lru(10, 100);
  lru.put(1, 1, 30);
  lru.put(1, 2, 5);
  EXPECT_EQ(lru.weight(), 5U);
  EXPECT_TRUE(lru.erase(1));
  EXPECT_FALSE(lru.erase(1));
  EXPECT_EQ(lru.weight(), 0U);
}

}  // namespace
}  // namespace muhur
