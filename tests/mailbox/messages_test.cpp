#include "mailbox/support.hpp"

namespace muhur::mailbox::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

class MessagesTest : public MailboxTest {
 protected:
  Folder inbox() { return must(box_->folder("INBOX")); }
  Delta since(ModSeq modseq) { return must(box_->changes_since(id("INBOX"), modseq)); }
  Stored flag(const UidSet& uids, FlagChange change, Flags flags, std::optional<ModSeq> unchanged = {}) {
    return must(box_->store(id("INBOX"), uids, change, flags, unchanged));
  }
  // What the counters say must be what counting says.
  void expect_right_counters() {
    for (const Folder& folder : must(box_->folders())) {
      const auto rows = must(box_->list(folder.id)).changed;
      std::uint64_t bytes = 0;
      std::uint32_t unseen = 0, deleted = 0;
      for (const MessageRow& row : rows) {
        bytes += row.size;
        unseen += !(row.flags.system & kSeen);
        deleted += (row.flags.system & kDeleted) != 0;
      }
      EXPECT_EQ(folder.messages, rows.size()) << folder.path;
      EXPECT_EQ(folder.unseen, unseen) << folder.path;
      EXPECT_EQ(folder.deleted, deleted) << folder.path;
      EXPECT_EQ(folder.bytes, bytes) << folder.path;
    }
  }
};

TEST_F(MessagesTest, AppendKeepsFlagsKeywordsDateAndZone) {
  must(box_->append({.folder = id("INBOX"),
                     .message = simple("x"),
                     .flags = {kSeen | kFlagged, {"zeta", "Alpha", "ALPHA"}},
                     .date_s = -5,
                     .zone_minutes = -570}));
  const MessageRow got = row(1);
  EXPECT_EQ(got.flags, (Flags{kSeen | kFlagged, {"Alpha", "zeta"}}));
  EXPECT_EQ(got.internal_date_s, -5);
  EXPECT_EQ(got.zone_minutes, -570);
  EXPECT_EQ(got.size, simple("x").size());
  put(simple("now"));
  EXPECT_EQ(row(2).internal_date_s, clock_.now_s());
}

TEST_F(MessagesTest, AppendToAFolderThatIsNotThereChangesNothing) {
  EXPECT_EQ(code_of(box_->append({.folder = 999, .message = simple("x")})), Code::not_found);
  EXPECT_EQ(count("SELECT count(*) FROM emails"), 0);
  EXPECT_EQ(must(box_->bytes_used()), 0u);
}

TEST_F(MessagesTest, AppendAllIsAllOrNothing) {
  const std::string message = simple("x");
  const std::vector<AppendRequest> bad{{.folder = id("INBOX"), .message = message},
                                       {.folder = 999, .message = message}};
  EXPECT_EQ(code_of(box_->append_all(bad)), Code::not_found);
  EXPECT_THAT(uids(), IsEmpty());
  const std::vector<AppendRequest> good(5, {.folder = id("INBOX"), .message = message});
  const auto appended = must(box_->append_all(good));
  ASSERT_EQ(appended.size(), 5u);
  EXPECT_EQ(appended[4].uid, 5u);
  EXPECT_EQ(appended[4].uid_validity, inbox().uid_validity);
  EXPECT_THAT(uids(), ElementsAre(1, 2, 3, 4, 5));
}

TEST_F(MessagesTest, ADeliveryIdThatIsKnownAddsNothingEvenAfterReopening) {
  const std::string message = simple("once");
  const AppendRequest request{.folder = id("INBOX"), .message = message, .delivery_id = "d-1"};
  const auto first = must(box_->append(request));
  EXPECT_FALSE(first.duplicate);
  reopen();
  const auto second = must(box_->append(request));
  EXPECT_TRUE(second.duplicate);
  EXPECT_EQ(second.uid, first.uid);
  EXPECT_EQ(second.uid_validity, first.uid_validity);
  EXPECT_EQ(inbox().messages, 1u);
  AppendRequest other = request;
  other.delivery_id = "d-2";
  const auto both = must(box_->append_all(std::vector{other, request, other}));
  EXPECT_FALSE(both[0].duplicate);
  EXPECT_TRUE(both[1].duplicate);
  EXPECT_TRUE(both[2].duplicate);
  EXPECT_EQ(inbox().messages, 2u);
}

