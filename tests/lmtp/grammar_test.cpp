#include "lmtp/grammar.hpp"

#include <gtest/gtest.h>

namespace muhur::lmtp {
namespace {

TEST(LmtpGrammarTest, KnowsItsVerbsInAnyCase) {
  EXPECT_EQ(parse_command("LHLO x").verb, Verb::lhlo);
  EXPECT_EQ(parse_command("rcpt TO:<a@b>").verb, Verb::rcpt);
  EXPECT_EQ(parse_command("rcpt TO:<a@b>  ").rest, "TO:<a@b>");
  EXPECT_EQ(parse_command("EHLO x").verb, Verb::helo);
  EXPECT_EQ(parse_command("NOOP").verb, Verb::noop);
  for (const char* wrong : {"", " ", "MAILFROM:<a@b>", "DATAX", " DATA", "GET / HTTP/1.1"})
    EXPECT_EQ(parse_command(wrong).verb, Verb::unknown) << wrong;
}

TEST(LmtpGrammarTest, ReadsSenders) {
  EXPECT_EQ(parse_mail("FROM:<>")->sender, "");
  EXPECT_EQ(parse_mail("from:<a@example.org>")->sender, "a@example.org");
  EXPECT_EQ(parse_mail("FROM: <a@example.org>")->sender, "a@example.org");
  EXPECT_EQ(parse_mail("FROM:<@relay.example,@b.example:a@example.org>")->sender, "a@example.org");
  EXPECT_EQ(parse_mail("FROM:<bounce+x=y/z!#$%&'*?^_`{|}~@a-b.example>")->sender,
            "bounce+x=y/z!#$%&'*?^_`{|}~@a-b.example");
  EXPECT_EQ(parse_mail("FROM:<a@[192.0.2.1]>")->sender, "a@[192.0.2.1]");
  EXPECT_EQ(parse_mail("FROM:<a@[IPv6:2001:db8::1]>")->sender, "a@[IPv6:2001:db8::1]");
  EXPECT_EQ(parse_mail("FROM:<a..b.@example.org>")->sender,
            "a..b.@example.org");  // real, though against the grammar
  EXPECT_EQ(parse_mail("FROM:<\"plain\"@example.org>")->sender, "plain@example.org");
  EXPECT_EQ(parse_mail("FROM:<\"a b\\\"c\"@example.org>")->sender, "\"a b\\\"c\"@example.org");
}

TEST(LmtpGrammarTest, ReadsParameters) {
  const auto mail = parse_mail("FROM:<a@b.example> SIZE=1234 BODY=8BITMIME SMTPUTF8").value();
  EXPECT_EQ(mail.size, 1234u);
  EXPECT_TRUE(mail.utf8);
  EXPECT_FALSE(parse_mail("FROM:<a@b.example>")->size);
  EXPECT_EQ(parse_mail("FROM:<a@b> BODY=BINARYMIME").error().code, Code::unsupported);
  EXPECT_EQ(parse_mail("FROM:<a@b> RET=HDRS").error().code, Code::unsupported);
  for (const char* wrong :
       {"SIZE=", "SIZE=-1", "SIZE=1x", "SIZE=99999999999999999999", "SIZE=1 SIZE=2", "BODY=7BIT BODY=7BIT"})
    EXPECT_EQ(parse_mail(std::string("FROM:<a@b> ") + wrong).error().code, Code::invalid) << wrong;
}

TEST(LmtpGrammarTest, RefusesMalformedPaths) {
  const std::string long_local(kMaxPath, 'x'), long_domain(kMaxDomain + 1, 'd');
  for (const std::string& wrong :
       {std::string("FROM:"),          std::string("FROM:a@b"),          std::string("FROM:<a@b"),
        std::string("FROM:<a>"),       std::string("FROM:<@b>"),         std::string("FROM:<a@>"),
        std::string("FROM:<a@b..c>"),  std::string("FROM:<a@.b>"),       std::string("FROM:<a@b.>"),
        std::string("FROM:<a b@c>"),   std::string("FROM:<a@b>x"),       std::string("FROM:<a@b c>"),
        std::string("FROM:<\"a@b>"),   std::string("FROM:<\"\"@b>"),     std::string("FROM:<\"a\\"),
        std::string("FROM:<a@[]>"),    std::string("FROM:<a@[x>"),       std::string("TO:<a@b>"),
        std::string("FROM:<a\x01@b>"), std::string("FROM:<\"a\tb\"@c>"), std::string("FROM:<@relay a@b>"),
        "FROM:<" + long_local + "@b>", "FROM:<a@" + long_domain + ">",   std::string("FROM:<a\0b@c>", 12)})
    EXPECT_EQ(parse_mail(wrong).error().code, Code::invalid) << wrong;
}

TEST(LmtpGrammarTest, ReadsRecipients) {
  EXPECT_EQ(parse_rcpt("TO:<a+tag@example.org>", false).value(), "a+tag@example.org");
  EXPECT_EQ(parse_rcpt("TO:<Postmaster>", false).value(), "Postmaster");
  EXPECT_FALSE(parse_rcpt("TO:<>", false));
  EXPECT_EQ(parse_rcpt("TO:<a@b> NOTIFY=NEVER", false).error().code, Code::unsupported);
}

TEST(LmtpGrammarTest, TakesUtf8AddressesOnlyWhenAnnounced) {
  EXPECT_EQ(parse_mail("FROM:<björn@müller.example> SMTPUTF8")->sender, "björn@müller.example");
  EXPECT_FALSE(parse_mail("FROM:<björn@müller.example>"));
  EXPECT_EQ(parse_rcpt("TO:<björn@example.org>", true).value(), "björn@example.org");
  EXPECT_FALSE(parse_rcpt("TO:<björn@example.org>", false));
  EXPECT_FALSE(parse_rcpt("TO:<bj\xF6rn@example.org>", true));  // no UTF-8
}

TEST(LmtpGrammarTest, ChecksTheClientsName) {
  EXPECT_EQ(parse_client_name("mail.example.org").value(), "mail.example.org");
  EXPECT_EQ(parse_client_name("[127.0.0.1]").value(), "[127.0.0.1]");
  for (const char* wrong : {"", "a b", "x)(", "x\ty", "<x>"}) EXPECT_FALSE(parse_client_name(wrong)) << wrong;
}

TEST(LmtpGrammarTest, ReadsChunks) {
  EXPECT_EQ(parse_bdat("0")->size, 0u);
  EXPECT_FALSE(parse_bdat("10")->last);
  EXPECT_TRUE(parse_bdat("10 last")->last);
  for (const char* wrong : {"", "x", "-1", "10 LASTX", "10 20", "LAST", "99999999999999999999999"})
    EXPECT_FALSE(parse_bdat(wrong)) << wrong;
}

}  // namespace
}  // namespace muhur::lmtp
