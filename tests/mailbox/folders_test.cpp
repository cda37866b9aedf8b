#include "mailbox/support.hpp"

namespace muhur::mailbox::test {
namespace {

using testing::ElementsAre;

class FoldersTest : public MailboxTest {
 protected:
  std::vector<std::string> paths() {
    std::vector<std::string> paths;
    for (const Folder& folder : must(box_->folders())) paths.push_back(folder.path);
    return paths;
  }
  Folder get(std::string_view path) { return must(box_->folder(path)); }
};

TEST_F(FoldersTest, ANewMailboxHasTheStandardFoldersSubscribedAndMarked) {
  EXPECT_THAT(paths(), ElementsAre("INBOX", "Archive", "Drafts", "Junk", "Sent", "Trash"));
  for (const Folder& folder : must(box_->folders())) {
    EXPECT_TRUE(folder.subscribed) << folder.path;
    EXPECT_EQ(folder.special_use, folder.path == "INBOX" ? "" : "\\" + folder.path);
    EXPECT_EQ(folder.uid_next, 1u);
    EXPECT_GE(folder.highest_modseq, 1u);
    EXPECT_TRUE(folder.selectable);
  }
  EXPECT_EQ(must(box_->sealing_public_half()).size(), 32u);
  EXPECT_EQ(must(box_->sealing_private_half()).size(), 32u);
}

TEST_F(FoldersTest, FoldersAndKeysAreTheSameAfterReopening) {
  const auto before = must(box_->folders());
  const Bytes half = must(box_->sealing_private_half());
  reopen();
  const auto after = must(box_->folders());
  ASSERT_EQ(after.size(), before.size());
  for (std::size_t i = 0; i < after.size(); ++i) EXPECT_EQ(after[i].uid_validity, before[i].uid_validity);
  EXPECT_EQ(must(box_->sealing_private_half()), half);
}

TEST_F(FoldersTest, InboxIsTheSameInAnyCase) {
  EXPECT_EQ(get("inbox").id, get("INBOX").id);
  EXPECT_EQ(code_of(box_->create_folder("InBox")), Code::exists);
  EXPECT_EQ(must(box_->create_folder("inbox/Work")).path, "INBOX/Work");
  EXPECT_EQ(get("iNbOx/Work").path, "INBOX/Work");
  EXPECT_EQ(must(box_->create_folder("inboxes")).path, "inboxes");
}

TEST_F(FoldersTest, CreatingMakesMissingParents) {
  EXPECT_EQ(must(box_->create_folder("A/B/C")).path, "A/B/C");
  EXPECT_TRUE(get("A").has_children);
  EXPECT_TRUE(get("A/B").has_children);
  EXPECT_FALSE(get("A/B/C").has_children);
  EXPECT_EQ(code_of(box_->create_folder("A/B")), Code::exists);
}

TEST_F(FoldersTest, ANeighbourWithTheSameBeginningIsNoChild) {
  must(box_->create_folder("A"));
  must(box_->create_folder("A-B"));
  must(box_->create_folder("A0"));
  must(box_->create_folder("AB/C"));
  EXPECT_FALSE(get("A").has_children);
  must(box_->rename_folder("A", "Z"));
  EXPECT_EQ(get("A-B").path, "A-B");
  EXPECT_EQ(get("AB/C").path, "AB/C");
}

TEST_F(FoldersTest, ChildrenFollowTheirParentAndInboxComesFirst) {
  for (const char* path : {"B", "A/x", "A b", "A", "INBOX/z"}) (void)box_->create_folder(path);
  EXPECT_THAT(paths(), ElementsAre("INBOX", "INBOX/z", "A", "A/x", "A b", "Archive", "B", "Drafts", "Junk",
                                   "Sent", "Trash"));
}

// Seen elsewhere: names with '&', wildcards, emoji and CJK that could be created but not renamed with
// children.
TEST_F(FoldersTest, AnyUnicodeNameCanBeCreatedRenamedWithChildrenAndFoundAfterReopening) {
  for (const std::string name :
       {"A&B", "\xF0\x9F\x93\xA7 post", "\xE6\x97\xA5\xE6\x9C\xAC", "&#*%", "a'b\"c\\d", "%"}) {
    must(box_->create_folder(name + "/below/deep"));
    must(box_->rename_folder(name, "moved " + name));
    reopen();
    EXPECT_EQ(get("moved " + name + "/below/deep").path, "moved " + name + "/below/deep");
    EXPECT_EQ(code_of(box_->folder(name)), Code::not_found);
    EXPECT_EQ(code_of(box_->folder(name + "/below")), Code::not_found);
  }
}

TEST_F(FoldersTest, NamesAreKeptInNormalFormC) {
  must(
      box_->create_folder("u\xCC\x88"
                          "ber"));  // u, combining diaeresis
  EXPECT_EQ(get("\xC3\xBC"
                "ber")
                .path,
            "\xC3\xBC"
            "ber");
}

TEST_F(FoldersTest, NamesThatCannotBeAreRefused) {
  std::string deep = "d";
  for (int i = 0; i < 50; ++i) deep += "/d";
  for (const std::string& name :
       {std::string(), std::string("/"), std::string("/a"), std::string("a/"), std::string("a//b"),
        std::string("a\nb"), std::string("a\0b", 3), std::string("a\x7f"), std::string("\xC2\x85"),
        std::string("\xFF\xFE"), std::string(1'001, 'x'), deep}) {
    EXPECT_EQ(code_of(box_->create_folder(name)), Code::invalid) << name;
    EXPECT_EQ(code_of(box_->rename_folder("Sent", name)), Code::invalid) << name;
    EXPECT_EQ(code_of(box_->folder(name)), Code::not_found) << name;
  }
  EXPECT_TRUE(box_->create_folder(std::string(1'000, 'x')));
  EXPECT_TRUE(box_->create_folder(deep.substr(2)));
}

TEST_F(FoldersTest, RenamingCannotMakeAChildTooDeep) {
  std::string deep = "d";
  for (int i = 0; i < 48; ++i) deep += "/d";
  must(box_->create_folder(deep));
  EXPECT_EQ(code_of(box_->rename_folder("d", "a/b/c")), Code::invalid);
  EXPECT_EQ(get(deep).path, deep);
  EXPECT_EQ(code_of(box_->folder("a")), Code::not_found) << "nothing is left of what failed";
}

TEST_F(FoldersTest, RenamingTakesChildrenAndMessagesAlong) {
  must(box_->create_folder("A/B/C"));
  must(box_->create_folder("A/D"));
  put(simple("kept"), "A/B/C");
  const auto before = get("A/B/C");
  must(box_->rename_folder("A", "X/Y"));
  const auto after = get("X/Y/B/C");
  EXPECT_EQ(after.id, before.id);
  EXPECT_EQ(after.uid_validity, before.uid_validity);
  EXPECT_EQ(after.messages, 1u);
  EXPECT_EQ(get("X/Y/D").path, "X/Y/D");
  EXPECT_EQ(code_of(box_->folder("A")), Code::not_found);
  EXPECT_EQ(code_of(box_->folder("A/D")), Code::not_found);
}

TEST_F(FoldersTest, RenamingIsRefusedToANameThatIsThereAndBelowItself) {
  must(box_->create_folder("A/B"));
  EXPECT_EQ(code_of(box_->rename_folder("A", "Sent")), Code::exists);
  EXPECT_EQ(code_of(box_->rename_folder("A", "A/B/C")), Code::invalid);
  EXPECT_EQ(code_of(box_->rename_folder("none", "other")), Code::not_found);
  EXPECT_EQ(code_of(box_->rename_folder("A", "A")), Code::exists);
}

TEST_F(FoldersTest, RenamingInboxMovesItsMessagesAndLeavesItEmpty) {
  must(box_->create_folder("INBOX/child"));
  put(simple("one"), "INBOX", {.system = kSeen, .keywords = {"work"}});
  put(simple("two"));
  must(box_->rename_folder("INBOX", "Old mail"));
  EXPECT_EQ(get("INBOX").messages, 0u);
  EXPECT_EQ(get("Old mail").messages, 2u);
  EXPECT_EQ(get("INBOX/child").path, "INBOX/child");
  EXPECT_EQ(row(1, "Old mail").flags, (Flags{kSeen, {"work"}}));
  EXPECT_EQ(put(simple("three")), 3u) << "UIDs of INBOX go on";
  EXPECT_EQ(must(box_->changes_since(id("INBOX"), 1)).expunged, (UidSet{{1, 2}}));
}

TEST_F(FoldersTest, AFolderWithChildrenBecomesUnselectableAndGoesWhenTheyAreGone) {
  must(box_->create_folder("A/B"));
  put(simple("lost"), "A");
  must(box_->delete_folder("A"));
  EXPECT_FALSE(get("A").selectable);
  EXPECT_EQ(get("A").messages, 0u);
  EXPECT_EQ(count("SELECT count(*) FROM emails"), 0);
  EXPECT_EQ(code_of(box_->append({.folder = id("A"), .message = simple("x")})), Code::not_found);
  EXPECT_EQ(code_of(box_->delete_folder("A")), Code::invalid);
  must(box_->delete_folder("A/B"));
  must(box_->delete_folder("A"));
  EXPECT_EQ(code_of(box_->folder("A")), Code::not_found);
}

TEST_F(FoldersTest, InboxCannotBeDeleted) {
  EXPECT_EQ(code_of(box_->delete_folder("inbox")), Code::invalid);
  EXPECT_EQ(code_of(box_->delete_folder("none")), Code::not_found);
}

// Seen elsewhere: a folder deleted and created again had the old UIDVALIDITY, and clients deleted wrong mail.
TEST_F(FoldersTest, UidValidityStrictlyRisesForAFolderCreatedAgain) {
  std::uint32_t last = 0;
  for (int i = 0; i < 5; ++i) {
    const auto made = must(box_->create_folder("Again"));
    EXPECT_GT(made.uid_validity, last);
    EXPECT_EQ(made.uid_next, 1u);
    last = made.uid_validity;
    put(simple("x"), "Again");
    must(box_->delete_folder("Again"));
    if (i % 2 == 0) reopen();
  }
  clock_.advance(Millis(3'600'000));
  EXPECT_GE(must(box_->create_folder("Again")).uid_validity, last + 3'000) << "the time of day seeds it";
}

TEST_F(FoldersTest, AnUnselectableFolderCreatedAgainHasANewUidValidity) {
  const auto first = must(box_->create_folder("A"));
  must(box_->create_folder("A/B"));
  put(simple("x"), "A");
  must(box_->delete_folder("A"));
  const auto again = must(box_->create_folder("A"));
  EXPECT_TRUE(again.selectable);
  EXPECT_GT(again.uid_validity, first.uid_validity);
  EXPECT_EQ(put(simple("y"), "A"), 1u);
  EXPECT_TRUE(must(box_->changes_since(again.id, 1)).expunged.empty());
}

TEST_F(FoldersTest, SubscriptionsAreKeptByName) {
  must(box_->create_folder("News"));
  EXPECT_FALSE(get("News").subscribed);
  must(box_->set_subscribed("News", true));
  must(box_->set_subscribed("News", true));
  EXPECT_TRUE(get("News").subscribed);
  must(box_->delete_folder("News"));
  EXPECT_THAT(must(box_->subscriptions()),
              ElementsAre("INBOX", "Archive", "Drafts", "Junk", "News", "Sent", "Trash"));
  must(box_->set_subscribed("news of nowhere", false));
  must(box_->set_subscribed("News", false));
  EXPECT_EQ(must(box_->subscriptions()).size(), 6u);
}

TEST_F(FoldersTest, AndSubscriptionsAreBounded) {
  // Bug: one user could make folders without end, each of which every LIST holds in memory.
  must(box_->database().write([](vault::Connection& c) {
    return c.exec(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9994) "
        "INSERT INTO mailboxes (path, uid_validity) SELECT 'f' || i, 1 FROM n;"
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9994) "
        "INSERT INTO subscriptions (path) SELECT 'f' || i FROM n");
  }));
  EXPECT_EQ(code_of(box_->create_folder("one more")), Code::limit);
  EXPECT_EQ(code_of(box_->set_subscribed("one more", true)), Code::limit);
  must(box_->delete_folder("f1"));
  must(box_->set_subscribed("f1", false));
  EXPECT_EQ(code_of(box_->create_folder("one/more")), Code::limit) << "that would be two";
  EXPECT_EQ(code_of(box_->folder("one")), Code::not_found);
  must(box_->create_folder("one more"));
  must(box_->set_subscribed("one more", true));
}

TEST_F(FoldersTest, ASpecialUseBelongsToOneFolder) {
  EXPECT_EQ(code_of(box_->create_folder("Sent 2", "\\Sent")), Code::invalid);
  EXPECT_EQ(code_of(box_->create_folder("Odd", "\\Odd")), Code::invalid);
  must(box_->delete_folder("Sent"));
  EXPECT_EQ(must(box_->create_folder("Gesendet", "\\sent")).special_use, "\\Sent");
}

}  // namespace
}  // namespace muhur::mailbox::test
