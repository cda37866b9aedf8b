#include "accounts/lockout.hpp"

#include <thread>

#include "accounts/fixture.hpp"

namespace muhur::accounts {
namespace {

constexpr std::string_view kPeer = "192.0.2.1:50000";

class LockoutTest : public WithDirectory {
 protected:
  static bool guess_wrong(Lockout& lockout, std::string_view account, std::string_view peer = kPeer) {
    auto attempt = lockout.admit(account, peer);
    if (!attempt) return false;
    attempt->wrong();
    return true;
  }
  static int wrong_until_refused(Lockout& lockout, std::string_view account, std::string_view peer = kPeer) {
    int n = 0;
    while (n < 1000 && guess_wrong(lockout, account, peer)) ++n;
    return n;
  }
};

TEST_F(LockoutTest, TheFirstGuessesAreFreeThenTheWaitDoublesUpToItsBound) {
  Lockout lockout(*directory_);
  EXPECT_EQ(wrong_until_refused(lockout, "a@x"), 5);
  EXPECT_EQ(lockout.admit("a@x", kPeer).error().code, Code::busy);
  for (const int seconds : {1, 2, 4, 8, 16, 32, 60, 60}) {
    EXPECT_EQ(lockout.admit("a@x", kPeer).error().remedy,
              "Wait " + std::to_string(seconds) + " s and try again");
    clock_.advance(Millis(seconds * 1000 - 1));
    EXPECT_FALSE(lockout.admit("a@x", kPeer));
    clock_.advance(Millis(1));
    ASSERT_TRUE(guess_wrong(lockout, "a@x")) << seconds;
  }
}

TEST_F(LockoutTest, ARefusedAttemptDoesNotCount) {
  Lockout lockout(*directory_);
  (void)wrong_until_refused(lockout, "a@x");
  for (int i = 0; i < 50; ++i) EXPECT_FALSE(lockout.admit("a@x", kPeer));
  clock_.advance(Millis(1000));
  EXPECT_TRUE(lockout.admit("a@x", kPeer));
}

TEST_F(LockoutTest, OtherAccountsAreNotTouched) {
  Lockout lockout(*directory_);
  (void)wrong_until_refused(lockout, "a@x");
  EXPECT_TRUE(lockout.admit("b@x", kPeer));
}

TEST_F(LockoutTest, ASuccessForgivesEarlierSlips) {
  Lockout lockout(*directory_);
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(guess_wrong(lockout, "a@x"));
  lockout.admit("a@x", kPeer)->succeeded();
  EXPECT_EQ(wrong_until_refused(lockout, "a@x"), 5);
}

TEST_F(LockoutTest, AnAttemptThatTheServerCouldNotFinishCountsForNothing) {
  Lockout lockout(*directory_);
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(lockout.admit("a@x", kPeer));
  EXPECT_EQ(wrong_until_refused(lockout, "a@x"), 5);
}

TEST_F(LockoutTest, Bug40ParallelWrongGuessesCountEachOne) {
  Lockout lockout(*directory_);
  std::atomic<int> admitted{0};
  std::atomic<int> running{0};
  std::atomic<int> most{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 16; ++t)
    threads.emplace_back([&] {
      auto attempt = lockout.admit("a@x", kPeer);
      if (!attempt) return;
      ++admitted;
      const int now = ++running;
      for (int seen = most; seen < now && !most.compare_exchange_weak(seen, now);) continue;
      std::this_thread::yield();
      --running;
      attempt->wrong();
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(admitted, 5);  // the rest waited for these and were refused then
  EXPECT_LE(most, 5);
}

TEST_F(LockoutTest, WithoutWaitingNothingComesBackWhileOthersHaveAllPlacesAndTheirEndIsTold) {
  Lockout lockout(*directory_);
  int told = 0;
  const auto try_it = [&] { return lockout.try_admit("a@x", kPeer, [&] { ++told; }); };
  std::vector<Lockout::Attempt> flying;
  for (int i = 0; i < 5; ++i) {
    auto attempt = try_it();
    ASSERT_TRUE(attempt && *attempt);
    flying.push_back(std::move(**attempt));
  }
  for (int i = 0; i < 3; ++i) {
    const auto waits = try_it();
    ASSERT_TRUE(waits);
    EXPECT_FALSE(*waits);
  }
  EXPECT_TRUE(*lockout.try_admit("b@x", kPeer, [] {}));  // another account has places of its own
  EXPECT_EQ(told, 0);
  flying.pop_back();  // of it nothing became known: one place is free
  EXPECT_EQ(told, 3);
  auto next = try_it();
  ASSERT_TRUE(next && *next);
  (*next)->wrong();
  EXPECT_EQ(told, 3);  // nobody waited: once is once
  for (auto& attempt : flying) attempt.wrong();
  EXPECT_EQ(try_it().error().code, Code::busy);
  EXPECT_EQ(lockout.admit("a@x", kPeer).error().code, Code::busy);
}

TEST_F(LockoutTest, ParallelRightOnesAllGetThrough) {
  Lockout lockout(*directory_);
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(guess_wrong(lockout, "a@x"));
  std::atomic<int> done{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 16; ++t)
    threads.emplace_back([&] {
      auto attempt = lockout.admit("a@x", kPeer);
      if (!attempt) return;
      attempt->succeeded();
      ++done;
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(done, 16);
}

TEST_F(LockoutTest, ANetworkMayErrOftenButNotForEver) {
  Lockout lockout(*directory_);
  int n = 0;
  while (n < 1000 && guess_wrong(lockout, "user" + std::to_string(n) + "@x")) ++n;
  EXPECT_EQ(n, 100);
  EXPECT_FALSE(lockout.admit("fresh@x", "192.0.2.1:9"));
  EXPECT_TRUE(lockout.admit("fresh@x", "192.0.2.2:9"));
  EXPECT_TRUE(lockout.admit("fresh@x", "127.0.0.1:9"));
}

TEST_F(LockoutTest, ASuccessDoesNotForgiveANetworkItsOtherGuesses) {
  Lockout lockout(*directory_, {.free_per_network = 10});
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(guess_wrong(lockout, "user" + std::to_string(i) + "@x"));
    if (i < 9) lockout.admit("own@x", kPeer)->succeeded();
  }
  EXPECT_FALSE(lockout.admit("own@x", kPeer));
}

TEST_F(LockoutTest, NetworksAreLeftAloneWhenSoConfigured) {
  Lockout lockout(*directory_, {.free_per_network = 1, .count_networks = false});
  for (int i = 0; i < 30; ++i) ASSERT_TRUE(guess_wrong(lockout, "user" + std::to_string(i) + "@x"));
}

TEST_F(LockoutTest, StrangersDoNotKeepTheOwnerOutOfAKnownNetwork) {
  Lockout lockout(*directory_);
  lockout.admit("a@x", kPeer)->succeeded();
  EXPECT_EQ(wrong_until_refused(lockout, "a@x", "203.0.113.9:1"), 5);
  auto own = lockout.admit("a@x", kPeer);
  ASSERT_TRUE(own);
  own->succeeded();
  EXPECT_FALSE(lockout.admit("a@x", "203.0.113.9:1"));   // the owner's success does not help the stranger
  EXPECT_FALSE(lockout.admit("a@x", "198.51.100.9:1"));  // nor one from elsewhere
  EXPECT_EQ(wrong_until_refused(lockout, "a@x", kPeer), 5);
}

TEST_F(LockoutTest, ARestartForgetsNothing) {
  {
    Lockout lockout(*directory_);
    (void)wrong_until_refused(lockout, "a@x");
    lockout.admit("b@x", kPeer)->succeeded();
    settle();
  }
  reopen();
  Lockout lockout(*directory_);
  EXPECT_FALSE(lockout.admit("a@x", kPeer));
  EXPECT_EQ(wrong_until_refused(lockout, "b@x", "203.0.113.9:1"), 5);
  EXPECT_TRUE(lockout.admit("b@x", kPeer));
}

TEST_F(LockoutTest, Bug41AFloodOfOtherNamesForgetsNothing) {
  Lockout lockout(*directory_, {.count_networks = false, .remembered = 8});
  (void)wrong_until_refused(lockout, "a@x");
  for (int i = 0; i < 50; ++i) ASSERT_TRUE(guess_wrong(lockout, "flood" + std::to_string(i) + "@x"));
  settle();
  EXPECT_FALSE(lockout.admit("a@x", kPeer));
}

TEST_F(LockoutTest, OldGuessesAreForgotten) {
  Lockout lockout(*directory_);
  (void)wrong_until_refused(lockout, "a@x");
  clock_.advance(std::chrono::hours(25));
  EXPECT_EQ(wrong_until_refused(lockout, "a@x"), 5);
}

TEST_F(LockoutTest, AClockThatIsSetBackDoesNotLockAnyoneOutForLonger) {
  Lockout lockout(*directory_);
  (void)wrong_until_refused(lockout, "a@x");
  clock_.advance(-std::chrono::hours(5));
  EXPECT_EQ(lockout.admit("a@x", kPeer).error().remedy, "Wait 1 s and try again");
}

}  // namespace
}  // namespace muhur::accounts
