#include "mailbox/changes.hpp"

#include "mailbox/support.hpp"

namespace muhur::mailbox::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

TEST(Changes, AListenerHearsUntilItsSubscriptionGoes) {
  Changes changes;
  std::vector<FolderId> heard;
  {
    const auto subscription = changes.listen([&](FolderId folder) { heard.push_back(folder); });
    changes.tell(7);
    changes.tell(0);
  }
  changes.tell(8);
  EXPECT_THAT(heard, ElementsAre(7, 0));
}

TEST(Changes, ASubscriptionCanMoveAndBeReplaced) {
  Changes changes;
  std::vector<int> heard;
  auto first = changes.listen([&](FolderId) { heard.push_back(1); });
  auto moved = std::move(first);
  changes.tell(1);
  moved = changes.listen([&](FolderId) { heard.push_back(2); });
  changes.tell(1);
  moved = {};
  changes.tell(1);
  EXPECT_THAT(heard, ElementsAre(1, 2));
}

TEST(Changes, ASubscriptionMayOutliveWhatItListensTo) {
  auto changes = std::make_unique<Changes>();
  const auto subscription = changes->listen([](FolderId) {});
  changes.reset();
}

TEST(Changes, NoCallIsUnderWayOnceASubscriptionHasGone) {
  Changes changes;
  std::atomic<bool> stop = false;
  std::thread teller([&] {
    while (!stop) changes.tell(1);
  });
  for (int i = 0; i < 500; ++i) {
    auto alive = std::make_unique<std::atomic<int>>(0);
    {
      const auto subscription = changes.listen([&](FolderId) { ++*alive; });
    }
    alive.reset();  // a call now would write to what is gone: the sanitizers see it
  }
  stop = true;
  teller.join();
}

class MailboxChangesTest : public MailboxTest {
 protected:
  std::vector<FolderId> heard_of(const std::function<void()>& act) {
    std::vector<FolderId> heard;
    const auto subscription = box_->changes().listen([&](FolderId folder) { heard.push_back(folder); });
    act();
    return heard;
  }
};

TEST_F(MailboxChangesTest, EachChangeTellsOfTheFoldersItTouched) {
  const FolderId inbox = id("INBOX"), trash = id("Trash");
  EXPECT_THAT(heard_of([&] { put(simple("x")); }), ElementsAre(inbox));
  EXPECT_THAT(heard_of([&] { must(box_->copy(inbox, kAll, trash)); }), ElementsAre(trash));
  EXPECT_THAT(heard_of([&] { must(box_->store(inbox, kAll, FlagChange::add, {.system = kDeleted})); }),
              ElementsAre(inbox));
  EXPECT_THAT(heard_of([&] { must(box_->expunge(inbox)); }), ElementsAre(inbox));
  EXPECT_THAT(heard_of([&] { must(box_->move(trash, kAll, inbox)); }), UnorderedElementsAre(inbox, trash));
  EXPECT_THAT(heard_of([&] { must(box_->create_folder("New")); }), ElementsAre(0));
  EXPECT_THAT(heard_of([&] { must(box_->rename_folder("New", "Newer")); }), testing::Contains(0));
  EXPECT_THAT(heard_of([&] { must(box_->delete_folder("Newer")); }), testing::Contains(0));
}

TEST_F(MailboxChangesTest, WhatFailsOrChangesNothingTellsNothing) {
  EXPECT_THAT(heard_of([&] { (void)box_->append({.folder = 999, .message = "x"}); }), IsEmpty());
  EXPECT_THAT(heard_of([&] { must(box_->expunge(id("INBOX"))); }), IsEmpty());
  EXPECT_THAT(heard_of([&] { must(box_->move(id("INBOX"), kAll, id("Trash"))); }), IsEmpty());
  EXPECT_THAT(heard_of([&] { (void)box_->create_folder("INBOX"); }), IsEmpty());
}

TEST_F(MailboxChangesTest, AListenerIsToldWhenTheChangeCanBeSeen) {
  std::size_t seen = 0;
  const auto subscription =
      box_->changes().listen([&](FolderId folder) { seen = must(box_->list(folder)).changed.size(); });
  put(simple("x"));
  EXPECT_EQ(seen, 1u);
}

}  // namespace
}  // namespace muhur::mailbox::test
