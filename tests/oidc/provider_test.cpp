// The provider as a whole: opening it, and clients that register themselves.
#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>

#include "oidc/provider_fixture.hpp"
#include "oidc/registration.hpp"
#include "oidc/scope.hpp"

namespace muhur::oidc {
namespace {

class ProviderTest : public WithProvider {
 protected:
  void open_registration() {
    provider_.reset();
    ProviderOptions options;
    options.issuer = kIssuer;
    options.dynamic_registration = true;
    auto opened = Provider::open(data_, server_key_, *directory_, std::move(options));
    ASSERT_TRUE(opened);
    provider_ = std::move(*opened);
  }
  static boost::json::object metadata() {
    return {{"redirect_uris", boost::json::array{"https://new.example/cb"}},
            {"token_endpoint_auth_method", "none"}};
  }
};

TEST_F(ProviderTest, AnIssuerThatClientsCouldNotCompareIsRefused) {
  provider_.reset();
  for (const auto* issuer :
       {"", "https://id.example/", "http://id.example", "https://id.example?x", "id.example"}) {
    ProviderOptions options;
    options.issuer = issuer;
    const auto opened = Provider::open(data_, server_key_, *directory_, std::move(options));
    ASSERT_FALSE(opened) << issuer;
    EXPECT_EQ(opened.error().code, muhur::Code::invalid) << issuer;
  }
}

TEST_F(ProviderTest, AnotherServerKeyOpensNothing) {
  provider_.reset();
  ProviderOptions options;
  options.issuer = kIssuer;
  EXPECT_FALSE(Provider::open(data_, Secret::random(32), *directory_, std::move(options)));
}

TEST_F(ProviderTest, WhatWasHandedOutOutlivesARestart) {
  const auto answer = tokens({{"scope", "openid mail"}});
  const auto secret = code();
  open_provider();
  EXPECT_TRUE(run(provider_->token_info(text(answer, "access_token")))->dek == dek_);
  EXPECT_TRUE(post(redeeming(secret)));
  EXPECT_TRUE(post(refreshing(text(answer, "refresh_token"))));
  EXPECT_EQ(authorize(request(), browser(cookie_)).kind, Outcome::Kind::respond);
}

TEST_F(ProviderTest, ItsDocumentsNameTheIssuerAndTheKeys) {
  const auto document = boost::json::parse(provider_->discovery()).as_object();
  EXPECT_EQ(text(document, "issuer"), kIssuer);
  EXPECT_TRUE(document.at("authorization_response_iss_parameter_supported").as_bool());
  const auto keys = JwkSet::parse(provider_->jwks());
  ASSERT_TRUE(keys);
  const std::string token = text(tokens(), "id_token");
  const auto jws = parse_jws(token);
  ASSERT_TRUE(jws);
  EXPECT_TRUE(keys->verify(*jws, kAccepted));
}

TEST_F(ProviderTest, ASweepGoesOnAsLongAsThereIsMore) {
  // It took 500 rows of each kind every half minute: a server that handed out more grew without bound.
  const auto database = provider_->sessions_database().lock();
  const std::int64_t over = clock_.now_s() - 1;
  ASSERT_TRUE(database->write([&](vault::Connection& c) -> Result<void> {
    for (int i = 0; i < 1'700; ++i)
      MUHUR_CHECK(c.run("INSERT INTO remembered(hash, ends_s) VALUES (randomblob(32), ?)", over));
    return {};
  }));
  ASSERT_TRUE(provider_->sweep());
  EXPECT_EQ(
      database->read([](vault::Connection& c) { return c.query_int("SELECT count(*) FROM remembered"); }), 0);
}

TEST_F(ProviderTest, ClientsDoNotRegisterThemselvesUnlessTheyMay) {
  EXPECT_EQ(refused(run(provider_->register_client("token", metadata()))), "access_denied");
  EXPECT_EQ(refused(run(provider_->manage_client("token", "app", "GET", {}))), "access_denied");
  open_registration();
  EXPECT_EQ(refused(run(provider_->register_client("token", metadata()))), "invalid_token");
}

TEST_F(ProviderTest, AClientRegistersLooksAndLeaves) {
  open_registration();
  const auto initial = Registration::make_initial_token(*directory_, 3'600, 1);
  ASSERT_TRUE(initial);
  const auto made = run(provider_->register_client(*initial, metadata()));
  ASSERT_TRUE(made) << made.error().description;
  const auto id = text(*made, "client_id"), bearer = text(*made, "registration_access_token");
  EXPECT_TRUE(provider_->clients().find(id));
  EXPECT_EQ(text(*run(provider_->manage_client(bearer, id, "GET", {})), "client_id"), id);
  EXPECT_EQ(refused(run(provider_->manage_client("wrong", id, "DELETE", {}))), "invalid_token");
  EXPECT_EQ(refused(run(provider_->manage_client(bearer, id, "PATCH", {}))), "invalid_request");
  EXPECT_TRUE(run(provider_->manage_client(bearer, id, "DELETE", {})));
  EXPECT_FALSE(provider_->clients().find(id));
}

TEST(ScopeTest, WordsStandOnceAndInOrder) {
  EXPECT_EQ(joined(words_of("  b a  b c ")), "b a c");
  EXPECT_TRUE(words_of("").empty());
  EXPECT_TRUE(covers("a b c", "c a"));
  EXPECT_FALSE(covers("a b c", "a d"));
  EXPECT_FALSE(covers("ab", "a"));
  EXPECT_TRUE(covers("a", ""));
}

}  // namespace
}  // namespace muhur::oidc