TEST_F(MessagesTest, ADeliveryIdIsRememberedWhenItsMessageIsGone) {
  const std::string message = simple("once");
  const AppendRequest request{
      .folder = id("INBOX"), .message = message, .flags = {.system = kDeleted}, .delivery_id = "d-1"};
  must(box_->append(request));
  must(box_->expunge(id("INBOX")));
  EXPECT_TRUE(must(box_->append(request)).duplicate);
  EXPECT_EQ(inbox().messages, 0u);
}

TEST_F(MessagesTest, FlagsAreReplacedAddedAndRemoved) {
  put(simple("x"), "INBOX", {kSeen, {"a"}});
  EXPECT_EQ(flag(kAll, FlagChange::add, {kFlagged, {"B"}}).changed.at(0).flags,
            (Flags{kSeen | kFlagged, {"a", "B"}}));
  EXPECT_EQ(flag(kAll, FlagChange::remove, {kSeen, {"A", "unknown"}}).changed.at(0).flags,
            (Flags{kFlagged, {"B"}}));
  EXPECT_EQ(flag(kAll, FlagChange::replace, {kDraft, {"c", "b"}}).changed.at(0).flags,
            (Flags{kDraft, {"B", "c"}}));
  EXPECT_EQ(row(1).flags, (Flags{kDraft, {"B", "c"}}));
  EXPECT_THAT(must(box_->keywords(id("INBOX"))), ElementsAre("a", "B", "c"));
  EXPECT_THAT(must(box_->keywords(id("Sent"))), IsEmpty());
  EXPECT_EQ(count("SELECT count(*) FROM keywords WHERE name = 'unknown'"), 0);
  reopen();
  EXPECT_EQ(row(1).flags, (Flags{kDraft, {"B", "c"}}));
}

TEST_F(MessagesTest, StorePassesOverUidsThatAreNotThere) {
  put(simple("x"));
  const auto stored = flag({{1, 1}, {5, 9}}, FlagChange::add, {.system = kSeen});
  ASSERT_EQ(stored.changed.size(), 1u);
  EXPECT_EQ(stored.changed[0].uid, 1u);
  EXPECT_EQ(code_of(box_->store(999, kAll, FlagChange::add, {})), Code::not_found);
}

TEST_F(MessagesTest, AChangeRaisesTheModseqOfTheFolderAndOfWhatChanged) {
  put(simple("one"));
  put(simple("two"));
  const ModSeq before = inbox().highest_modseq;
  EXPECT_EQ(row(2).modseq, before);
  const auto stored = flag({{1, 1}}, FlagChange::add, {.system = kSeen});
  EXPECT_GT(stored.changed.at(0).modseq, before);
  EXPECT_EQ(inbox().highest_modseq, stored.changed[0].modseq);
  EXPECT_EQ(row(2).modseq, before);
}

TEST_F(MessagesTest, AStoreThatChangesNothingRaisesNothingAndStillShowsTheRow) {
  put(simple("x"), "INBOX", {.system = kSeen});
  const ModSeq before = inbox().highest_modseq;
  const auto stored = flag(kAll, FlagChange::add, {.system = kSeen});
  ASSERT_EQ(stored.changed.size(), 1u);
  EXPECT_EQ(stored.changed[0].modseq, before);
  EXPECT_EQ(inbox().highest_modseq, before);
}

TEST_F(MessagesTest, UnchangedSinceLeavesAloneWhatChangedLater) {
  for (int i = 0; i < 3; ++i) put(simple("x"));
  const ModSeq known = inbox().highest_modseq;
  flag({{2, 2}}, FlagChange::add, {.system = kFlagged});
  const auto stored = flag(kAll, FlagChange::add, {.system = kSeen}, known);
  EXPECT_THAT(stored.modified, ElementsAre(2));
  ASSERT_EQ(stored.changed.size(), 2u);
  EXPECT_EQ(row(2).flags.system, kFlagged);
  EXPECT_EQ(row(3).flags.system, kSeen);
  EXPECT_THAT(flag(kAll, FlagChange::add, {.system = kDraft}, 0).modified, ElementsAre(1, 2, 3));
}

