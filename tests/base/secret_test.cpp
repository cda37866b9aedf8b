#include "base/secret.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <thread>
#include <type_traits>
#include <vector>

namespace muhur {
namespace {

static_assert(!std::is_copy_constructible_v<Secret> && std::is_nothrow_move_constructible_v<Secret>);

bool is_zero(ByteView bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](Byte b) { return b == 0; });
}

TEST(Secret, HoldsEverySizeAcrossTheSlotClasses) {
  for (const std::size_t size : {1U, 31U, 32U, 33U, 64U, 255U, 1024U, 1025U, 5000U, 100'000U}) {
    Secret secret(size);
    EXPECT_EQ(secret.size(), size);
    EXPECT_TRUE(is_zero(secret.view())) << size;
    std::fill(secret.writable().begin(), secret.writable().end(), 0xAB);
    EXPECT_TRUE(secret == secret.copy());
  }
  EXPECT_TRUE(Secret(std::size_t{0}).empty());
}

TEST(Secret, ASlotThatComesBackIsFoundWiped) {
  // Last in, first out: the same slot is handed out again.
  const Byte* before = nullptr;
  {
    Secret secret(40);
    before = secret.data();
    std::fill(secret.writable().begin(), secret.writable().end(), 0xCD);
  }
  const Secret again(40);
  EXPECT_EQ(again.data(), before);
  EXPECT_TRUE(is_zero(again.view()));
}

TEST(Secret, MovingLeavesAnEmptyOne) {
  Secret a = Secret::from_text("wax");
  Secret b = std::move(a);
  EXPECT_TRUE(a.empty());  // NOLINT(bugprone-use-after-move): that is what is asked
  EXPECT_EQ(b.text(), "wax");
  Secret c = Secret::from_text("other");
  c = std::move(b);
  EXPECT_EQ(c.text(), "wax");
  c.wipe();
  EXPECT_TRUE(c.empty());
}

TEST(Secret, ComparesBySizeAndBytes) {
  EXPECT_TRUE(Secret::from_text("seal") == Secret::from_text("seal"));
  EXPECT_FALSE(Secret::from_text("seal") == Secret::from_text("seam"));
  EXPECT_FALSE(Secret::from_text("seal") == Secret::from_text("sea"));
  EXPECT_TRUE(Secret() == Secret());
}

TEST(Secret, ASliceIsASecretOfItsOwn) {
  Secret part;
  {
    const Secret whole = Secret::from_text("0123456789");
    part = whole.slice(3, 4);
  }
  EXPECT_EQ(part.text(), "3456");
}

TEST(Secret, RandomOnesDiffer) { EXPECT_FALSE(Secret::random(32) == Secret::random(32)); }

TEST(Secret, ManyThreadsTakeAndGiveBackWithoutMixing) {
  std::vector<std::thread> threads;
  std::atomic<int> mixed{0};
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([t, &mixed] {
      std::vector<Secret> held;
      for (int i = 0; i < 2000; ++i) {
        Secret secret(static_cast<std::size_t>(1 + (i * 37) % 300));
        if (!is_zero(secret.view())) ++mixed;
        std::fill(secret.writable().begin(), secret.writable().end(), static_cast<Byte>(t + 1));
        held.push_back(std::move(secret));
        if (held.size() > 50) held.erase(held.begin(), held.begin() + 25);
      }
      for (const Secret& secret : held)
        for (const Byte b : secret.view())
          if (b != t + 1) ++mixed;
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(mixed, 0);
}

TEST(Secret, ItsPagesAreLockedAndLeftOutOfCoreDumps) {
  const Secret secret(32);
  const auto wanted = reinterpret_cast<std::uintptr_t>(secret.data());
  std::ifstream maps("/proc/self/smaps");
  std::string line;
  bool inside = false;
  std::string flags;
  while (std::getline(maps, line)) {
    unsigned long from = 0;
    unsigned long to = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx ", &from, &to) == 2) inside = from <= wanted && wanted < to;
    if (inside && line.starts_with("VmFlags:")) flags = line;
  }
  ASSERT_FALSE(flags.empty());
  EXPECT_NE(flags.find(" dd"), std::string::npos) << flags;
#if !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)  // these make mlock() do nothing
  rlimit limit = {};
  ::getrlimit(RLIMIT_MEMLOCK, &limit);
  if (limit.rlim_cur >= (1U << 20)) {
    EXPECT_NE(flags.find(" lo"), std::string::npos) << flags;
  }
#endif
}

[[noreturn]] void live_without_locking() {
  const rlimit none = {0, 0};
  ::setrlimit(RLIMIT_MEMLOCK, &none);
  // Who has CAP_IPC_LOCK may lock all the same: then there is nothing to warn of.
  static Byte page[4096];
  const bool may_lock = ::mlock(page, sizeof page) == 0;
  const bool locked = harden_process();
  const Secret secret = Secret::from_text("still here");
  rlimit core = {};
  ::getrlimit(RLIMIT_CORE, &core);
  ::_exit(secret.text() == "still here" && core.rlim_cur == 0 && locked == may_lock ? 0 : 1);
}

TEST(SecretDeath, WorksWithAWarningWhenNothingMayBeLocked) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(live_without_locking(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace muhur
