#include "imap/harness.hpp"

namespace muhur::imap::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class Folders : public ::testing::Test {
 protected:
  House house;
  Client client = house.signed_in();
};

TEST_F(Folders, PlainListCarriesSpecialUseAndChildren) {
  // Bug class 13: iOS, K-9 and Outlook find Sent and Trash by the attributes of a plain LIST, or XLIST.
  for (const char* command : {"LIST \"\" *", "XLIST \"\" \"*\""}) {
    const std::string got = client.run(command);
    for (const char* use : {"Drafts", "Sent", "Trash", "Junk", "Archive"})
      EXPECT_THAT(got, HasSubstr("\\" + std::string(use))) << command;
    EXPECT_THAT(got, HasSubstr("\\HasNoChildren"));
  }
  EXPECT_THAT(client.run("LIST \"\" *"), HasSubstr("* LIST (\\HasNoChildren \\Sent) \"/\" Sent\r\n"));
  EXPECT_THAT(client.run("XLIST \"\" inbox"), HasSubstr("\\Inbox) \"/\" INBOX"));
  EXPECT_EQ(client.run("LIST \"\" \"\""), "* LIST (\\Noselect) \"/\" \"\"\r\nT OK List completed.\r\n");
}

TEST_F(Folders, OfAnyNameAreCreatedListedRenamedAndOpenedAgain) {
  // Bug class 15.
  const char* names[] = {"A&-B", "&2D3eAA-", "&ZeVnLIqe-", "&-#*%", "a b", "G&APY-k"};
  for (const std::string name : names) {
    EXPECT_THAT(client.run("CREATE \"" + name + "\""), HasSubstr("T OK")) << name;
    EXPECT_THAT(client.run("CREATE \"" + name + "/child\""), HasSubstr("T OK")) << name;
    EXPECT_THAT(client.run("RENAME \"" + name + "\" \"" + name + "2\""), HasSubstr("T OK")) << name;
  }
  EXPECT_THAT(client.run("CREATE \"&bad\""), HasSubstr("T NO"));
  EXPECT_THAT(client.run("CREATE \"a//b\""), HasSubstr("T NO"));
  EXPECT_THAT(client.run("SELECT \"&Jjo\""), HasSubstr("T NO"));
  EXPECT_THAT(client.run("LIST \"\" \"&bad*\""), StartsWith("T OK"));
  house.restart();
  Client again = house.signed_in();
  const std::string all = again.run("LIST \"\" \"*\"");
  for (const std::string name : names) {
    EXPECT_THAT(all, HasSubstr(name + "2/child")) << "children move along";
    EXPECT_THAT(again.run("SELECT \"" + name + "2/child\""), HasSubstr("T OK")) << name;
    EXPECT_THAT(again.run("SELECT \"" + name + "\""), HasSubstr("T NO [NONEXISTENT]")) << name;
  }
}

TEST_F(Folders, AnswerWithCodes) {
  EXPECT_THAT(client.run("CREATE Work"), HasSubstr("T OK"));
  EXPECT_THAT(client.run("CREATE work/"), HasSubstr("T OK")) << "names of another case are other names";
  EXPECT_THAT(client.run("CREATE Work"), HasSubstr("T NO [ALREADYEXISTS]"));
  EXPECT_THAT(client.run("CREATE inbox"), HasSubstr("T NO [ALREADYEXISTS]"));
  EXPECT_THAT(client.run("RENAME Work Sent"), HasSubstr("T NO [ALREADYEXISTS]"));
  EXPECT_THAT(client.run("RENAME Nowhere There"), HasSubstr("T NO [NONEXISTENT]"));
  EXPECT_THAT(client.run("DELETE Nowhere"), HasSubstr("T NO [NONEXISTENT]"));
  EXPECT_THAT(client.run("DELETE INBOX"), HasSubstr("T NO [CANNOT]"));
  EXPECT_THAT(client.run("STATUS Nowhere (MESSAGES)"), HasSubstr("T NO [NONEXISTENT]"));
}

TEST_F(Folders, ListFollowsPatterns) {
  client.run("CREATE a/b/c");
  EXPECT_EQ(client.run("LIST \"\" a/%"), "* LIST (\\HasChildren) \"/\" a/b\r\nT OK List completed.\r\n");
  EXPECT_EQ(
      client.run("LIST a/ b*"),
      "* LIST (\\HasChildren) \"/\" a/b\r\n* LIST (\\HasNoChildren) \"/\" a/b/c\r\nT OK List completed.\r\n");
  EXPECT_THAT(client.run("LIST \"\" %"),
              AllOf(HasSubstr(" a\r\n"), HasSubstr(" INBOX\r\n"), Not(HasSubstr("a/b"))));
  // Bug class 21: forty wildcards.
  std::string wild;
  for (int i = 0; i < 40; ++i) wild += "*a";
  EXPECT_THAT(client.run("LIST \"\" \"" + wild + "*\""), StartsWith("T OK"));
}