TEST_F(MessagesTest, EveryKindOfChangeRaisesTheModseqStrictly) {
  ModSeq last = inbox().highest_modseq;
  const auto expect_risen = [&](const char* after) {
    const ModSeq now = inbox().highest_modseq;
    EXPECT_GT(now, last) << after;
    last = now;
  };
  put(simple("one"));
  expect_risen("append");
  put(simple("two"));
  expect_risen("append");
  flag({{1, 1}}, FlagChange::add, {.system = kDeleted});
  expect_risen("store");
  must(box_->expunge(id("INBOX")));
  expect_risen("expunge");
  must(box_->copy(id("INBOX"), kAll, id("INBOX")));
  expect_risen("copy");
  must(box_->move(id("INBOX"), {{2, 2}}, id("Trash")));
  expect_risen("move");
  reopen();
  put(simple("three"));
  expect_risen("reopening");
}

TEST_F(MessagesTest, ChangesSinceTellsExactlyWhatChangedAndWhatWent) {
  for (int i = 0; i < 6; ++i) put(simple("x"));
  const ModSeq known = inbox().highest_modseq;
  EXPECT_THAT(since(known).changed, IsEmpty());
  EXPECT_THAT(since(known).expunged, IsEmpty());
  flag({{2, 3}}, FlagChange::add, {.system = kDeleted});
  must(box_->expunge(id("INBOX")));
  must(box_->move(id("INBOX"), {{5, 5}}, id("Archive")));
  flag({{6, 6}}, FlagChange::add, {.system = kSeen});
  put(simple("new"));
  reopen();
  const Delta delta = since(known);
  ASSERT_EQ(delta.changed.size(), 2u);
  EXPECT_EQ(delta.changed[0].uid, 6u);
  EXPECT_EQ(delta.changed[1].uid, 7u);
  EXPECT_THAT(each_of(delta.expunged), ElementsAre(2, 3, 5));
  EXPECT_EQ(delta.folder.highest_modseq, inbox().highest_modseq);
  EXPECT_EQ(since(0).changed.size(), 4u);
}

TEST_F(MessagesTest, ExpungeTakesOnlyWhatIsMarkedAndOnlyWithinTheUidsGiven) {
  for (int i = 0; i < 5; ++i) put(simple("x"));
  flag({{1, 3}, {5, 5}}, FlagChange::add, {.system = kDeleted | kSeen});
  EXPECT_THAT(must(box_->expunge(id("INBOX"), UidSet{{2, 2}, {4, 9}})), ElementsAre(2, 5));
  EXPECT_THAT(uids(), ElementsAre(1, 3, 4));
  EXPECT_THAT(must(box_->expunge(id("INBOX"))), ElementsAre(1, 3));
  EXPECT_THAT(must(box_->expunge(id("INBOX"))), IsEmpty());
  EXPECT_THAT(uids(), ElementsAre(4));
  expect_right_counters();
}

TEST_F(MessagesTest, CopyKeepsFlagsAndDatesAndSharesContent) {
  put(simple("one"), "INBOX", {kSeen | kFlagged, {"work"}});
  put(simple("two"));
  const auto copied = must(box_->copy(id("INBOX"), {{1, 2}, {7, 7}}, id("Archive")));
  EXPECT_THAT(copied.uids, ElementsAre(Pair(1, 1), Pair(2, 2)));
  EXPECT_EQ(copied.uid_validity, must(box_->folder("Archive")).uid_validity);
  EXPECT_EQ(row(1, "Archive").flags, row(1).flags);
  EXPECT_EQ(row(1, "Archive").internal_date_s, row(1).internal_date_s);
  EXPECT_EQ(row(1, "Archive").email, row(1).email);
  EXPECT_THAT(must(box_->keywords(id("Archive"))), ElementsAre("work"));
  EXPECT_EQ(count("SELECT count(*) FROM emails"), 2);
  expect_right_counters();
}

TEST_F(MessagesTest, CopyIntoTheSameFolderGivesNewUids) {
  put(simple("one"));
  EXPECT_THAT(must(box_->copy(id("INBOX"), kAll, id("INBOX"))).uids, ElementsAre(Pair(1, 2)));
  EXPECT_THAT(uids(), ElementsAre(1, 2));
  EXPECT_EQ(bytes(2), simple("one"));
}

