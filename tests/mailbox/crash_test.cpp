// What was acknowledged survives kill -9. A child process (this program again) appends and says what was
// acknowledged; it is killed in the middle.
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <csignal>
#include <cstdlib>

#include "mailbox/support.hpp"

extern char** environ;

namespace muhur::mailbox::test {
namespace {

constexpr const char* kChildPath = "MUHUR_CRASH_CHILD";

vault::Key fixed_key() { return vault::Key::raw(Secret(Bytes(32, 0x5a))); }

std::string crash_message(Uid uid) {
  return simple(fmt::format("number {}", uid), noise(uid * 997 % 90'000, uid));
}

std::shared_ptr<Mailbox> open_fixed(const std::filesystem::path& path) {
  const vault::Key key = fixed_key();
  return must(Mailbox::open({.path = path, .key = &key, .create = true}));
}

TEST(CrashChild, Appends) {
  const char* path = std::getenv(kChildPath);
  if (!path) GTEST_SKIP() << "only as the child of another test";
  const auto box = open_fixed(path);
  const FolderId inbox = must(box->folder("INBOX")).id;
  for (Uid next = must(box->folder(inbox)).uid_next;; ++next) {
    const std::string message = crash_message(next);
    const std::string delivery = fmt::format("d{}", next);
    const Uid uid = must(box->append({.folder = inbox, .message = message, .delivery_id = delivery})).uid;
    if (::write(3, &uid, sizeof uid) != sizeof uid) return;
  }
}

// Runs the child until it has acknowledged `enough`, then kills it. The last UID it acknowledged.
Uid append_and_kill(const std::filesystem::path& path, int enough) {
  int pipe_ends[2];
  if (::pipe(pipe_ends) != 0) throw std::runtime_error("pipe");
  ::setenv(kChildPath, path.c_str(), 1);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, pipe_ends[1], 3);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  char self[] = "/proc/self/exe", filter[] = "--gtest_filter=CrashChild.Appends";
  char* arguments[] = {self, filter, nullptr};
  pid_t child = 0;
  const int failed = ::posix_spawn(&child, "/proc/self/exe", &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  ::unsetenv(kChildPath);
  ::close(pipe_ends[1]);
  if (failed) throw std::runtime_error("posix_spawn");
  Uid last = 0;
  for (int i = 0; i < enough; ++i)
    if (::read(pipe_ends[0], &last, sizeof last) != sizeof last) break;
  ::kill(child, SIGKILL);
  for (Uid uid = 0; ::read(pipe_ends[0], &uid, sizeof uid) == sizeof uid;) last = uid;
  ::close(pipe_ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status));
  return last;
}

TEST(Crash, WhatWasAcknowledgedSurvivesAKillAndUidsGoOn) {
  const TempDir dir;
  const auto path = dir.path() / "box.db";
  Uid before = 0;
  for (const int enough : {1, 17, 40}) {
    const Uid acknowledged = append_and_kill(path, enough);
    ASSERT_GE(acknowledged, before + static_cast<Uid>(enough));
    const auto box = open_fixed(path);
    const auto delta = must(box->list(must(box->folder("INBOX")).id));
    ASSERT_GE(delta.changed.size(), acknowledged);
    ASSERT_LE(delta.changed.size(), acknowledged + 1u) << "at most the one under way";
    EXPECT_EQ(delta.folder.messages, delta.changed.size());
    for (const MessageRow& row : delta.changed)
      EXPECT_EQ(must(must(box->content(row.email)).all()), crash_message(row.uid));
    const auto ok =
        box->database().read([](vault::Connection& c) { return c.query_text("PRAGMA integrity_check"); });
    EXPECT_EQ(must(ok), "ok");
    before = delta.folder.uid_next - 1;
    EXPECT_EQ(before, delta.changed.back().uid);
    const std::string again = crash_message(acknowledged), id = fmt::format("d{}", acknowledged);
    EXPECT_TRUE(
        must(box->append({.folder = delta.folder.id, .message = again, .delivery_id = id})).duplicate);
  }
}

}  // namespace
}  // namespace muhur::mailbox::test
