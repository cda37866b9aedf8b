// AUTHENTICATE OAUTHBEARER and XOAUTH2, with a service that knows one token: it opens Alice's mailbox.
#include <atomic>

#include "base/encoding.hpp"
#include "imap/harness.hpp"

namespace muhur::imap::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr std::string_view kGood = "good-token";
const WireOptions kFarAway{.peer = {"192.0.2.7", 4711, false}};

std::string base64(std::string_view text) { return to_base64(as_bytes(text)); }
std::string oauthbearer(std::string_view token, std::string_view name = kAlice) {
  return base64("n,a=" + std::string(name) + ",\1host=h\1port=143\1auth=Bearer " + std::string(token) +
                "\1\1");
}
std::string xoauth2(std::string_view token, std::string_view name = kAlice) {
  return base64("user=" + std::string(name) + "\1auth=Bearer " + std::string(token) + "\1\1");
}

class TokenLogin : public ::testing::Test {
 protected:
  // Without waiting for another thread, as far as the token goes; the mailbox opens by Alice's password.
  net::Task<Result<mail::Session>> open(Secret token, std::string address, std::string peer) {
    ++asked_;
    if (failure_) co_return fail(*failure_, "made to fail");
    if (token.text() != kGood || (!address.empty() && address != kAlice))
      co_return fail(Code::denied, "not that one");
    co_return co_await house().office().sign_in(std::string(kAlice), Secret::from_text(kPassword), peer);
  }
  House& house() {
    if (!house_) {
      ServerOptions options;
      options.openid_configuration = "https://id.example.org/.well-known/openid-configuration";
      options.token_sign_in = [this](Secret token, std::string address, std::string peer) {
        return open(std::move(token), std::move(address), std::move(peer));
      };
      house_ = std::make_unique<House>(std::move(options));
    }
    return *house_;
  }
  // Up to the tagged reply behind the challenge; `answer` is the client's to it.
  std::string refused(Client& client, const std::string& command, std::string_view answer) {
    client.send("r " + command + "\r\n");
    const std::string challenge = client.response();
    EXPECT_THAT(challenge, StartsWith("+ "));
    const auto told = from_base64(std::string_view(challenge).substr(2, challenge.size() - 4));
    EXPECT_TRUE(told);
    if (told)
      EXPECT_EQ(as_text(*told), R"({"status":"invalid_token","scope":"openid mail","openid-configuration":)"
                                R"("https://id.example.org/.well-known/openid-configuration"})");
    client.send(std::string(answer) + "\r\n");
    return client.until("r ");
  }

  std::atomic<int> asked_{0};
  std::optional<Code> failure_;
  std::unique_ptr<House> house_;
};

TEST_F(TokenLogin, IsOfferedWhereThereIsAServiceAndNobodyListensIn) {
  EXPECT_THAT(house().connect().run("CAPABILITY"), HasSubstr(" AUTH=PLAIN AUTH=OAUTHBEARER AUTH=XOAUTH2"));
  EXPECT_THAT(house().connect(kFarAway).run("CAPABILITY"), Not(HasSubstr("AUTH=")));
  auto secure = kFarAway;
  secure.secure = true;
  EXPECT_THAT(house().connect(secure).run("CAPABILITY"), HasSubstr("AUTH=OAUTHBEARER"));
  House without;
  Client client = without.connect();
  EXPECT_THAT(client.run("CAPABILITY"), Not(HasSubstr("OAUTH")));
  EXPECT_THAT(client.run("AUTHENTICATE OAUTHBEARER " + oauthbearer(kGood)), HasSubstr("T NO [CANNOT]"));
}

TEST_F(TokenLogin, OpensTheMailboxAtOnceAndInTwoSteps) {
  for (const auto& [mechanism, message] :
       {std::pair("OAUTHBEARER", oauthbearer(kGood)), std::pair("xoauth2", xoauth2(kGood)),
        std::pair("oauthbearer", oauthbearer(kGood))}) {
    Client at_once = house().connect();
    const std::string command = std::string("AUTHENTICATE ") + mechanism;
    EXPECT_THAT(at_once.run(command + " " + message), HasSubstr("T OK [CAPABILITY "));
    EXPECT_THAT(at_once.run("SELECT INBOX"), HasSubstr("T OK"));
    Client in_two = house().connect();
    in_two.send("x " + command + "\r\n");
    EXPECT_EQ(in_two.response(), "+ \r\n");
    for (const char octet : message + "\r\n") in_two.send(std::string(1, octet));
    EXPECT_THAT(in_two.until("x "), HasSubstr("x OK"));
  }
  EXPECT_THAT(house().connect().run("AUTHENTICATE OAUTHBEARER " + base64("n,,\1auth=Bearer good-token\1\1")),
              HasSubstr("T OK"));
}

TEST_F(TokenLogin, TellsWhatIsWrongAndThenRefuses) {
  for (const auto* answer : {"AQ==", "", "*", "anything"}) {
    Client client = house().connect();
    EXPECT_EQ(refused(client, "AUTHENTICATE OAUTHBEARER " + oauthbearer("bad"), answer),
              "r NO [AUTHENTICATIONFAILED] Authentication failed.\r\n");
    EXPECT_EQ(refused(client, "AUTHENTICATE XOAUTH2 " + xoauth2("bad"), answer),
              "r NO [AUTHENTICATIONFAILED] Authentication failed.\r\n");
    EXPECT_EQ(refused(client, "AUTHENTICATE XOAUTH2 " + xoauth2(kGood, "bob@example.org"), answer),
              "r NO [AUTHENTICATIONFAILED] Authentication failed.\r\n");
    EXPECT_EQ(refused(client, "AUTHENTICATE OAUTHBEARER " + base64("n,,\1auth=\1\1"), answer),
              "r NO [AUTHENTICATIONFAILED] Authentication failed.\r\n");
    EXPECT_THAT(client.run("AUTHENTICATE XOAUTH2 " + xoauth2(kGood)), HasSubstr("T OK"));
  }
}

TEST_F(TokenLogin, CountsWithFailedLogins) {
  Client client = house().connect();
  for (int i = 0; i < 3; ++i) refused(client, "AUTHENTICATE OAUTHBEARER " + oauthbearer("bad"), "AQ==");
  for (int i = 0; i < 2; ++i) client.login(kAlice, "wrong");
  EXPECT_THAT(client.until("* BYE"), HasSubstr("Too many failed logins"));
  EXPECT_TRUE(client.wire().at_end());
}

TEST_F(TokenLogin, AsksNobodyAboutWhatIsNoMessageOrComesInTheClear) {
  Client client = house().connect();
  for (const auto& message : {std::string("!!!"), std::string("="), base64("x"), xoauth2(kGood), base64("\1"),
                              base64("p=tls-unique,,\1auth=Bearer good-token\1\1")})
    EXPECT_THAT(client.run("AUTHENTICATE OAUTHBEARER " + message), HasSubstr("T BAD")) << message;
  client.send("x AUTHENTICATE XOAUTH2\r\n*\r\n");
  EXPECT_THAT(client.until("x "), HasSubstr("x BAD"));
  EXPECT_THAT(house().connect(kFarAway).run("AUTHENTICATE XOAUTH2 " + xoauth2(kGood)),
              HasSubstr("T NO [PRIVACYREQUIRED]"));
  Client other = house().connect();
  EXPECT_THAT(other.run("AUTHENTICATE XOAUTH2 " + repeat("A", 9'000)), HasSubstr("BAD"));
  EXPECT_THAT(other.run("NOOP"), HasSubstr("T OK"));
  EXPECT_EQ(asked_, 0);
}

TEST_F(TokenLogin, OfAServiceThatCannotAnswerIsNoFailedLogin) {
  failure_ = Code::busy;
  Client client = house().connect();
  for (int i = 0; i < 7; ++i)
    EXPECT_THAT(client.run("AUTHENTICATE OAUTHBEARER " + oauthbearer(kGood)),
                HasSubstr("T NO [UNAVAILABLE]"));
  failure_ = Code::internal;
  EXPECT_THAT(client.run("AUTHENTICATE OAUTHBEARER " + oauthbearer(kGood)), HasSubstr("T NO [SERVERBUG]"));
}

TEST_F(TokenLogin, EndsWhenTheAccountIsDisabled) {
  Client client = house().connect();
  ASSERT_THAT(client.run("AUTHENTICATE OAUTHBEARER " + oauthbearer(kGood)), HasSubstr("T OK"));
  must(house().office().set_disabled(must(house().office().users().by_address(kAlice)).id, true));
  EXPECT_THAT(client.until("* BYE"), HasSubstr("* BYE"));
}

TEST_F(TokenLogin, EndsWithTheClientThatLeavesAtTheChallenge) {
  Client client = house().connect();
  client.send("x AUTHENTICATE XOAUTH2 " + xoauth2("bad") + "\r\n");
  EXPECT_THAT(client.response(), StartsWith("+ "));
  client.wire().close();
  EXPECT_THAT(house().connect().login(), HasSubstr("T OK"));
}

}  // namespace
}  // namespace muhur::imap::test