TEST_F(MessagesTest, MoveTakesMessagesAwayAndRemembersThatTheyWent) {
  for (int i = 0; i < 3; ++i) put(simple(fmt::format("m{}", i)));
  put(simple("there"), "Archive");
  const auto moved = must(box_->move(id("INBOX"), {{1, 1}, {3, 3}, {8, 9}}, id("Archive")));
  EXPECT_THAT(moved.uids, ElementsAre(Pair(1, 2), Pair(3, 3)));
  EXPECT_THAT(uids(), ElementsAre(2));
  EXPECT_THAT(each_of(since(1).expunged), ElementsAre(1, 3));
  EXPECT_EQ(bytes(3, "Archive"), simple("m2"));
  expect_right_counters();
}

// Seen elsewhere: moving messages that another session had expunged was refused.
TEST_F(MessagesTest, MovingWhatIsGoneAlreadyIsFine) {
  EXPECT_THAT(must(box_->move(id("INBOX"), {{1, 5}}, id("Trash"))).uids, IsEmpty());
  EXPECT_EQ(code_of(box_->move(id("INBOX"), kAll, 999)), Code::not_found);
}

TEST_F(MessagesTest, MoveWithinAFolderGivesNewUids) {
  put(simple("one"));
  put(simple("two"));
  EXPECT_THAT(must(box_->move(id("INBOX"), {{1, 1}}, id("INBOX"))).uids, ElementsAre(Pair(1, 3)));
  EXPECT_THAT(uids(), ElementsAre(2, 3));
  EXPECT_EQ(bytes(3), simple("one"));
  EXPECT_THAT(each_of(since(1).expunged), ElementsAre(1));
  expect_right_counters();
}

// Seen elsewhere: the highest UID was given again after an expunge and a restart, and wrong mail was deleted.
TEST_F(MessagesTest, UidsAreNeverUsedAgain) {
  for (int round = 0; round < 4; ++round) {
    const Uid uid = put(simple("x"), "INBOX", {.system = kDeleted});
    EXPECT_EQ(uid, static_cast<Uid>(round + 1));
    must(box_->expunge(id("INBOX")));
    reopen();
  }
  EXPECT_EQ(inbox().uid_next, 5u);
}

TEST_F(MessagesTest, CountersAreRightAfterManyMixedChanges) {
  std::uint64_t seed = 7;
  const auto random = [&](std::uint64_t below) {
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    return static_cast<Uid>((seed >> 33) % below);
  };
  const FolderId folders[] = {id("INBOX"), id("Archive"), id("Trash")};
  for (int i = 0; i < 300; ++i) {
    const FolderId from = folders[random(3)], to = folders[random(3)];
    const Uid first = random(60) + 1;
    const UidSet some{{first, first + random(6)}};
    const Flags flags{static_cast<std::uint8_t>(random(32)),
                      random(3) == 0 ? std::vector<std::string>{"k"} : std::vector<std::string>{}};
    switch (random(6)) {
      case 0:
      case 1:
        must(
            box_->append({.folder = from, .message = simple(std::string(random(200), 's')), .flags = flags}));
        break;
      case 2:
        must(box_->copy(from, some, to));
        break;
      case 3:
        must(box_->move(from, some, to));
        break;
      case 4:
        must(box_->store(from, some, static_cast<FlagChange>(random(3)), flags));
        break;
      default:
        must(box_->expunge(from));
        break;
    }
  }
  expect_right_counters();
  std::uint64_t bytes = 0;
  for (const Folder& folder : must(box_->folders())) bytes += folder.bytes;
  EXPECT_EQ(must(box_->bytes_used()), bytes);
  EXPECT_EQ(count("SELECT count(*) FROM emails"), count("SELECT count(DISTINCT email_id) FROM messages"));
  EXPECT_EQ(count("SELECT count(*) FROM email_refs r WHERE refs <> "
                  "(SELECT count(*) FROM messages m WHERE m.email_id = r.email_id)"),
            0);
}

