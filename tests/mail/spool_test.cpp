#include "mail/spool.hpp"

#include <gtest/gtest.h>

#include <latch>

#include "base/random.hpp"

namespace muhur::mail {
namespace {

class SpoolTest : public testing::Test {
 protected:
  SpoolTest() : path_(std::filesystem::temp_directory_path() / ("muhur-spool-" + random_hex(8) + ".db")) {
    reopen();
  }
  ~SpoolTest() override {
    spool_.reset();
    for (const auto& entry : std::filesystem::directory_iterator(path_.parent_path()))
      if (entry.path().filename().native().starts_with(path_.filename().native()))
        std::filesystem::remove(entry);
  }
  void reopen() {
    spool_.reset();
    auto opened = Spool::open({.path = path_, .key = &key_, .clock = &clock_});
    ASSERT_TRUE(opened) << opened.error().text();
    spool_ = std::move(*opened);
  }
  static Incoming incoming(std::vector<accounts::UserId> users, Byte mark = 1, std::uint64_t size = 100) {
    Incoming result;
    result.size = size;
    result.body = Bytes(size, mark);
    for (const auto user : users) {
      Incoming::To to;
      to.user = user;
      to.head = Bytes(40, static_cast<Byte>(user));
      to.digest[0] = mark;
      to.digest[1] = static_cast<Byte>(user);
      result.to.push_back(std::move(to));
    }
    return result;
  }
  Receipt put(std::vector<accounts::UserId> users, Byte mark = 1) {
    auto message = incoming(std::move(users), mark);
    spool_->put(message);
    return message.to[0].outcome.value();
  }
  std::int64_t bodies() {
    return spool_->database()
        .read([](vault::Connection& db) { return db.query_int("SELECT COUNT(*) FROM bodies"); })
        .value();
  }

