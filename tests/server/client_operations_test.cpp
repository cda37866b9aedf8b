#include "server/client_operations.hpp"

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include "accounts/fixture.hpp"

namespace muhur::server {
namespace {

namespace json = boost::json;
using testing::HasSubstr;

class ClientOperationsTest : public accounts::WithDirectory {
 protected:
  Result<json::object> run(const json::object& request) {
    return run_client_operation(*directory_, nullptr, request);
  }
  json::object done(const json::object& request) {
    auto reply = run(request);
    EXPECT_TRUE(reply) << reply.error().text();
    return reply.value_or(json::object{});
  }
};

TEST_F(ClientOperationsTest, AClientIsAddedListedChangedAndDeleted) {
  const auto added =
      done({{"command", "client.add"},
            {"client", {{"id", "app"}, {"redirect_uris", json::array({"https://app.example/cb"})}}}});
  const std::string secret(added.at("secret").as_string());
  EXPECT_GE(secret.size(), 43U);
  EXPECT_EQ(added.at("client").at("auth").as_string(), "client_secret_basic");
  EXPECT_EQ(added.at("client").at("created_ms").as_int64(), clock_.now_ms());

  auto shown = done({{"command", "client.show"}, {"id", "app"}});
  EXPECT_EQ(json::serialize(shown).find(secret), std::string::npos);
  EXPECT_EQ(done({{"command", "client.list"}}).at("clients").as_array().size(), 1U);

  const auto changed =
      done({{"command", "client.change"}, {"id", "app"}, {"client", {{"skip_consent", true}}}});
  EXPECT_TRUE(changed.at("client").at("skip_consent").as_bool());
  EXPECT_EQ(changed.at("client").at("redirect_uris"), shown.at("client").at("redirect_uris"));

  EXPECT_NE(done({{"command", "client.rotate-secret"}, {"id", "app"}}).at("secret").as_string(), secret);
  done({{"command", "client.delete"}, {"id", "app"}});
  EXPECT_TRUE(done({{"command", "client.list"}}).at("clients").as_array().empty());
}

TEST_F(ClientOperationsTest, ATemplateFillsInWhatIsNotGiven) {
  const auto added = done({{"command", "client.add"},
                           {"template", "roundcube"},
                           {"url", "https://mail.example"},
                           {"issuer", "https://id.example"},
                           {"client", {{"id", "webmail"}, {"name", "Our mail"}}}});
  EXPECT_EQ(added.at("client").at("name").as_string(), "Our mail");
  EXPECT_EQ(added.at("client").at("auth").as_string(), "client_secret_post");
  EXPECT_THAT(std::string(added.at("instructions").as_string()),
              HasSubstr("https://id.example/oauth2/token"));
  EXPECT_THAT(std::string(added.at("instructions").as_string()),
              HasSubstr(std::string(added.at("secret").as_string())));
}

TEST_F(ClientOperationsTest, AnIdIsMadeWhereNoneIsGiven) {
  const auto added =
      done({{"command", "client.add"},
            {"client", {{"redirect_uris", json::array({"https://app.example/cb"})}, {"auth", "none"}}}});
  EXPECT_GE(added.at("client").at("id").as_string().size(), 12U);
  EXPECT_FALSE(added.contains("secret"));
}

TEST_F(ClientOperationsTest, WhatCannotBeIsRefusedInWords) {
  EXPECT_EQ(run({{"command", "client.show"}, {"id", "nobody"}}).error().code, Code::not_found);
  EXPECT_EQ(run({{"command", "client.delete"}, {"id", "nobody"}}).error().code, Code::not_found);
  EXPECT_EQ(run({{"command", "client.change"}, {"id", "nobody"}}).error().code, Code::not_found);
  EXPECT_EQ(run({{"command", "client.nonsense"}}).error().code, Code::unsupported);
  EXPECT_EQ(
      run({{"command", "client.add"}, {"template", "nonsense"}, {"url", "https://a.example"}}).error().code,
      Code::invalid);
  const auto refused = run({{"command", "client.add"}, {"client", {{"id", "a"}, {"colour", "red"}}}});
  EXPECT_THAT(refused.error().what, HasSubstr("colour"));
}

TEST_F(ClientOperationsTest, AProviderThatRunsSeesAChangeAtOnce) {
  auto clients = oidc::Clients::open(*directory_);
  ASSERT_TRUE(clients);
  const json::object request{
      {"command", "client.add"},
      {"client", {{"id", "app"}, {"redirect_uris", json::array({"https://app.example/cb"})}}}};
  ASSERT_TRUE(run_client_operation(*directory_, clients->get(), request));
  EXPECT_TRUE((*clients)->find("app"));
}

TEST_F(ClientOperationsTest, AnInitialTokenIsMade) {
  EXPECT_GE(done({{"command", "client.initial-token"}, {"lifetime_s", 3600}, {"uses", 1}})
                .at("token")
                .as_string()
                .size(),
            43U);
  EXPECT_EQ(run({{"command", "client.initial-token"}}).error().code, Code::invalid);
}

}  // namespace
}  // namespace muhur::server
