// kill -9 at any moment between accepting a message and having it in the mailbox: never lost, never twice.
//
// The test starts its own program again as a child that delivers and signs in without end, tells through a
// pipe what was acknowledged, and is killed. Then the directory is opened and counted.

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <set>

#include "office.hpp"

namespace muhur::mail {
namespace {

constexpr const char* kDirectory = "MUHUR_CRASH_DIRECTORY";
constexpr const char* kFirst = "MUHUR_CRASH_FIRST";
constexpr int kPipe = 5;  // the child's end

// Not a test but the child's program.
TEST(CrashChild, DISABLED_DeliversUntilItIsKilled) {
  const char* directory = std::getenv(kDirectory);
  if (!directory) return;
  const auto office = open_office(directory);
  const Recipient alice = office->accept_recipient_blocking("alice@example.org", 0).value();
  std::thread reader([&] {
    const Secret secret = Secret::from_text("correct horse battery");
    while (true) {
      // Closed each time, so that each sign-in drains.
      EXPECT_TRUE(office->sign_in_blocking("alice@example.org", secret.view(), "192.0.2.1"));
      office->mailboxes().forget(alice.user.mailbox_id);
    }
  });
  for (int i = std::atoi(std::getenv(kFirst));; ++i) {
    const auto receipt =
        office->deliver_blocking("s@example.net", {&alice, 1}, letter("number " + std::to_string(i)))[0];
    if (!receipt) _exit(9);
    if (write(kPipe, &i, sizeof i) != sizeof i) _exit(8);
    office->confirm({{*receipt}});
  }
}

// Runs the child until `count` messages were acknowledged, kills it, returns the last one acknowledged.
int run_child(const std::filesystem::path& directory, int first, int count) {
  int ends[2];
  if (pipe(ends) != 0) return -1;
  const std::string data = directory.native(), from = std::to_string(first);
  const pid_t child = fork();
  if (child == 0) {
    setenv(kDirectory, data.c_str(), 1);
    setenv(kFirst, from.c_str(), 1);
    dup2(ends[1], kPipe);
    execl("/proc/self/exe", "mail_tests", "--gtest_also_run_disabled_tests", "--gtest_filter=CrashChild.*",
          static_cast<char*>(nullptr));
    _exit(7);
  }
  close(ends[1]);
  int last = -1, got = 0;
  for (int i = 0; i < count && read(ends[0], &got, sizeof got) == sizeof got; ++i) last = got;
  kill(child, SIGKILL);
  // What it acknowledged after the last one we counted is in the pipe.
  while (read(ends[0], &got, sizeof got) == sizeof got) last = got;
  close(ends[0]);
  waitpid(child, nullptr, 0);
  return last;
}

TEST_F(OfficeTest, NothingIsLostOrDoubledWhenTheServerIsKilled) {
  add("alice");
  office_.reset();
  int acknowledged = -1;
  for (const int count : {1, 2, 5, 11, 23, 37, 60}) {
    const int last = run_child(data_.path(), acknowledged + 1, count);
    ASSERT_GE(last, acknowledged + count);
    acknowledged = last;
    // The sender of the message under way never got an answer: it sends it again, as a child's first.
  }
  office_ = open_office(data_.path());
  const auto session = sign_in("alice").value();
  until_drained(session.user.id);
  std::multiset<std::string> found;
  for (const auto& message : messages(*session.mailbox))
    found.insert(message.substr(message.find("number ")));
  for (int i = 0; i <= acknowledged; ++i) EXPECT_EQ(found.count(fmt::format("number {}\r\n", i)), 1u) << i;
  EXPECT_LE(found.size(), static_cast<std::size_t>(acknowledged) + 2);
}

}  // namespace
}  // namespace muhur::mail
