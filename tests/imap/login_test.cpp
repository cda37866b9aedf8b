#include "base/encoding.hpp"
#include "imap/harness.hpp"
#include "net/tls_files.hpp"

namespace muhur::imap::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

const WireOptions kFarAway{.peer = {"192.0.2.7", 4711, false}};

std::string plain(std::string_view user, std::string_view password, std::string_view acts_as = {}) {
  std::string text(acts_as);
  text.append(1, '\0').append(user).append(1, '\0').append(password);
  return to_base64(as_bytes(text));
}

TEST(Login, GreetsWithCapabilities) {
  House house;
  Client client = house.connect();
  EXPECT_THAT(client.run("CAPABILITY"),
              AllOf(HasSubstr("IMAP4rev1"), HasSubstr("AUTH=PLAIN"), HasSubstr("SASL-IR"),
                    HasSubstr("LITERAL+"), HasSubstr("IDLE"), Not(HasSubstr("STARTTLS"))));
}

TEST(Login, TakesNameAndPasswordAsAnyString) {
  House house;
  Client client = house.connect();
  client.send("x LOGIN {17}\r\n");
  EXPECT_THAT(client.response(), StartsWith("+ "));
  client.send("alice@example.org {13+}\r\ncorrect horse\r\n");
  EXPECT_THAT(client.until("x "), HasSubstr("x OK [CAPABILITY "));
  EXPECT_THAT(client.run("CAPABILITY"), Not(HasSubstr("AUTH=PLAIN")));
  EXPECT_THAT(client.login(), HasSubstr("T BAD"));
}

TEST(Login, RefusesAllWrongCredentialsAlike) {
  House house;
  Client client = house.connect();
  const std::string wrong = client.login(kAlice, "wrong");
  EXPECT_EQ(wrong, "T NO [AUTHENTICATIONFAILED] Authentication failed.\r\n");
  EXPECT_EQ(client.login("nobody@example.org", kPassword), wrong);
  EXPECT_EQ(client.login("nobody@elsewhere.example", kPassword), wrong);
  EXPECT_THAT(client.run("SELECT INBOX"), HasSubstr("T BAD"));
}

TEST(Login, EndsAfterManyFailures) {
  House house;
  Client client = house.connect();
  std::string last;
  for (int i = 0; i < 5; ++i) last = client.login("nobody" + std::to_string(i) + "@example.org", "wrong");
  EXPECT_THAT(client.until("* BYE"), HasSubstr("* BYE"));
  EXPECT_TRUE(client.wire().at_end());
}

TEST(Login, AuthenticatesPlainAtOnceAndInTwoSteps) {
  House house;
  Client at_once = house.connect();
  EXPECT_THAT(at_once.run("AUTHENTICATE PLAIN " + plain(kAlice, kPassword)), HasSubstr("T OK"));

  // Bug class 12: every continuation is "+ " with the space, also with nothing behind it.
  Client in_two = house.connect();
  in_two.send("x authenticate plain\r\n");
  EXPECT_EQ(in_two.response(), "+ \r\n");
  in_two.send(plain(kAlice, kPassword, kAlice) + "\r\n");
  EXPECT_THAT(in_two.until("x "), HasSubstr("x OK"));
}

TEST(Login, RefusesWhatIsNoPlainMessage) {
  House house;
  Client client = house.connect();
  EXPECT_THAT(client.run("AUTHENTICATE PLAIN !!!"), HasSubstr("T BAD"));
  EXPECT_THAT(client.run("AUTHENTICATE PLAIN ="), HasSubstr("T BAD"));
  EXPECT_THAT(client.run("AUTHENTICATE FOO"), HasSubstr("T NO"));
  EXPECT_THAT(client.run("AUTHENTICATE PLAIN " + plain(kAlice, kPassword, "bob@example.org")),
              HasSubstr("T NO [AUTHORIZATIONFAILED]"));
  client.send("x AUTHENTICATE PLAIN\r\n*\r\ny NOOP\r\n");
  EXPECT_EQ(client.response(), "+ \r\n");
  EXPECT_THAT(client.until("y "), AllOf(HasSubstr("x BAD"), HasSubstr("y OK")));
}

TEST(Login, IsOffInTheClearFromFarAway) {
  House house;
  Client client = house.connect(kFarAway);
  EXPECT_THAT(client.run("CAPABILITY"), AllOf(HasSubstr("LOGINDISABLED"), Not(HasSubstr("AUTH="))));
  EXPECT_THAT(client.login(), HasSubstr("T NO [PRIVACYREQUIRED]"));
  EXPECT_THAT(client.run("AUTHENTICATE PLAIN " + plain(kAlice, kPassword)),
              HasSubstr("T NO [PRIVACYREQUIRED]"));
  auto secure = kFarAway;
  secure.secure = true;
  EXPECT_THAT(house.connect(secure).login(), HasSubstr("T OK"));
}

