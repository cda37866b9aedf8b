#include "base/random.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <set>

namespace muhur {
namespace {

TEST(Random, NeverGivesTheSameTwice) {
  std::set<std::string> seen;
  for (int i = 0; i < 2000; ++i) EXPECT_TRUE(seen.insert(random_hex(16)).second);
  EXPECT_EQ(seen.begin()->size(), 32U);
}

TEST(Random, FillsEverySizeWhollyWhetherBufferedOrNot) {
  for (const std::size_t size : {1U, 16U, 127U, 128U, 129U, 4096U}) {
    Bytes either(size);
    for (int i = 0; i < 20; ++i) {
      const Bytes bytes = random_bytes(size);
      for (std::size_t at = 0; at < size; ++at) either[at] |= bytes[at];
    }
    for (const Byte b : either) EXPECT_NE(b, 0);
  }
}

TEST(Random, BelowStaysBelowAndReachesAll) {
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t n = random_below(6);
    EXPECT_LT(n, 6U);
    seen.insert(n);
  }
  EXPECT_EQ(seen.size(), 6U);
  EXPECT_EQ(random_below(1), 0U);
}

TEST(Random, AForkedChildDoesNotRepeatWhatItsParentHasBuffered) {
  (void)random_u64();  // fills this thread's buffer
  int pipes[2];
  ASSERT_EQ(::pipe(pipes), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const std::uint64_t value = random_u64();
    const bool sent = ::write(pipes[1], &value, sizeof value) == sizeof value;
    ::_exit(sent ? 0 : 1);
  }
  std::uint64_t theirs = 0;
  ASSERT_EQ(::read(pipes[0], &theirs, sizeof theirs), static_cast<ssize_t>(sizeof theirs));
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ::close(pipes[0]);
  ::close(pipes[1]);
  EXPECT_NE(random_u64(), theirs);
}

TEST(Random, ATokenIsUrlSafe) {
  const std::string token = random_token();
  EXPECT_EQ(token.size(), 43U);
  EXPECT_EQ(token.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"),
            std::string::npos);
}

}  // namespace
}  // namespace muhur
