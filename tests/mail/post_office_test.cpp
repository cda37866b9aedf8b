#include "mail/post_office.hpp"

#include <boost/asio/detached.hpp>
#include <latch>

#include "net/run.hpp"
#include "office.hpp"

namespace muhur::mail {
namespace {

using PostOfficeTest = OfficeTest;

TEST_F(PostOfficeTest, MailForSomebodyAwayArrivesAtTheNextSignIn) {
  add("alice");
  ASSERT_TRUE(deliver("alice@example.org", letter("one")));
  ASSERT_TRUE(deliver("alice+lists@example.org", letter("two"), ""));
  EXPECT_EQ(office_->spool().figures().value().deliveries, 2u);
  const auto session = sign_in("alice").value();
  EXPECT_EQ(office_->spool().figures().value().deliveries, 0u);
  const auto found = messages(*session.mailbox);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0], "Return-Path: <s@example.net>\r\nDelivered-To: alice@example.org\r\n" + letter("one"));
  EXPECT_EQ(found[1], "Return-Path: <>\r\nDelivered-To: alice+lists@example.org\r\n" + letter("two"));
}

TEST_F(PostOfficeTest, ANewUsersMailboxIsNotLeftOpen) {
  // It was: the key of somebody who had never signed in stayed in memory, and mail was drained with it.
  const auto alice = add("alice");
  EXPECT_EQ(office_->mailboxes().find(alice.mailbox_id), nullptr);
}

TEST_F(PostOfficeTest, MailForSomebodyPresentIsDrainedAtOnceAndTold) {
  add("alice");
  const auto session = sign_in("alice").value();
  std::latch told(1);
  std::atomic<bool> first = true;
  const auto subscription = session.mailbox->changes().listen([&](mailbox::FolderId) {
    if (first.exchange(false)) told.count_down();
  });
  ASSERT_TRUE(deliver("alice@example.org", letter("now")));
  told.wait();
  until_drained(session.user.id);
  EXPECT_EQ(messages(*session.mailbox).size(), 1u);
}

TEST_F(PostOfficeTest, ASignInDrainsTheFirstAndTheRestFollows) {
  add("alice");
  const Recipient alice = recipient("alice@example.org");
  for (int i = 0; i < 450; ++i)
    ASSERT_TRUE(office_->deliver_blocking("s@example.net", {&alice, 1}, letter(std::to_string(i)))[0]);
  const auto session = sign_in("alice").value();
  EXPECT_GE(messages(*session.mailbox).size(), 200u);
  until_drained(session.user.id);
  const auto found = messages(*session.mailbox);
  ASSERT_EQ(found.size(), 450u);
  for (int i = 0; i < 450; ++i) EXPECT_TRUE(found[i].ends_with("\r\n\r\n" + std::to_string(i) + "\r\n")) << i;
}

TEST_F(PostOfficeTest, ARepeatedDeliveryIsStoredOnceUntilItsReplyWasConfirmed) {
  // A sender whose connection broke before the reply sends the message again.
  add("alice");
  const auto first = deliver("alice@example.org", letter("x")).value();
  EXPECT_EQ(deliver("alice@example.org", letter("x")).value(), first);
  const auto session = sign_in("alice").value();
  EXPECT_EQ(deliver("alice@example.org", letter("x")).value(), first);
  EXPECT_NE(deliver("alice@example.org", letter("x"), "other@example.net").value(), first);
  EXPECT_NE(deliver("alice+tag@example.org", letter("x")).value(), first);
  EXPECT_NE(deliver("alice@example.org", letter("x ")).value(), first);
  until_drained(session.user.id);
  EXPECT_EQ(messages(*session.mailbox).size(), 4u);
  office_->confirm({{first}});
  EXPECT_NE(deliver("alice@example.org", letter("x")).value(), first);
  until_drained(session.user.id);
  EXPECT_EQ(messages(*session.mailbox).size(), 5u);
}

TEST_F(PostOfficeTest, OneMessageForSeveralIsKeptForEach) {
  add("alice");
  add("bob");
  const std::vector<Recipient> both{recipient("alice@example.org"), recipient("bob@example.org")};
  const auto outcomes = office_->deliver_blocking("s@example.net", both, letter("both"));
  ASSERT_EQ(outcomes.size(), 2u);
  EXPECT_TRUE(outcomes[0]);
  EXPECT_TRUE(outcomes[1]);
  EXPECT_NE(messages(*sign_in("alice").value().mailbox)[0].find("Delivered-To: alice@"), std::string::npos);
  EXPECT_NE(messages(*sign_in("bob").value().mailbox)[0].find("Delivered-To: bob@"), std::string::npos);
}

TEST_F(PostOfficeTest, AFullMailboxIsRefusedAlsoWhileItIsClosed) {
  const auto alice = add("alice", 2000);
  const std::string big = letter(std::string(800, 'b'));
  ASSERT_TRUE(deliver("alice@example.org", big));
  {
    ASSERT_TRUE(sign_in("alice"));
  }
  while (office_->spool().last_used(alice.id).value() == 0) std::this_thread::yield();
  EXPECT_EQ(office_->accept_recipient_blocking("alice@example.org", 1500).error().code, Code::quota);
  ASSERT_TRUE(deliver("alice@example.org", big + "2"));
  const auto refused = deliver("alice@example.org", big + "3");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::quota);
}

