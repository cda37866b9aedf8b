#include "imap/harness.hpp"

namespace muhur::imap::test {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class Search : public ::testing::Test {
 protected:
  Search() {
    client.append("INBOX", message("gone"));
    client.append("INBOX", message("first", "A zebrafinch sings.\r\n"),
                  "(\\Seen) \"01-Feb-2024 00:00:00 +0000\" ");
    client.append("INBOX",
                  "From: =?utf-8?q?J=C3=B6rg?= <j@example.net>\r\nSubject: =?utf-8?b?R8O8bmF5ZMSxbg==?=\r\n"
                  "Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n\r\n"
                  "aGlkZGVuIHdvcmRz\r\n",
                  "(\\Flagged $Work) \"02-Feb-2024 00:00:00 +0000\" ");
    client.append("INBOX", message("third", std::string(5'000, 'x')), "\"03-Feb-2024 00:00:00 +0000\" ");
    client.run("SELECT INBOX");
    client.run("STORE 1 +FLAGS.SILENT (\\Deleted)");
    client.run("EXPUNGE");  // numbers 1:3 are UIDs 2:4 now
  }
  // What is behind "* SEARCH", or the whole answer when it is none.
  std::string found(std::string_view keys, std::string_view uid = "") {
    const std::string got = client.run(std::string(uid) + "SEARCH " + std::string(keys));
    if (!got.starts_with("* SEARCH")) return got;
    return got.substr(8, got.find("\r\n") - 8);
  }
  House house;
  Client client = house.signed_in();
};

TEST_F(Search, WithoutHitsStillAnswers) {
  // Bug class 10.
  EXPECT_EQ(client.run("SEARCH SUBJECT nothing"), "* SEARCH\r\nT OK Search completed.\r\n");
}

TEST_F(Search, TellsNumbersFromUids) {
  // Bug class 10: a bare set means message numbers, in UID SEARCH too.
  EXPECT_EQ(found("2:3"), " 2 3");
  EXPECT_EQ(found("2:3", "UID "), " 3 4");
  EXPECT_EQ(found("UID 2:3"), " 1 2");
  EXPECT_EQ(found("UID 2:3", "UID "), " 2 3");
  EXPECT_EQ(found("*", "UID "), " 4");
  // Bug class 9: beyond the end.
  EXPECT_EQ(found("UID 99:*", "UID "), " 4");
  EXPECT_THAT(found("9"), StartsWith("T BAD"));
}

TEST_F(Search, HasTheWholeGrammar) {
  for (const auto& [keys, hits] : std::initializer_list<std::pair<const char*, const char*>>{
           {"ALL", " 1 2 3"},
           {"SEEN", " 1"},
           {"UNSEEN", " 2 3"},
           {"FLAGGED", " 2"},
           {"UNFLAGGED UNDELETED UNANSWERED UNDRAFT", " 1 3"},
           {"KEYWORD $work", " 2"},
           {"UNKEYWORD $Work", " 1 3"},
           {"SINCE 2-Feb-2024", " 2 3"},
           {"BEFORE 2-Feb-2024", " 1"},
           {"ON \"2-Feb-2024\"", " 2"},
           {"SENTON 30-Nov-2026", " 1 3"},
           {"SENTBEFORE 1-Jan-2026", ""},
           {"SENTSINCE 1-Jan-2026", " 1 3"},
           {"LARGER 4000", " 3"},
           {"SMALLER 4000", " 1 2"},
           {"FROM ada", " 1 3"},
           {"TO ALICE", " 1 3"},
           {"CC x", ""},
           {"BCC x", ""},
           {"HEADER message-id 1@", " 1 3"},
           {"HEADER Message-ID \"\"", " 1 3"},
           {"NOT FROM ada", " 2"},
           {"OR SUBJECT first SUBJECT third", " 1 3"},
           {"(FROM ada SUBJECT third)", " 3"},
           {"NOT (OR SEEN FLAGGED)", " 3"},
           {"NOT 1:2", " 3"},
           {"TEXT zebra", " 1"},
           {"OLD", " 1 2 3"},
           {"MODSEQ 99999999", ""},
       })
    EXPECT_EQ(found(keys), hits) << keys;
}

TEST_F(Search, FindsWithinWordsAndDecodesFirst) {
  // Bug class 11: iOS relies on substrings; encoded text is searched decoded.
  EXPECT_EQ(found("BODY \"brafinch\""), " 1");
  EXPECT_EQ(found("BODY \"dden wor\""), " 2");
  EXPECT_EQ(found("CHARSET UTF-8 SUBJECT {10+}\r\ng\xc3\xbcnayd\xc4\xb1n"), " 2");
  EXPECT_EQ(found("CHARSET iso-8859-1 FROM {4+}\r\nj\xf6rg"), " 2");
}

TEST_F(Search, RefusesACharsetItDoesNotKnow) {
  // Bug class 10.
  EXPECT_THAT(client.run("SEARCH CHARSET x-none ALL"), StartsWith("T NO [BADCHARSET (US-ASCII UTF-8)]"));
}

TEST_F(Search, ReturnsMinMaxCountAndAll) {
  client.send("e UID SEARCH RETURN (MIN MAX COUNT ALL) ALL\r\n");
  EXPECT_EQ(client.response(), "* ESEARCH (TAG \"e\") UID MIN 2 MAX 4 COUNT 3 ALL 2:4\r\n");
  client.until("e ");
  client.send("f SEARCH RETURN () SUBJECT none\r\n");
  EXPECT_EQ(client.response(), "* ESEARCH (TAG \"f\")\r\n");
  client.until("f ");
  EXPECT_THAT(client.run("SEARCH RETURN (SAVE) ALL"), HasSubstr("T BAD"));
}

TEST_F(Search, SaysTheHighestModseqWhenAskedForModseqs) {
  EXPECT_THAT(client.run("SEARCH MODSEQ 1"),
              ::testing::ContainsRegex("^\\* SEARCH 1 2 3 \\(MODSEQ [0-9]+\\)"));
}

}  // namespace
}  // namespace muhur::imap::test