  std::filesystem::path path_;
  vault::Key key_ = vault::Key::random();
  ManualClock clock_;
  std::unique_ptr<Spool> spool_;
};

TEST_F(SpoolTest, GivesBackWhatWasPutOldestFirstAndPerUser) {
  put({1, 2}, 10);
  put({1}, 11);
  const auto one = spool_->oldest(1, 10, 1000).value();
  ASSERT_EQ(one.size(), 2u);
  EXPECT_EQ(one[0].body, Bytes(100, 10));
  EXPECT_EQ(one[0].head, Bytes(40, 1));
  EXPECT_EQ(one[1].body, Bytes(100, 11));
  EXPECT_NE(one[0].delivery_id, one[1].delivery_id);
  EXPECT_EQ(one[0].received_ms, clock_.now_ms());
  EXPECT_EQ(spool_->oldest(2, 10, 1000).value().size(), 1u);
  EXPECT_TRUE(spool_->oldest(3, 10, 1000).value().empty());
  EXPECT_EQ(bodies(), 2);
}

TEST_F(SpoolTest, BoundsABatchByCountAndByBytesButAlwaysGivesOne) {
  for (Byte i = 1; i <= 5; ++i) put({1}, i);
  EXPECT_EQ(spool_->oldest(1, 2, 1000).value().size(), 2u);
  EXPECT_EQ(spool_->oldest(1, 10, 250).value().size(), 2u);
  EXPECT_EQ(spool_->oldest(1, 10, 1).value().size(), 1u);
}

TEST_F(SpoolTest, ABodyGoesWithItsLastDelivery) {
  put({1, 2});
  const auto first = spool_->oldest(1, 10, 1000).value()[0].id;
  ASSERT_TRUE(spool_->remove(1, {{first}}, 777));
  EXPECT_EQ(bodies(), 1);
  EXPECT_EQ(spool_->last_used(1).value(), 777u);
  const auto second = spool_->oldest(2, 10, 1000).value()[0].id;
  ASSERT_TRUE(spool_->remove(2, {{second}}, 1));
  EXPECT_EQ(bodies(), 0);
}

TEST_F(SpoolTest, RecognisesARepetitionUntilItIsConfirmed) {
  const Receipt first = put({1}, 5);
  EXPECT_EQ(put({1}, 5), first);
  reopen();
  EXPECT_EQ(put({1}, 5), first);
  EXPECT_EQ(spool_->figures().value().deliveries, 1u);
  // Also after it was moved to the mailbox.
  ASSERT_TRUE(spool_->remove(1, {{spool_->oldest(1, 1, 1).value()[0].id}}, 0));
  EXPECT_EQ(put({1}, 5), first);
  EXPECT_EQ(spool_->figures().value().deliveries, 0u);
  spool_->confirm({{first}});
  EXPECT_NE(put({1}, 5), first);
  EXPECT_EQ(spool_->figures().value().deliveries, 1u);
}

TEST_F(SpoolTest, ConfirmationsSurviveAnOrderlyEnd) {
  const Receipt first = put({1}, 5);
  spool_->confirm({{first}});
  reopen();
  EXPECT_EQ(spool_->figures().value().unconfirmed, 0u);
}

TEST_F(SpoolTest, ForgetsReceiptsAfterAWeek) {
  put({1}, 5);
  clock_.advance(Spool::kRemembered - Millis(1000));
  ASSERT_TRUE(spool_->sweep());
  EXPECT_EQ(spool_->figures().value().unconfirmed, 1u);
  clock_.advance(Millis(2000));
  ASSERT_TRUE(spool_->sweep());
  EXPECT_EQ(spool_->figures().value().unconfirmed, 0u);
  EXPECT_EQ(spool_->figures().value().deliveries, 1u);
}

TEST_F(SpoolTest, CountsWhatWaitsAgainstTheQuotaOfThatRecipientAlone) {
  for (Byte i = 1; i <= 3; ++i) {
    auto message = incoming({1, 2}, i);
    message.to[0].quota = 300;
    message.to[0].used = {.noted = 0, .seen = 50};
    spool_->put(message);
    EXPECT_EQ(message.to[0].outcome.has_value(), i <= 2) << int(i);
    if (!message.to[0].outcome) EXPECT_EQ(message.to[0].outcome.error().code, Code::quota);
    EXPECT_TRUE(message.to[1].outcome);
  }
  EXPECT_EQ(spool_->bytes_waiting(1).value(), 200u);
  EXPECT_EQ(spool_->bytes_waiting(2).value(), 300u);
}

TEST_F(SpoolTest, ADrainBetweenTheLookAndTheWriteIsNotForgottenByTheQuota) {
  // What was seen used was old, what waited was gone already: the message in between counted nowhere.
  put({1}, 1);
  auto message = incoming({1}, 2);
  message.to[0].quota = 250;
  message.to[0].used = {.noted = 0, .seen = 0};
  ASSERT_TRUE(spool_->remove(1, {{spool_->oldest(1, 1, 1).value()[0].id}}, 200));
  spool_->put(message);
  EXPECT_EQ(message.to[0].outcome.error().code, Code::quota);
}

TEST_F(SpoolTest, CommitsManyDeliveriesTogether) {
  constexpr int kCount = 200;
  std::latch left(kCount);
  std::vector<std::shared_ptr<Incoming>> all;
  const auto before = spool_->database().figures().commits;
  // The first occupies the writer while the others queue up behind it.
  std::latch begun(1), go(1);
  std::thread first([&] {
    EXPECT_TRUE(spool_->database().write([&](vault::Connection&) -> Result<void> {
      begun.count_down();
      go.wait();
      return {};
    }));
  });
  begun.wait();
  for (int i = 0; i < kCount; ++i) {
    all.push_back(std::make_shared<Incoming>(incoming({i + 1}, 9)));
    spool_->put_async(all.back(), [&] { left.count_down(); });
  }
  go.count_down();
  left.wait();
  first.join();
  for (const auto& one : all) EXPECT_TRUE(one->to[0].outcome);
  EXPECT_LE(spool_->database().figures().commits - before, 4u);
}

TEST_F(SpoolTest, ARowWithoutItsBodyIsHeldAndTheOthersGoOn) {
  put({1}, 1);
  put({1}, 2);
  put({1}, 3);
  ASSERT_TRUE(spool_->database().exclusive([](vault::Connection& db) -> Result<void> {
    MUHUR_CHECK(db.exec("PRAGMA foreign_keys = OFF"));
    MUHUR_CHECK(db.exec("DELETE FROM bodies WHERE id = 1"));
    return db.exec("PRAGMA foreign_keys = ON");
  }));
  const auto found = spool_->oldest(1, 10, 1000).value();
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].body, Bytes(100, 2));
  EXPECT_EQ(spool_->figures().value().held, 1u);
}

TEST_F(SpoolTest, RemovingAUserRemovesAllThatIsItsAndNothingElse) {
  put({1, 2}, 1);
  put({1}, 2);
  ASSERT_TRUE(spool_->set_used(1, 5));
  ASSERT_TRUE(spool_->hold(1, spool_->oldest(1, 1, 1).value()[0].id, "x"));
  ASSERT_TRUE(spool_->remove_user(1));
  const auto figures = spool_->figures().value();
  EXPECT_EQ(figures.deliveries, 1u);
  EXPECT_EQ(figures.held, 0u);
  EXPECT_EQ(figures.unconfirmed, 1u);
  EXPECT_EQ(bodies(), 1);
  EXPECT_EQ(spool_->last_used(1).value(), 0u);
}

}  // namespace
}  // namespace muhur::mail
