#include <fstream>
#include <iterator>

#include "imap/harness.hpp"

namespace muhur::imap::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::string with_crlf(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n' && (i == 0 || text[i - 1] != '\r')) out.push_back('\r');
    out.push_back(text[i]);
  }
  return out;
}

std::string with_lf(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (!(text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n')) out.push_back(text[i]);
  return out;
}

// Mails of every shape that this suite knows: line ends, 8 bits, no header, no body, parts.
std::vector<std::string> odd_mails() {
  return {
      message("plain"),
      message("caf\xc3\xa9", "\xff\xfe 8-bit \xe9\r\n"),
      "no header at all\r\n",
      "Subject: no body",
      "Subject: empty body\r\n\r\n",
      "\r\nonly a body\r\n",
      "Subject: x\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\npre\r\n--b\r\n\r\none\r\n--b--\r\npost",
      message("long", std::string(300'000, 'x') + "\r\n"),
      message("dots", ".\r\n..\r\n.\r\n"),
  };
}

TEST(Append, KeepsEveryOctetWhateverTheLineEnds) {
  // Bug class 5: RFC822.SIZE == octets of BODY[] == sum of the parts fetched, before and after a restart.
  House house;
  std::vector<std::string> expected;
  {
    Client client = house.signed_in();
    for (const auto& mail : odd_mails())
      for (const auto& form : {mail, with_lf(mail)}) {
        ASSERT_THAT(client.append("INBOX", form), HasSubstr("T OK [APPENDUID "));
        expected.push_back(with_crlf(form));
      }
  }
  for (int round = 0; round < 2; ++round) {
    Client client = house.selected();
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const std::string number = std::to_string(i + 1);
      const std::string whole = client.run("FETCH " + number + " (RFC822.SIZE BODY.PEEK[])");
      EXPECT_THAT(whole, HasSubstr("RFC822.SIZE " + std::to_string(expected[i].size()) + " "));
      EXPECT_EQ(literal_of(whole), expected[i]);
      std::string sum;
      const std::size_t step = expected[i].size() / 3 + 1;
      for (std::size_t at = 0; at < expected[i].size(); at += step)
        sum += literal_of(client.run("FETCH " + number + " BODY.PEEK[]<" + std::to_string(at) + "." +
                                     std::to_string(step) + ">"));
      EXPECT_EQ(sum, expected[i]);
      EXPECT_EQ(literal_of(client.run("FETCH " + number + " BODY.PEEK[HEADER]")) +
                    literal_of(client.run("FETCH " + number + " BODY.PEEK[TEXT]")),
                expected[i]);
    }
    house.restart();
  }
}

TEST(Append, KeepsEightBitHeadersExactly) {
  // Bug class 8: raw octets come back as they were, from BODY[HEADER].
  House house;
  Client client = house.signed_in();
  client.append("INBOX", message("caf\xc3\xa9 \xe9"));
  client.run("SELECT INBOX");
  EXPECT_THAT(literal_of(client.run("FETCH 1 BODY.PEEK[HEADER.FIELDS (SUBJECT)]")),
              "Subject: caf\xc3\xa9 \xe9\r\n\r\n");
  for (const char c : client.run("FETCH 1 (ENVELOPE BODYSTRUCTURE)"))
    ASSERT_LT(static_cast<unsigned char>(c), 0x80);
}

TEST(Append, AsksForALiteralThatWaits) {
  House house;
  Client client = house.signed_in();
  const std::string mail = message("waits");
  client.send("a APPEND INBOX {" + std::to_string(mail.size()) + "}\r\n");
  EXPECT_THAT(client.response(), StartsWith("+ "));
  client.send(mail + "\r\n");
  EXPECT_THAT(client.until("a "), HasSubstr("a OK [APPENDUID "));
}

TEST(Append, KeepsFlagsAndDateWithItsZone) {
  House house;
  Client client = house.signed_in();
  const std::string reply =
      client.append("INBOX", message("x"), "(\\Seen $Work \\Recent) \" 1-Feb-2024 10:11:12 +0545\" ");
  EXPECT_THAT(reply, HasSubstr("T OK [APPENDUID "));
  client.run("SELECT INBOX");
  const std::string got = client.run("FETCH 1 (FLAGS INTERNALDATE)");
  EXPECT_THAT(got,
              AllOf(HasSubstr("\\Seen"), HasSubstr("$Work"), HasSubstr("\" 1-Feb-2024 10:11:12 +0545\"")));
}

TEST(Append, RefusesAnImpossibleDate) {
  // Bug class 31: 31 June was stored as something else.
  House house;
  Client client = house.signed_in();
  EXPECT_THAT(client.append("INBOX", message("x"), "\"31-Jun-2024 00:00:00 +0000\" "), HasSubstr("T BAD"));
  EXPECT_THAT(client.append("INBOX", message("x"), "(\\Foo) "), HasSubstr("T BAD"));
  EXPECT_THAT(client.append("INBOX", ""), HasSubstr("T NO"));
  EXPECT_THAT(client.run("STATUS INBOX (MESSAGES)"), HasSubstr("MESSAGES 0"));
}

TEST(Append, SaysTrycreateForAFolderThatIsNotThere) {
  House house;
  Client client = house.selected();
  EXPECT_THAT(client.append("Nowhere", message("x")), HasSubstr("T NO [TRYCREATE]"));
  client.append("INBOX", message("x"));
  EXPECT_THAT(client.run("COPY 1 Nowhere"), HasSubstr("T NO [TRYCREATE]"));
  EXPECT_THAT(client.run("MOVE 1 Nowhere"), HasSubstr("T NO [TRYCREATE]"));
}

TEST(Append, ToTheSelectedFolderIsAnnounced) {
  House house;
  Client client = house.selected();
  EXPECT_THAT(client.append("INBOX", message("x")), AllOf(HasSubstr("* 1 EXISTS"), HasSubstr("T OK")));
}

TEST(Append, StopsAtTheQuota) {
  House house;
  auto& users = house.office().users();
  must(users.set_quota(must(users.by_address(kAlice)).id, 2'000));
  Client client = house.signed_in();
  EXPECT_THAT(client.append("INBOX", message("x", std::string(1'200, 'x'))), HasSubstr("T OK"));
  EXPECT_THAT(client.append("INBOX", message("x", std::string(1'200, 'x'))), HasSubstr("T NO [OVERQUOTA]"));
  client.run("SELECT INBOX");
  EXPECT_THAT(client.run("COPY 1 Sent"), HasSubstr("T NO [OVERQUOTA]"));
  EXPECT_THAT(client.run("MOVE 1 Sent"), HasSubstr("T OK")) << "moving needs no room";
  EXPECT_THAT(client.run("GETQUOTAROOT INBOX"),
              AllOf(HasSubstr("* QUOTAROOT INBOX \"\""), HasSubstr("* QUOTA \"\" (STORAGE 2 1)")));
  EXPECT_THAT(client.run("GETQUOTA x"), HasSubstr("T NO"));
  EXPECT_THAT(client.run("SETQUOTA \"\" (STORAGE 9)"), HasSubstr("T NO"));
}

TEST(Append, OfHostileMailIsKeptAndDescribed) {
  // Bug class 20: 10,000 levels, 100,000 parameters, 100,000 header lines.
  House house;
  Client client = house.signed_in();
  std::string deep, parameters = "Content-Type: text/plain", headers;
  for (int i = 0; i < 10'000; ++i)
    deep += "Content-Type: multipart/mixed; boundary=b" + std::to_string(i) + "\r\n\r\n--b" +
            std::to_string(i) + "\r\n";
  for (int i = 0; i < 100'000; ++i) {
    parameters += ";\r\n a*" + std::to_string(i) + "=b";
    headers += "X-" + std::to_string(i) + ": y\r\n";
  }
  std::vector<std::string> mails = {deep, parameters + "\r\n\r\nx\r\n", headers + "\r\nx\r\n"};
  for (const auto& mail : mails) ASSERT_THAT(client.append("INBOX", mail), HasSubstr("T OK"));
  client.run("SELECT INBOX");
  EXPECT_THAT(client.run("FETCH 1:3 (ENVELOPE BODYSTRUCTURE BODY.PEEK[HEADER.FIELDS (SUBJECT X-9)])"),
              HasSubstr("T OK"));
  for (std::size_t i = 0; i < mails.size(); ++i)
    EXPECT_EQ(literal_of(client.run("FETCH " + std::to_string(i + 1) + " BODY.PEEK[]")), mails[i]);
}

}  // namespace
}  // namespace muhur::imap::test
