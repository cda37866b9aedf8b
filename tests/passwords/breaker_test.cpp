#include "passwords/breaker.hpp"

#include <gtest/gtest.h>

namespace muhur::passwords {
namespace {

using std::chrono::milliseconds;

Breaker closed_one() {
  Breaker breaker;
  breaker.check_succeeded();
  return breaker;
}

TEST(Breaker, BeginsOpenAndClosesWithTheFirstGoodCheck) {
  Breaker breaker;
  EXPECT_FALSE(breaker.closed());
  EXPECT_LE(breaker.next_probe(), Breaker::TimePoint{});
  breaker.check_succeeded();
  EXPECT_TRUE(breaker.closed());
}

TEST(Breaker, OpensAfterThreeFailuresInARow) {
  Breaker breaker = closed_one();
  const Breaker::TimePoint now{milliseconds(1'000'000)};
  breaker.failed(now, false);
  breaker.failed(now, false);
  breaker.call_succeeded();
  breaker.failed(now, false);
  breaker.failed(now, false);
  EXPECT_TRUE(breaker.closed());
  breaker.failed(now, false);
  EXPECT_FALSE(breaker.closed());
}

TEST(Breaker, OpensAtOnceForAGraveOne) {
  Breaker breaker = closed_one();
  breaker.failed(Breaker::TimePoint{}, true);
  EXPECT_FALSE(breaker.closed());
}

TEST(Breaker, RestsLongerEachTimeUntilACallGoesWell) {
  Breaker breaker = closed_one();
  Breaker::TimePoint now{milliseconds(1'000'000)};
  for (const int expected : {1'000, 2'000, 4'000, 8'000, 16'000, 30'000, 30'000}) {
    breaker.failed(now, true);
    const auto rest = std::chrono::duration_cast<milliseconds>(breaker.next_probe() - now).count();
    EXPECT_GE(rest, expected * 3 / 4 - 1);
    EXPECT_LE(rest, expected * 5 / 4 + 1);
    now = breaker.next_probe();
  }
  breaker.check_succeeded();  // a check alone does not make it trusted again
  breaker.failed(now, true);
  EXPECT_GT(breaker.next_probe() - now, milliseconds(20'000));
  breaker.check_succeeded();
  breaker.call_succeeded();
  breaker.failed(now, true);
  EXPECT_LT(breaker.next_probe() - now, milliseconds(2'000));
}

TEST(Breaker, CallsThatBeganBeforeItOpenedDoNotMakeItRestLonger) {
  Breaker breaker = closed_one();
  const Breaker::TimePoint now{milliseconds(1'000'000)};
  breaker.failed(now, true);
  const auto probe = breaker.next_probe();
  for (int i = 0; i < 50; ++i) breaker.failed(now + milliseconds(1), true);
  EXPECT_EQ(breaker.next_probe(), probe);
}

}  // namespace
}  // namespace muhur::passwords
