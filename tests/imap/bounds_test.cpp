// Bug class 19: what a stranger may cost before login, and how refusals keep the connection in step.
#include "imap/harness.hpp"

namespace muhur::imap::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(Bounds, AMillionParenthesesBeforeLoginAreOneBadCommand) {
  House house;
  Client client = house.connect();
  client.send("a " + repeat("(", 1'000'000) + "\r\nb NOOP\r\n");
  EXPECT_THAT(client.until("b "), AllOf(HasSubstr("a BAD"), HasSubstr("b OK")));
}

TEST(Bounds, TenThousandLiteralsBeforeLoginAreOneBadCommand) {
  House house;
  Client client = house.connect();
  client.send("a LOGIN" + repeat(" {1+}\r\nx", 10'000) + "\r\nb NOOP\r\n");
  EXPECT_THAT(client.until("b "), AllOf(HasSubstr("a BAD"), HasSubstr("b OK")));
}

TEST(Bounds, IdWithAHundredThousandParametersIsRefused) {
  House house;
  Client client = house.connect();
  client.send("a ID (" + repeat("\"a\" \"b\" ", 100'000) + ")\r\nb ID (" + repeat("\"a\" NIL ", 31) +
              ")\r\nc NOOP\r\n");
  EXPECT_THAT(client.until("c "), AllOf(HasSubstr("a BAD"), HasSubstr("b BAD"), HasSubstr("c OK")));
}

TEST(Bounds, ALargeLiteralBeforeLoginIsRefusedWhoeverWaits) {
  House house;
  Client client = house.connect();
  client.send("a LOGIN {100000}\r\n");
  EXPECT_THAT(client.response(), StartsWith("a BAD"));
  client.send("b LOGIN {100000+}\r\n" + repeat("c NOOP\r\n", 12'500) + " x\r\nd NOOP\r\n");
  EXPECT_THAT(client.until("d "), AllOf(HasSubstr("b BAD"), Not(HasSubstr("c OK")), HasSubstr("d OK")));
}

TEST(Bounds, NobodyMaySpeakNonsenseForever) {
  House house;
  Client client = house.connect();
  for (int i = 0; i < 9; ++i) client.send("a FOO\r\n");
  EXPECT_THAT(client.until("* BYE"), HasSubstr("a BAD"));
  Client absurd = house.connect();
  absurd.send("a LOGIN {9999999999999999999999+}\r\n");
  EXPECT_THAT(absurd.until("* BYE"), HasSubstr("* BYE"));
}

TEST(Bounds, MalformedCommandsGetBadAndTheConnectionLives) {
  House house;
  Client client = house.selected();
  for (const char* command : {"",
                              "FOO",
                              "FETCH",
                              "FETCH 1",
                              "FETCH 0 FLAGS",
                              "FETCH 1 (FLAGS",
                              "STORE 1 FLAGS",
                              "SEARCH",
                              "SEARCH (",
                              "UID",
                              "UID FOO",
                              "UID NOOP",
                              "COPY 1",
                              "APPEND INBOX x",
                              "LIST \"\"",
                              "STATUS INBOX (FOO)",
                              "SELECT",
                              "CREATE",
                              "RENAME a",
                              "SEARCH NOT",
                              "SEARCH OR ALL",
                              "SEARCH SINCE tomorrow",
                              "CHECK now",
                              "IDLE now"})
    EXPECT_THAT(client.run(command), HasSubstr("T BAD")) << command;
  EXPECT_THAT(client.run("NOOP"), HasSubstr("T OK"));
  client.send("\x01\x02\xff\r\n* NOOP\r\n) x\r\nlast NOOP\r\n");
  EXPECT_THAT(client.until("last "), HasSubstr("* BAD"));
}

TEST(Bounds, SearchNestsOnlySoDeep) {
  House house;
  Client client = house.selected();
  EXPECT_THAT(client.run("SEARCH " + repeat("NOT ", 15'000) + "ALL"), HasSubstr("T BAD"));
  EXPECT_THAT(client.run("SEARCH " + repeat("(", 30'000) + "ALL" + repeat(")", 30'000)), HasSubstr("T BAD"));
  EXPECT_THAT(client.run("SEARCH " + repeat("OR FROM a ", 100) + "ALL"), HasSubstr("T OK"));
}

TEST(Bounds, AnOversizeMessageIsSwallowedOrNotAskedFor) {
  ServerOptions options;
  options.max_append = 1000;
  House house(options);
  Client client = house.signed_in();
  EXPECT_THAT(client.run("CAPABILITY"), HasSubstr("APPENDLIMIT=1000"));
  EXPECT_THAT(client.run("STATUS INBOX (APPENDLIMIT)"), HasSubstr("APPENDLIMIT 1000"));
  EXPECT_THAT(client.append("INBOX", message("big", repeat("b NOOP\r\n", 1'000))),
              AllOf(HasSubstr("T NO [TOOBIG]"), Not(HasSubstr("b OK"))));
  client.send("x APPEND INBOX {1001}\r\n");
  EXPECT_THAT(client.response(), StartsWith("x NO [TOOBIG]"));
  EXPECT_THAT(client.append("INBOX", message("small")), HasSubstr("T OK"));
}

TEST(Bounds, ABareLineBreakBeforeACommandIsIgnored) {
  // Bug class 2: iOS sends "\r\nL67 UID MOVE …".
  House house;
  Client client = house.selected();
  client.send("\r\n\r\nL67 NOOP\r\n");
  EXPECT_EQ(client.response().substr(0, 6), "L67 OK");
}

}  // namespace
}  // namespace muhur::imap::test