TEST_F(Folders, ListExtendedAndListStatus) {
  client.run("CREATE a/b");
  client.run("SUBSCRIBE a/b");
  client.run("SUBSCRIBE gone");
  client.append("Sent", message("x"));
  EXPECT_THAT(client.run("LIST (SUBSCRIBED) \"\" (a/* gone)"),
              AllOf(HasSubstr("(\\HasNoChildren \\Subscribed) \"/\" a/b"),
                    HasSubstr("(\\NonExistent \\Subscribed) \"/\" gone")));
  EXPECT_THAT(client.run("LIST (SUBSCRIBED RECURSIVEMATCH) \"\" %"),
              HasSubstr("* LIST (\\HasChildren) \"/\" a (\"CHILDINFO\" (\"SUBSCRIBED\"))"));
  EXPECT_THAT(client.run("LIST (SPECIAL-USE) \"\" *"), AllOf(HasSubstr("\\Sent"), Not(HasSubstr("INBOX"))));
  EXPECT_THAT(client.run("LIST \"\" Sent RETURN (CHILDREN SPECIAL-USE STATUS (MESSAGES SIZE))"),
              HasSubstr("* STATUS Sent (MESSAGES 1 SIZE " + std::to_string(message("x").size()) + ")"));
  EXPECT_THAT(client.run("LIST \"\" * RETURN (SUBSCRIBED)"), HasSubstr("\\Subscribed"));
  EXPECT_THAT(client.run("LIST (RECURSIVEMATCH) \"\" *"), HasSubstr("T BAD"));
  EXPECT_THAT(client.run("LIST (FOO) \"\" *"), HasSubstr("T BAD"));
}

TEST_F(Folders, SubscriptionsOutliveTheirFolders) {
  client.run("CREATE a/b");
  client.run("SUBSCRIBE a/b");
  EXPECT_THAT(client.run("LSUB \"\" %"), HasSubstr("* LSUB (\\Noselect) \"/\" a\r\n"));
  client.run("DELETE a/b");
  EXPECT_THAT(client.run("LSUB \"\" *"), HasSubstr("\"/\" a/b\r\n"));
  client.run("UNSUBSCRIBE a/b");
  EXPECT_THAT(client.run("LSUB \"\" *"), Not(HasSubstr("a/b")));
}

TEST_F(Folders, AreCreatedForAUse) {
  EXPECT_THAT(client.run("CREATE Bin (USE (\\trash))"), HasSubstr("T "));
  EXPECT_THAT(client.run("CREATE X (USE (\\Foo))"), HasSubstr("T NO [USEATTR]"));
  EXPECT_THAT(client.run("CREATE X (USE \\Sent)"), HasSubstr("T BAD"));
}

TEST_F(Folders, DeletedWithChildrenStayAsNames) {
  client.run("CREATE a/b");
  EXPECT_THAT(client.run("DELETE a"), HasSubstr("T OK"));
  EXPECT_THAT(client.run("LIST \"\" a"), HasSubstr("(\\Noselect \\HasChildren) \"/\" a"));
  EXPECT_THAT(client.run("SELECT a"), HasSubstr("T NO"));
  EXPECT_THAT(client.append("a", message("x")), HasSubstr("T NO"));
}

TEST_F(Folders, SelectSaysAllThatClientsNeed) {
  client.append("INBOX", message("a"), "(\\Seen k1) ");
  client.append("INBOX", message("b"));
  const std::string got = client.run("SELECT inbox (CONDSTORE)");
  EXPECT_THAT(got, AllOf(HasSubstr("* 2 EXISTS"), HasSubstr("RECENT"), HasSubstr("* OK [UNSEEN 2]"),
                         HasSubstr("* OK [UIDVALIDITY "), HasSubstr("* OK [UIDNEXT 3]"),
                         HasSubstr("* OK [HIGHESTMODSEQ "), HasSubstr("T OK [READ-WRITE]")));
  EXPECT_THAT(got,
              AllOf(HasSubstr("* FLAGS (\\Answered \\Flagged \\Deleted \\Seen \\Draft k1)"),
                    HasSubstr("[PERMANENTFLAGS (\\Answered \\Flagged \\Deleted \\Seen \\Draft k1 \\*)]")));
  EXPECT_THAT(client.run("SELECT Nowhere"), AllOf(HasSubstr("[CLOSED]"), HasSubstr("T NO [NONEXISTENT]")));
  EXPECT_THAT(client.run("FETCH 1 FLAGS"), HasSubstr("T BAD")) << "a failed SELECT leaves none selected";
}

TEST_F(Folders, MadeAgainHaveAHigherUidvalidity) {
  // Bug class 22: the wrong mails were deleted when UIDs meant others than before.
  const auto uidvalidity = [&] {
    const std::string got = client.run("STATUS x (UIDVALIDITY)");
    return std::stoul(got.substr(got.find("UIDVALIDITY ") + 12));
  };
  client.run("CREATE x");
  const auto before = uidvalidity();
  client.run("DELETE x");
  client.run("CREATE x");
  EXPECT_GT(uidvalidity(), before);
}

TEST_F(Folders, InboxIsRenamedByMovingItsMail) {
  client.append("INBOX", message("x"));
  EXPECT_THAT(client.run("RENAME INBOX Old"), HasSubstr("T OK"));
  EXPECT_THAT(client.run("STATUS INBOX (MESSAGES)"), HasSubstr("MESSAGES 0"));
  EXPECT_THAT(client.run("STATUS Old (MESSAGES)"), HasSubstr("MESSAGES 1"));
}

TEST_F(Folders, DeletingTheSelectedOneUnselectsIt) {
  client.run("CREATE x");
  client.run("SELECT x");
  EXPECT_THAT(client.run("DELETE x"), StartsWith("T OK"));
  EXPECT_THAT(client.run("CHECK"), HasSubstr("T BAD"));
}

}  // namespace
}  // namespace muhur::imap::test