TEST(Login, DropsWhatWasSlippedInBehindStarttls) {
  // Bug class 25: commands buffered in the clear were run after the handshake.
  const net::TlsFiles files;
  const auto tls = must(net::TlsContext::from_files(files.certificate(), files.key()));
  ServerOptions options;
  options.tls = tls.get();
  House house(options);
  Client client = house.connect(kFarAway);
  EXPECT_THAT(client.run("CAPABILITY"), HasSubstr("STARTTLS"));
  client.send("x STARTTLS\r\ny CAPABILITY\r\nz NOOP\r\n");
  EXPECT_THAT(client.response(), StartsWith("x OK"));
  const std::string after = client.run("CAPABILITY");
  EXPECT_THAT(after, AllOf(Not(HasSubstr("y OK")), Not(HasSubstr("z OK")), Not(HasSubstr("STARTTLS")),
                           HasSubstr("AUTH=PLAIN")));
  EXPECT_THAT(client.run("STARTTLS"), HasSubstr("T BAD"));
  EXPECT_THAT(client.login(), HasSubstr("T OK"));
}

TEST(Login, HasToComeInTime) {
  ServerOptions options;
  options.login_timeout = Millis(50);
  House house(options);
  Client client = house.connect();
  EXPECT_THAT(client.until("* BYE"), HasSubstr("* BYE"));
  EXPECT_TRUE(client.wire().at_end());
}

TEST(Login, OfManyAtOnceForTheFirstTimeSucceeds) {
  // Bug class 30: ten first logins at once raced to create keys and folders.
  House house;
  std::vector<Client> clients;
  for (int i = 0; i < 10; ++i) clients.push_back(house.connect());
  for (auto& client : clients)
    client.send("a LOGIN alice@example.org \"correct horse\"\r\nb SELECT Sent\r\n");
  for (auto& client : clients) EXPECT_THAT(client.until("b "), AllOf(HasSubstr("a OK"), HasSubstr("b OK")));
}

TEST(Login, EndsWhenTheAccountIsDisabled) {
  House house;
  Client client = house.signed_in();
  must(house.office().set_disabled(must(house.office().users().by_address(kAlice)).id, true));
  EXPECT_THAT(client.until("* BYE"), HasSubstr("* BYE"));
  EXPECT_THAT(house.connect().login(), HasSubstr("T NO [AUTHENTICATIONFAILED]"));
}

TEST(Login, OfTwoUsersNeverCrosses) {
  House house;
  Client alice = house.signed_in();
  Client bob = house.connect();
  ASSERT_THAT(bob.login("bob@example.org", kPassword), HasSubstr("T OK"));
  alice.append("INBOX", message("for alice"));
  EXPECT_THAT(bob.run("STATUS INBOX (MESSAGES)"), HasSubstr("(MESSAGES 0)"));
  EXPECT_THAT(alice.run("STATUS INBOX (MESSAGES)"), HasSubstr("(MESSAGES 1)"));
}

TEST(Session, SaysGoodbye) {
  House house;
  Client client = house.signed_in();
  EXPECT_THAT(client.run("LOGOUT"), AllOf(StartsWith("* BYE"), HasSubstr("T OK")));
  EXPECT_TRUE(client.wire().at_end());
}

TEST(Session, IsToldOfShutdown) {
  House house;
  Client resting = house.signed_in();
  Client idling = house.selected();
  idling.send("a IDLE\r\n");
  EXPECT_THAT(idling.response(), StartsWith("+ "));
  house.server().shutdown();
  EXPECT_THAT(resting.until("* BYE"), HasSubstr("shutting down"));
  EXPECT_THAT(idling.until("* BYE"), HasSubstr("shutting down"));
}

TEST(Session, AnswersIdAndNamespaceAndEnable) {
  House house;
  Client client = house.connect();
  EXPECT_THAT(client.run("ID NIL"), HasSubstr("* ID (\"name\" \"Muhur\")"));
  EXPECT_THAT(client.run("ID (\"name\" \"Mail\" \"event\" NIL)"), HasSubstr("T OK"));
  EXPECT_THAT(client.run("ID (\"name\")"), HasSubstr("T BAD"));
  client.login();
  EXPECT_THAT(client.run("NAMESPACE"), HasSubstr("* NAMESPACE ((\"\" \"/\")) NIL NIL"));
  EXPECT_THAT(client.run("ENABLE X-FOO CONDSTORE"), HasSubstr("* ENABLED CONDSTORE\r\n"));
  EXPECT_THAT(client.run("ENABLE"), HasSubstr("T BAD"));
}

}  // namespace
}  // namespace muhur::imap::test