TEST_F(PostOfficeTest, TheSizeOfAMailboxIsNotedWhenTheSessionEnds) {
  const auto alice = add("alice", 100'000);
  ASSERT_TRUE(deliver("alice@example.org", letter(std::string(5000, 'b'))));
  {
    const auto session = sign_in("alice").value();
    EXPECT_GT(office_->spool().last_used(alice.id).value(), 5000u);
    const auto inbox = session.mailbox->folder("INBOX").value().id;
    ASSERT_TRUE(session.mailbox->store(inbox, {{1, 1}}, mailbox::FlagChange::add, {mailbox::kDeleted, {}}));
    ASSERT_TRUE(session.mailbox->expunge(inbox));
  }
  while (office_->spool().last_used(alice.id).value() > 0) std::this_thread::yield();
}

TEST_F(PostOfficeTest, PostmasterReachesTheFirstAdministrator) {
  EXPECT_EQ(office_->accept_recipient_blocking("postmaster", 0).error().code, Code::not_found);
  add("alice");
  const auto root = add("root", 0, true);
  EXPECT_EQ(recipient("postmaster").user.id, root.id);
  EXPECT_EQ(recipient("Postmaster@EXAMPLE.org").user.id, root.id);
  EXPECT_EQ(office_->accept_recipient_blocking("postmaster@elsewhere.org", 0).error().code, Code::not_found);
  const auto own = add("postmaster");
  EXPECT_EQ(recipient("postmaster@example.org").user.id, own.id);
}

TEST_F(PostOfficeTest, UnknownUsersAreNotFoundAndDisabledOnesReceive) {
  const auto alice = add("alice");
  EXPECT_EQ(office_->accept_recipient_blocking("nobody@example.org", 0).error().code, Code::not_found);
  std::vector<std::pair<accounts::UserId, UserChange>> told;
  const auto watch =
      office_->on_user_changed().listen([&](auto user, auto change) { told.emplace_back(user, change); });
  ASSERT_TRUE(office_->set_disabled(alice.id, true));
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0], std::pair(alice.id, UserChange::disabled));
  EXPECT_TRUE(deliver("alice@example.org", letter("x")));
  EXPECT_EQ(sign_in("alice").error().code, Code::denied);
  ASSERT_TRUE(office_->set_disabled(alice.id, false));
  EXPECT_EQ(messages(*sign_in("alice").value().mailbox).size(), 1u);
}

TEST_F(PostOfficeTest, AnAddressThatForgesAHeaderIsRefused) {
  add("alice");
  Recipient alice = recipient("alice@example.org");
  EXPECT_EQ(office_->deliver_blocking("x\r\nBcc: y", {&alice, 1}, letter("x"))[0].error().code,
            Code::invalid);
  alice.address = "alice@example.org\nX: y";
  EXPECT_EQ(office_->deliver_blocking("x", {&alice, 1}, letter("x"))[0].error().code, Code::invalid);
  EXPECT_EQ(office_->spool().figures().value().deliveries, 0u);
}

TEST_F(PostOfficeTest, WorksForCoroutinesAndManyAtOnce) {
  add("alice");
  constexpr int kCount = 60;
  int kept = 0;
  for (int i = 0; i < kCount; ++i)
    boost::asio::co_spawn(
        io_,
        [&, i]() -> net::Task<void> {
          auto to = co_await office_->accept_recipient("alice@example.org", 10);
          std::vector<Recipient> recipients{std::move(*to)};
          const auto outcomes = co_await office_->deliver(
              "s@example.net", std::move(recipients),
              std::make_shared<const std::string>(letter(std::to_string(i))), "Received: from x\r\n");
          if (outcomes[0]) ++kept;
        },
        boost::asio::detached);
  io_.run();
  EXPECT_EQ(kept, kCount);
  net::run(io_, [&]() -> net::Task<void> {
    const auto session = co_await office_->sign_in("alice@example.org", password(), "192.0.2.1");
    EXPECT_TRUE(session);
    const auto found = messages(*session->mailbox);
    EXPECT_EQ(found.size(), std::size_t{kCount});
    EXPECT_NE(found[0].find("\r\nReceived: from x\r\nFrom: "), std::string::npos);
    const auto wrong =
        co_await office_->sign_in("alice@example.org", Secret::from_text("wrong"), "192.0.2.1");
    EXPECT_EQ(wrong.error().code, Code::denied);
  }());
}

TEST_F(PostOfficeTest, ADamagedLetterIsKeptAsideAndTheOthersArrive) {
  add("alice");
  for (const char* text : {"1", "2", "3"}) ASSERT_TRUE(deliver("alice@example.org", letter(text)));
  ASSERT_TRUE(office_->spool().database().write([](vault::Connection& db) {
    return db.exec("UPDATE bodies SET sealed = zeroblob(length(sealed)) WHERE id = 2");
  }));
  const auto session = sign_in("alice").value();
  EXPECT_EQ(messages(*session.mailbox).size(), 2u);
  const auto figures = office_->spool().figures().value();
  EXPECT_EQ(figures.held, 1u);
  EXPECT_EQ(figures.deliveries, 1u);
}

TEST_F(PostOfficeTest, ChangesAPasswordByTheOldOne) {
  add("alice");
  const Secret fresh = Secret::from_text("a fresh password 1");
  EXPECT_EQ(office_->change_password("alice@example.org", as_bytes("wrong"), fresh, "cli").error().code,
            Code::denied);
  const Secret old = password();
  ASSERT_TRUE(office_->change_password("alice@example.org", old.view(), fresh, "cli"));
  EXPECT_EQ(sign_in("alice").error().code, Code::denied);
  EXPECT_TRUE(office_->sign_in_blocking("alice@example.org", fresh.view(), "cli"));
}

}  // namespace
}  // namespace muhur::mail
