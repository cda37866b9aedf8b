#include "passwords/replay_guard.hpp"

#include <gtest/gtest.h>

namespace muhur::passwords {
namespace {

constexpr std::int64_t kStart = 1'700'000'000'000;

TEST(ReplayGuard, AdmitsOnceForAsLongAsTheTimeIsGood) {
  for (const std::int64_t signed_off : {-59'000, 0, 59'000}) {
    ReplayGuard guard(kStart - 100'000);
    ASSERT_TRUE(guard.admit("nonce", kStart + signed_off, kStart));
    // Every second until it is too old, while other requests make the generations turn.
    for (std::int64_t later = 0; later <= 250'000; later += 1'000) {
      const auto again = guard.admit("nonce", kStart + signed_off, kStart + later);
      ASSERT_FALSE(again) << signed_off << " " << later;
      ASSERT_TRUE(guard.admit(std::to_string(later), kStart + later, kStart + later));
    }
  }
}

TEST(ReplayGuard, RefusesOtherTimesThanAboutNow) {
  ReplayGuard guard(kStart - 1'000'000);
  EXPECT_EQ(guard.admit("a", kStart - 60'001, kStart).error().code, Code::denied);
  EXPECT_EQ(guard.admit("a", kStart + 60'001, kStart).error().code, Code::denied);
  EXPECT_TRUE(guard.admit("a", kStart + 60'000, kStart));
}

TEST(ReplayGuard, RefusesWhatWasSignedBeforeItsStart) {
  ReplayGuard guard(kStart);
  EXPECT_EQ(guard.admit("a", kStart - 1, kStart + 5).error().code, Code::denied);
  EXPECT_TRUE(guard.admit("b", kStart, kStart + 5));
}

TEST(ReplayGuard, WhenItsMemoryIsFullItForgetsNothing) {
  ReplayGuard guard(kStart, 3);
  for (const char* nonce : {"a", "b", "c"}) EXPECT_TRUE(guard.admit(nonce, kStart, kStart));
  EXPECT_EQ(guard.admit("d", kStart, kStart).error().code, Code::busy);
  EXPECT_EQ(guard.admit("a", kStart, kStart).error().code, Code::conflict);
  EXPECT_TRUE(guard.admit("d", kStart + 121'000, kStart + 121'000));
}

}  // namespace
}  // namespace muhur::passwords