TEST_F(MessagesTest, ASmallMessageCostsOneRowOfContentAndOneOfText) {
  put(simple("small"));
  EXPECT_EQ(count("SELECT count(*) FROM emails"), 1);
  EXPECT_EQ(count("SELECT count(*) FROM texts"), 1);
  EXPECT_EQ(count("SELECT count(*) FROM email_chunks"), 0);
  EXPECT_EQ(count("SELECT count(*) FROM email_refs"), 0);
}

TEST_F(MessagesTest, KeywordsAreBounded) {
  EXPECT_EQ(
      code_of(box_->append({.folder = id("INBOX"), .message = "x", .flags = {0, {std::string(256, 'k')}}})),
      Code::invalid);
  std::vector<std::string> many;
  for (int i = 0; i < 5'000; ++i) many.push_back(fmt::format("k{}", i));
  EXPECT_EQ(code_of(box_->append({.folder = id("INBOX"), .message = "x", .flags = {0, many}})), Code::limit);
  EXPECT_EQ(inbox().messages, 0u);
}

TEST_F(MessagesTest, OneMessageHasOnlySoManyKeywords) {
  // Bug: a message could have all 4,096 of the mailbox, and a folder of such did not fit into memory as rows.
  const auto some = [](int first, int count) {
    std::vector<std::string> names;
    for (int i = first; i < first + count; ++i) names.push_back(fmt::format("k{:03}", i));
    return Flags{0, std::move(names)};
  };
  put(simple("x"), "INBOX", some(0, 60));
  EXPECT_EQ(code_of(box_->store(id("INBOX"), kAll, FlagChange::add, some(60, 60))), Code::limit);
  EXPECT_EQ(row(1).flags.keywords.size(), 60u);
  EXPECT_EQ(flag(kAll, FlagChange::add, some(60, 40)).changed.at(0).flags.keywords.size(), 100u);
  flag(kAll, FlagChange::add, {.system = kSeen});
  flag(kAll, FlagChange::remove, some(0, 50));
  EXPECT_EQ(row(1).flags.keywords.size(), 50u);
  const Flags long_ones{0, std::vector<std::string>{std::string(250, 'a'), std::string(250, 'b')}};
  flag(kAll, FlagChange::add, long_ones);
  std::vector<std::string> too_long;
  for (char c = 'c'; c < 'x'; ++c) too_long.emplace_back(250, c);
  EXPECT_EQ(code_of(box_->store(id("INBOX"), kAll, FlagChange::replace, {0, too_long})), Code::limit);
}

TEST_F(MessagesTest, TheOverviewIsWhatTheRowsSay) {
  put(simple("seen"), "INBOX", {kSeen, {"a"}});
  put(simple("gone"), "INBOX", {kDeleted, {"b"}});
  must(box_->expunge(id("INBOX")));
  put(simple("unseen"));
  put(simple("unseen too"));
  const Overview overview = must(box_->overview(id("INBOX")));
  EXPECT_THAT(overview.uids, ElementsAre(1, 3, 4));
  EXPECT_EQ(overview.first_unseen, 3u);
  EXPECT_THAT(overview.keywords, ElementsAre("a", "b"));
  EXPECT_EQ(overview.folder.highest_modseq, inbox().highest_modseq);
  flag(kAll, FlagChange::add, {.system = kSeen});
  EXPECT_EQ(must(box_->overview(id("INBOX"))).first_unseen, 0u);
  EXPECT_EQ(code_of(box_->overview(999)), Code::not_found);
}

TEST_F(MessagesTest, TheIndexesOfTheTablesAreUsed) {
  const auto plan = [&](std::string_view sql) {
    return must(box_->database().read([&](vault::Connection& c) -> Result<std::string> {
      MUHUR_TRY(auto st, c.prepare(sql));
      MUHUR_TRY([[maybe_unused]] const bool row, st.step());
      return std::string(st.text(3));
    }));
  };
  EXPECT_THAT(
      plan(
          "EXPLAIN QUERY PLAN SELECT uid FROM messages WHERE mailbox_id = 1 AND date > 5 ORDER BY date DESC"),
      testing::HasSubstr("messages_date"));
  EXPECT_THAT(plan("EXPLAIN QUERY PLAN SELECT date FROM messages WHERE mailbox_id = 1 AND uid = 5"),
              testing::HasSubstr("PRIMARY KEY (mailbox_id=? AND uid=?)"));
}

}  // namespace
}  // namespace muhur::mailbox::test
