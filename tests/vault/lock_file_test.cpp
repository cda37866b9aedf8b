#include "vault/lock_file.hpp"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fixture.hpp"

namespace muhur::vault {
namespace {

using LockFileTest = VaultTest;

// Runs `child` in another process up to its end or its death; returns waitpid's status.
template <class F>
int in_child(F child) {
  const pid_t pid = ::fork();
  if (pid == 0) ::_exit(child());
  int status = 0;
  ::waitpid(pid, &status, 0);
  return status;
}

TEST_F(LockFileTest, ASecondObjectInTheSameProcessIsRefusedAndTheFirstGoesOn) {
  const auto first = open_database();
  const auto second = Database::open(database_options());
  ASSERT_TRUE(fails_with(Code::busy, second));
  EXPECT_THAT(second.error().what, testing::HasSubstr(file().string()));
  EXPECT_THAT(second.error().what, testing::HasSubstr(std::to_string(::getpid())));
  EXPECT_TRUE(ok(first->write([](Connection& c) { return insert(c, "a"); })));
}

TEST_F(LockFileTest, ASecondProcessIsRefused) {
  const auto held = LockFile::acquire(file());
  ASSERT_TRUE(ok(held));
  const int status = in_child([&] { return fails_with(Code::busy, LockFile::acquire(file())) ? 0 : 1; });
  EXPECT_EQ(status, 0);
}

TEST_F(LockFileTest, IsFreeAgainOnceItsOwnerHasGone) {
  open_database().reset();
  EXPECT_FALSE(std::filesystem::exists(file("test.db-lock")));
  EXPECT_TRUE(open_database());
}

TEST_F(LockFileTest, GoesWithAProcessThatIsKilled) {
  const int status = in_child([&] {
    const auto lock = LockFile::acquire(file());
    if (lock) ::raise(SIGKILL);
    return 1;
  });
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_TRUE(std::filesystem::exists(file("test.db-lock")));
  EXPECT_TRUE(ok(LockFile::acquire(file())));
}

TEST_F(LockFileTest, ManyWhoTryAtOnceAreNeverTwoOwners) {
  std::atomic<int> owners{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 200; ++i)
        if (const auto lock = LockFile::acquire(file()); lock) {
          EXPECT_EQ(owners.fetch_add(1), 0);
          owners.fetch_sub(1);
        }
    });
  for (auto& thread : threads) thread.join();
}

// kill -9 in the middle of writes: what a caller was told is there, and the database is sound.
TEST_F(LockFileTest, WhatWasAcknowledgedSurvivesAKill) {
  for (int round = 0; round < 3; ++round) {
    int channel[2];
    ASSERT_EQ(::pipe(channel), 0);
    const pid_t pid = ::fork();
    if (pid == 0) {
      ::close(channel[0]);
      auto db = Database::open(database_options());
      if (!db) ::_exit(1);
      for (int i = 0;; ++i) {
        const std::string text = std::to_string(round) + "/" + std::to_string(i);
        const auto stored = (*db)->write([&](Connection& c) -> Result<std::int64_t> {
          MUHUR_CHECK(insert(c, text));
          return c.last_insert_id();
        });
        if (!stored || ::write(channel[1], &*stored, sizeof *stored) != sizeof *stored) ::_exit(1);
      }
    }
    ::close(channel[1]);
    std::int64_t last = 0;
    for (int i = 0; i < 50 + round * 31; ++i)
      ASSERT_EQ(::read(channel[0], &last, sizeof last), static_cast<ssize_t>(sizeof last));
    ::kill(pid, SIGKILL);
    std::int64_t more = 0;
    while (::read(channel[0], &more, sizeof more) == static_cast<ssize_t>(sizeof more)) last = more;
    ::close(channel[0]);
    ::waitpid(pid, nullptr, 0);

    const auto db = open_database();
    ASSERT_TRUE(db);
    const auto highest = db->read([](Connection& c) { return c.query_int("SELECT max(id) FROM item"); });
    ASSERT_TRUE(ok(highest));
    EXPECT_GE(*highest, last);
    EXPECT_EQ(db->read([](Connection& c) { return c.query_int("SELECT count(*) FROM item"); }), *highest);
    EXPECT_EQ(db->read([](Connection& c) { return c.query_text("PRAGMA integrity_check"); }), "ok");
  }
}

}  // namespace
}  // namespace muhur::vault
