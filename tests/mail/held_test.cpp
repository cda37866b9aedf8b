// What cannot be moved to its mailbox, and what mailboxes remember of deliveries.
#include "office.hpp"

namespace muhur::mail {
namespace {

class HeldTest : public OfficeTest {
 protected:
  HeldTest() {
    office_.reset();
    auto options = test_options(data_.path());
    options.clock = &clock_;
    office_ = PostOffice::open(std::move(options)).value();
    alice_ = add("alice");
  }
  void sql(vault::Database& database, std::string_view text) {
    const auto done = database.write([&](vault::Connection& c) { return c.exec(text); });
    ASSERT_TRUE(done) << done.error().text();
  }
  void sql(std::string_view text) { sql(office_->spool().database(), text); }
  // One message whose head is damaged in a way that a repair can undo, before one that is whole.
  void deliver_damaged() {
    ASSERT_TRUE(deliver("alice@example.org", letter("damaged")));
    sql("CREATE TABLE good AS SELECT id, head FROM deliveries;"
        "UPDATE deliveries SET head = zeroblob(length(head))");
    ASSERT_TRUE(deliver("alice@example.org", letter("whole")));
  }
  void repair() { sql("UPDATE deliveries SET head = (SELECT head FROM good WHERE good.id = deliveries.id)"); }
  std::int64_t count(vault::Database& database, std::string_view text) {
    return database.read([&](vault::Connection& c) { return c.query_int(text); }).value();
  }
  std::vector<HeldDelivery> held() { return office_->spool().held().value(); }

  ManualClock clock_{1'800'000'000'000};
  accounts::User alice_;
};

TEST_F(HeldTest, ADamagedMessageIsHeldAndListedAndTheOthersArrive) {
  deliver_damaged();
  clock_.advance(Millis(5'000));
  const auto session = sign_in("alice").value();
  ASSERT_EQ(messages(*session.mailbox).size(), 1u);
  ASSERT_EQ(held().size(), 1u);
  const HeldDelivery one = held()[0];
  EXPECT_EQ(one.user, alice_.id);
  EXPECT_EQ(one.size, letter("damaged").size());
  EXPECT_EQ(one.held_ms - one.received_ms, 5'000);
  EXPECT_FALSE(one.reason.empty());
  EXPECT_EQ(office_->spool().figures().value().held, 1u);
}

TEST_F(HeldTest, WhatIsReleasedAfterARepairArrivesAtOnceAndOnce) {
  deliver_damaged();
  const auto session = sign_in("alice").value();
  const std::int64_t id = held().at(0).id;
  // Nothing has changed: it is held again.
  ASSERT_TRUE(office_->release_held({{id}}));
  for (int i = 0; i < 20'000 && held().empty(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  ASSERT_EQ(held().size(), 1u);
  repair();
  ASSERT_TRUE(office_->release_held({{id}}));
  until_drained(alice_.id);
  EXPECT_TRUE(held().empty());
  const auto found = messages(*session.mailbox);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_TRUE(found[1].ends_with(letter("damaged")));
  EXPECT_EQ(office_->release_held({{id}}).error().code, Code::not_found);
}

TEST_F(HeldTest, WhatIsReleasedWhileTheOwnerIsAwayComesAtTheNextSignIn) {
  deliver_damaged();
  {
    const auto session = sign_in("alice").value();
  }
  repair();
  office_->mailboxes().forget(alice_.mailbox_id);
  ASSERT_TRUE(office_->release_held({{held().at(0).id}}));
  const auto session = sign_in("alice").value();
  until_drained(alice_.id);
  EXPECT_EQ(messages(*session.mailbox).size(), 2u);
}

TEST_F(HeldTest, WhatIsDiscardedIsGoneAndCountsNoLonger) {
  deliver_damaged();
  const auto session = sign_in("alice").value();
  EXPECT_GT(office_->spool().bytes_waiting(alice_.id).value(), 0u);
  const std::int64_t id = held().at(0).id;
  EXPECT_EQ(office_->spool().discard_held(id + 100).error().code, Code::not_found);
  ASSERT_TRUE(office_->spool().discard_held(id));
  EXPECT_EQ(office_->spool().discard_held(id).error().code, Code::not_found);
  EXPECT_TRUE(held().empty());
  EXPECT_EQ(office_->spool().bytes_waiting(alice_.id).value(), 0u);
  EXPECT_EQ(count(office_->spool().database(), "SELECT count(*) FROM bodies"), 0);
}

TEST_F(HeldTest, OnlyWhatIsHeldCanBeDiscarded) {
  ASSERT_TRUE(deliver("alice@example.org", letter("waits")));
  const auto waiting = office_->spool().oldest(alice_.id, 1, 1000).value();
  EXPECT_EQ(office_->spool().discard_held(waiting.at(0).id).error().code, Code::not_found);
  EXPECT_EQ(office_->spool().figures().value().deliveries, 1u);
}

class RememberedDeliveries : public HeldTest {
 protected:
  static constexpr Millis kLong{40LL * 24 * 3600 * 1000};
  std::int64_t remembered(const Session& session) {
    return count(session.mailbox->database(), "SELECT count(*) FROM delivered");
  }
  const std::atomic<bool> go_on_ = false;
};

TEST_F(RememberedDeliveries, AreForgottenOnceTheSpoolHasThemNoMore) {
  ASSERT_TRUE(deliver("alice@example.org", letter("one")));
  const auto session = sign_in("alice").value();
  office_->tidy(go_on_);
  EXPECT_EQ(remembered(session), 1);
  clock_.advance(kLong);
  office_->tidy(go_on_);
  EXPECT_EQ(remembered(session), 0);
}

TEST_F(RememberedDeliveries, AreKeptForARowThatStayedBehindHoweverLong) {
  // A drain that died between the mailbox's commit and the spool's; the row was held since.
  ASSERT_TRUE(deliver("alice@example.org", letter("one")));
  sql("CREATE TABLE kept_bodies AS SELECT * FROM bodies; CREATE TABLE kept AS SELECT * FROM deliveries");
  const auto session = sign_in("alice").value();
  ASSERT_EQ(messages(*session.mailbox).size(), 1u);
  sql("INSERT INTO bodies SELECT * FROM kept_bodies; INSERT INTO deliveries SELECT * FROM kept;"
      "INSERT INTO held SELECT id, user_id, 0, 'test' FROM kept");
  clock_.advance(kLong);
  office_->tidy(go_on_);
  EXPECT_EQ(remembered(session), 1);
  ASSERT_TRUE(office_->release_held({{held().at(0).id}}));
  until_drained(alice_.id);
  EXPECT_EQ(messages(*session.mailbox).size(), 1u) << "it was known";
}

TEST_F(RememberedDeliveries, AreLookedAtOnceADay) {
  const auto session = sign_in("alice").value();
  office_->tidy(go_on_);
  EXPECT_FALSE(session.mailbox->tidy_due().value());
  clock_.advance(kLong);
  const std::atomic<bool> stop = true;
  office_->tidy(stop);
  EXPECT_TRUE(session.mailbox->tidy_due().value());
}

}  // namespace
}  // namespace muhur::mail
