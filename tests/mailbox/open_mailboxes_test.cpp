#include "mailbox/open_mailboxes.hpp"

#include "mailbox/support.hpp"

namespace muhur::mailbox::test {
namespace {

class OpenMailboxesTest : public testing::Test {
 protected:
  OpenMailboxesTest() { restart(200); }
  void restart(std::size_t max_idle) {
    open_.reset();
    open_ = std::make_unique<OpenMailboxes>(
        OpenMailboxesOptions{.directory = dir_.path(), .max_idle = max_idle, .clock = &clock_});
  }
  void create(const std::string& id, const vault::Key& key) { must(open_->open(id, key, true)); }

  TempDir dir_;
  ManualClock clock_;
  vault::Key key_ = vault::Key::random();
  vault::Key other_key_ = vault::Key::random();
  std::unique_ptr<OpenMailboxes> open_;
};

TEST_F(OpenMailboxesTest, AMailboxInUseIsShared) {
  const auto first = must(open_->open("ann", key_, true));
  const auto second = must(open_->open("ann", key_));
  EXPECT_EQ(first.get(), second.get());
  EXPECT_EQ(open_->find("ann").get(), first.get());
  EXPECT_EQ(open_->size(), 1u);
}

TEST_F(OpenMailboxesTest, OneThatIsNotThereIsOnlyMadeWhenAsked) {
  EXPECT_EQ(code_of(open_->open("ann", key_)), Code::not_found);
  EXPECT_EQ(open_->size(), 0u);
  EXPECT_EQ(open_->find("ann"), nullptr);
  EXPECT_FALSE(std::filesystem::exists(dir_.path() / "ann.db"));
}

// Seen elsewhere: a cache by user name alone let one user's password open another's mail.
TEST_F(OpenMailboxesTest, AWrongKeyIsRefusedWhetherTheMailboxIsOpenOrNot) {
  auto held = must(open_->open("ann", key_, true));
  EXPECT_EQ(code_of(open_->open("ann", other_key_)), Code::denied);
  held.reset();
  EXPECT_EQ(code_of(open_->open("ann", other_key_)), Code::denied) << "idle, still open";
  restart(200);
  EXPECT_EQ(code_of(open_->open("ann", other_key_)), Code::denied) << "closed";
  EXPECT_TRUE(open_->open("ann", key_));
}

TEST_F(OpenMailboxesTest, TheKeysOfTwoMailboxesNeverCross) {
  create("ann", key_);
  create("bob", other_key_);
  EXPECT_EQ(code_of(open_->open("ann", other_key_)), Code::denied);
  EXPECT_EQ(code_of(open_->open("bob", key_)), Code::denied);
  restart(200);
  EXPECT_EQ(code_of(open_->open("ann", other_key_)), Code::denied);
  EXPECT_EQ(code_of(open_->open("bob", key_)), Code::denied);
}

TEST_F(OpenMailboxesTest, AMailboxMadeAnewUnderTheSameIdDoesNotOpenWithTheOldKey) {
  create("ann", key_);
  open_->forget("ann");
  for (const char* end : {".db", ".db-wal", ".db-shm"})
    std::filesystem::remove(dir_.path() / (std::string("ann") + end));
  create("ann", other_key_);
  EXPECT_EQ(code_of(open_->open("ann", key_)), Code::denied);
  EXPECT_TRUE(open_->open("ann", other_key_));
}

TEST_F(OpenMailboxesTest, AnIdleMailboxStaysOpenForAWhile) {
  create("ann", key_);
  EXPECT_NE(open_->find("ann"), nullptr);
  clock_.advance(Millis(299'000));
  open_->sweep();
  EXPECT_NE(open_->find("ann"), nullptr) << "looking it up used it";
  clock_.advance(Millis(299'000));
  open_->sweep();
  EXPECT_EQ(open_->size(), 1u);
  clock_.advance(Millis(2'000));
  open_->sweep();
  EXPECT_EQ(open_->size(), 0u);
  EXPECT_EQ(open_->find("ann"), nullptr);
}

TEST_F(OpenMailboxesTest, OneInUseIsNotSwept) {
  const auto held = must(open_->open("ann", key_, true));
  clock_.advance(Millis(1'000'000));
  open_->sweep();
  EXPECT_EQ(open_->find("ann").get(), held.get());
}

TEST_F(OpenMailboxesTest, KeepingHouseIsNoUse) {
  create("ann", key_);
  const auto bob = must(open_->open("bob", key_, true));
  for (int i = 0; i < 3; ++i) {
    const auto all = open_->all();
    ASSERT_EQ(all.size(), 2u);
    EXPECT_TRUE(all[0].idle);
    EXPECT_FALSE(all[1].idle);
    clock_.advance(Millis(120'000));
  }
  {
    const auto held = open_->all();
    open_->sweep();
    EXPECT_EQ(open_->size(), 2u) << "closed under the housekeeping's hands";
  }
  open_->sweep();
  EXPECT_EQ(open_->find("ann"), nullptr);
  EXPECT_EQ(open_->size(), 1u);
}

TEST_F(OpenMailboxesTest, TheLongestIdleGoesWhenTooManyAreIdle) {
  restart(2);
  for (const char* id : {"a", "b", "c", "d"}) {
    create(id, key_);
    clock_.advance(Millis(1));
  }
  EXPECT_EQ(open_->size(), 2u);
  EXPECT_EQ(open_->find("a"), nullptr);
  EXPECT_EQ(open_->find("b"), nullptr);
  EXPECT_NE(open_->find("d"), nullptr);
}

TEST_F(OpenMailboxesTest, WhoHoldsAForgottenMailboxKeepsItAndItGoesWithTheLastOne) {
  auto held = must(open_->open("ann", key_, true));
  open_->forget("ann");
  EXPECT_TRUE(held->folders());
  held.reset();
  EXPECT_EQ(open_->size(), 0u);
  create("bob", key_);
  open_->forget("bob");
  EXPECT_EQ(open_->size(), 0u) << "an idle one is closed at once";
  open_->forget("nobody");
}

TEST_F(OpenMailboxesTest, WhoHoldsAMailboxKeepsItBeyondTheEnd) {
  const auto held = must(open_->open("ann", key_, true));
  open_.reset();
  EXPECT_EQ(must(held->folders()).size(), 6u);
}

TEST_F(OpenMailboxesTest, AnIdIsNeverAPath) {
  for (const std::string id : {"", "../ann", "a/b", "a.b", "a b", ".."})
    EXPECT_EQ(code_of(open_->open(id, key_, true)), Code::invalid) << id;
}

// Seen elsewhere: ten first logins at once raced to create keys and folders.
TEST_F(OpenMailboxesTest, ManyFirstOpeningsAtOnceAreOneOpening) {
  std::vector<std::thread> threads;
  std::vector<std::shared_ptr<Mailbox>> boxes(10);
  for (auto& box : boxes) threads.emplace_back([&] { box = must(open_->open("ann", key_, true)); });
  for (auto& thread : threads) thread.join();
  for (const auto& box : boxes) EXPECT_EQ(box.get(), boxes[0].get());
  EXPECT_EQ(must(boxes[0]->folders()).size(), 6u);
}

TEST_F(OpenMailboxesTest, OpeningUsingAndClosingFromManyThreadsNeverMeetsALockedFile) {
  restart(1);
  create("x", key_);
  create("y", key_);
  std::vector<std::thread> threads;
  std::atomic<int> failures = 0;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 40; ++i) {
        const auto box = open_->open((t + i) % 2 ? "x" : "y", key_);
        if (!box || !(*box)->folders()) ++failures;
        if (i % 7 == t) open_->forget("x");
      }
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(failures, 0);
  EXPECT_LE(open_->size(), 2u);
}

TEST_F(OpenMailboxesTest, ClosingWhatIsTooManyIsLeftToTheExecutor) {
  std::vector<std::function<void()>> jobs;
  bool deferred = false;
  open_ = std::make_unique<OpenMailboxes>(OpenMailboxesOptions{.directory = dir_.path(),
                                                               .max_idle = 0,
                                                               .executor =
                                                                   [&](std::function<void()> job) {
                                                                     if (deferred)
                                                                       jobs.push_back(std::move(job));
                                                                     else
                                                                       job();
                                                                   },
                                                               .clock = &clock_});
  auto held = must(open_->open("ann", key_, true));
  deferred = true;
  held.reset();
  EXPECT_EQ(open_->size(), 1u);
  const auto again = must(open_->open("ann", key_));
  for (auto& job : jobs) job();
  EXPECT_EQ(open_->size(), 1u) << "taken again meanwhile";
  EXPECT_TRUE(again->folders());
}

}  // namespace
}  // namespace muhur::mailbox::test
