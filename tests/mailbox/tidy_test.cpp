#include "mailbox/tidy.hpp"

#include "mailbox/schema.hpp"
#include "mailbox/support.hpp"

namespace muhur::mailbox::test {
namespace {

using testing::ElementsAre;

constexpr Millis kDay{86'400'000};

class TidyTest : public MailboxTest {
 protected:
  ModSeq modseq() { return must(box_->folder("INBOX")).highest_modseq; }
  UidSet gone_since(ModSeq since) { return must(box_->changes_since(id("INBOX"), since)).expunged; }
  void expunge(UidSet uids) {
    must(box_->store(id("INBOX"), uids, FlagChange::add, {.system = kDeleted}));
    must(box_->expunge(id("INBOX"), uids));
  }
  void put_delivered(std::string_view delivery) {
    const std::string message = simple("x");
    must(box_->append({.folder = id("INBOX"), .message = message, .delivery_id = delivery}));
  }
  bool is_duplicate(std::string_view delivery) {
    const std::string message = simple("again");
    return must(box_->append({.folder = id("INBOX"), .message = message, .delivery_id = delivery})).duplicate;
  }
  void sql(std::string_view text) {
    must(box_->database().write([&](vault::Connection& c) { return c.exec(text); }));
  }
};

TEST_F(TidyTest, IsDueOnceADay) {
  EXPECT_TRUE(must(box_->tidy_due()));
  must(box_->tidy({}));
  EXPECT_FALSE(must(box_->tidy_due()));
  reopen();
  EXPECT_FALSE(must(box_->tidy_due()));
  clock_.advance(kDay);
  EXPECT_TRUE(must(box_->tidy_due()));
}

TEST_F(TidyTest, WhatVanishedLongAgoIsForgottenAndOldClientsAreToldOfAllThatIsMissing) {
  for (int i = 0; i < 10; ++i) put(simple("x"));
  const ModSeq before = modseq();
  expunge({{2, 3}});
  const ModSeq between = modseq();
  clock_.advance(kDay * (kVanishedDays + 1));
  expunge({{6, 6}});
  const ModSeq after = modseq();
  EXPECT_EQ(gone_since(before), (UidSet{{2, 3}, {6, 6}}));
  must(box_->tidy({}));
  EXPECT_EQ(count("SELECT count(*) FROM vanished"), 1);
  EXPECT_EQ(gone_since(after), UidSet());
  EXPECT_EQ(gone_since(between), (UidSet{{6, 6}}))
      << "whoever knew of the forgotten change is told as before";
  EXPECT_EQ(gone_since(before), (UidSet{{2, 3}, {6, 6}})) << "all that is not there";
  EXPECT_EQ(gone_since(0), (UidSet{{2, 3}, {6, 6}}));
  expunge({{9, 10}});
  EXPECT_EQ(gone_since(before), (UidSet{{2, 3}, {6, 6}, {9, 10}})) << "up to UIDNEXT";
  reopen();
  EXPECT_EQ(gone_since(before), (UidSet{{2, 3}, {6, 6}, {9, 10}}));
}

TEST_F(TidyTest, AChangeIsForgottenAsAWhole) {
  for (int i = 0; i < 9; ++i) put(simple("x"));
  const ModSeq before = modseq();
  expunge({{1, 1}, {3, 3}, {5, 5}});
  sql("UPDATE vanished SET day = day + 1000 WHERE first_uid = 5");  // a clock that ran backwards
  clock_.advance(kDay * (kVanishedDays + 1));
  must(box_->tidy({}));
  EXPECT_EQ(count("SELECT count(*) FROM vanished"), 0);
  EXPECT_EQ(gone_since(before), (UidSet{{1, 1}, {3, 3}, {5, 5}}));
}

TEST_F(TidyTest, OnlySoManyRangesOfAFolderAreRemembered) {
  // One change an UID, every second one, for as many as a busy folder sees in years.
  put(simple("x"));
  const std::int64_t most = kMostVanished, in_all = most + 2'500;
  sql(
      fmt::format("UPDATE mailboxes SET uid_next = {0}, highest_modseq = {0} WHERE path = 'INBOX';"
                  "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {1}) "
                  "INSERT INTO vanished SELECT {2}, 10 + i, 2 * i, 2 * i, {3} FROM n",
                  2 * in_all + 20, in_all, id("INBOX"), clock_.now_s() / 86'400));
  must(box_->tidy({}));
  EXPECT_EQ(count("SELECT count(*) FROM vanished"), most);
  EXPECT_EQ(count("SELECT forgotten_modseq FROM mailboxes WHERE path = 'INBOX'"), 10 + in_all - most);
  EXPECT_EQ(gone_since(static_cast<ModSeq>(10 + in_all - 1)),
            (UidSet{{static_cast<Uid>(2 * in_all), static_cast<Uid>(2 * in_all)}}));
  EXPECT_EQ(gone_since(10), (UidSet{{2, static_cast<Uid>(2 * in_all + 19)}}));
}

TEST_F(TidyTest, AFolderMadeAgainRemembersNothingOfTheFirst) {
  must(box_->create_folder("A/B"));
  put(simple("x"), "A", {.system = kDeleted});
  must(box_->expunge(id("A")));
  clock_.advance(kDay * (kVanishedDays + 1));
  must(box_->tidy({}));
  must(box_->delete_folder("A"));
  const Folder again = must(box_->create_folder("A"));
  put(simple("y"), "A");
  EXPECT_TRUE(must(box_->changes_since(again.id, 1)).expunged.empty());
}

TEST_F(TidyTest, DeliveriesAreRememberedForAMonth) {
  put_delivered("old");
  clock_.advance(kDeliveredFor - kDay);
  put_delivered("young");
  must(box_->tidy({}));
  EXPECT_TRUE(is_duplicate("old"));
  clock_.advance(kDay * 2);
  must(box_->tidy({}));
  EXPECT_TRUE(is_duplicate("young"));
  EXPECT_FALSE(is_duplicate("old"));
}

TEST_F(TidyTest, ADeliveryThatTheSpoolStillHasIsRememberedForAsLong) {
  put_delivered("moved, not yet removed");
  put_delivered("moved and removed");
  clock_.advance(kDeliveredFor * 100);
  must(box_->tidy({"moved, not yet removed", "never seen here"}));
  EXPECT_TRUE(is_duplicate("moved, not yet removed"));
  EXPECT_EQ(count("SELECT count(*) FROM delivered"), 1);
}

TEST_F(TidyTest, OnlySoManyDeliveriesAreRemembered) {
  const std::int64_t now = clock_.now_s();
  sql(fmt::format(
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {}) "
      "INSERT INTO delivered SELECT printf('%016x', i * 2654435761 % 4294967296), {} + i, 1, i FROM n",
      kMostDelivered + 1'500, now));
  put_delivered("waits");
  must(box_->tidy({"waits"}));
  EXPECT_EQ(count("SELECT count(*) FROM delivered WHERE id <> 'waits'"), kMostDelivered);
  EXPECT_EQ(count("SELECT min(uid) FROM delivered WHERE id <> 'waits'"), 1'501);
  EXPECT_TRUE(is_duplicate("waits"));
}

TEST_F(TidyTest, AMailboxOfTheFirstVersionIsBroughtUpToDate) {
  box_.reset();
  std::filesystem::remove(file());
  {
    vault::DatabaseOptions first;
    first.open.path = file();
    first.open.key = &key_;
    first.open.mode = vault::OpenMode::create;
    first.migrations = migrations().first(1);
    const auto database = must(vault::Database::open(std::move(first)));
    must(database->write([](vault::Connection& c) {
      return c.exec(
          "INSERT INTO keys VALUES ('sealing_public', x'01'), ('sealing_private', x'02'), ('content_hash', "
          "zeroblob(32));"
          "INSERT INTO mailboxes (id, path, uid_validity, uid_next, highest_modseq) VALUES (1, 'INBOX', 7, "
          "9, 5);"
          "INSERT INTO vanished VALUES (1, 3, 2, 4)");
    }));
  }
  reopen();
  EXPECT_THAT(each_of(gone_since(1)), ElementsAre(2, 3, 4));
  clock_ = ManualClock(
      std::chrono::duration_cast<Millis>(std::chrono::system_clock::now().time_since_epoch()).count());
  must(box_->tidy({}));
  EXPECT_THAT(each_of(gone_since(1)), ElementsAre(2, 3, 4)) << "it is as old as the change of version";
}

}  // namespace
}  // namespace muhur::mailbox::test
