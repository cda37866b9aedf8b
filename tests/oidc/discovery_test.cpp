#include "oidc/discovery.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>

namespace muhur::oidc {
namespace {

namespace json = boost::json;
using testing::StartsWith;

json::object document(bool registration = false) {
  return json::parse(discovery_document("https://id.example", registration)).as_object();
}
bool lists(const json::object& d, std::string_view name, std::string_view value) {
  for (const auto& item : d.at(name).as_array())
    if (item.as_string() == value) return true;
  return false;
}

// What OpenID Connect Discovery §3 and RFC 8414 §2 require (oidcc-config: discovery-endpoint-verification).
TEST(Discovery, HasWhatBothSpecificationsRequire) {
  const auto d = document();
  EXPECT_EQ(d.at("issuer").as_string(), "https://id.example");
  for (const auto* name : {"authorization_endpoint", "token_endpoint", "jwks_uri", "userinfo_endpoint",
                           "introspection_endpoint", "revocation_endpoint", "end_session_endpoint",
                           "pushed_authorization_request_endpoint", "device_authorization_endpoint"})
    EXPECT_THAT(std::string(d.at(name).as_string()), StartsWith("https://id.example/oauth2/")) << name;
  EXPECT_TRUE(lists(d, "subject_types_supported", "public"));
  EXPECT_TRUE(lists(d, "id_token_signing_alg_values_supported", "RS256"));
  EXPECT_TRUE(lists(d, "id_token_signing_alg_values_supported", "ES256"));
  EXPECT_TRUE(lists(d, "scopes_supported", "openid"));
  EXPECT_TRUE(lists(d, "claims_supported", "sub"));
}

TEST(Discovery, OffersCodeAndS256Only) {
  const auto d = document();
  EXPECT_EQ(d.at("response_types_supported"), json::array({"code"}));
  EXPECT_EQ(d.at("code_challenge_methods_supported"), json::array({"S256"}));
  for (const auto* name :
       {"id_token_signing_alg_values_supported", "userinfo_signing_alg_values_supported",
        "token_endpoint_auth_signing_alg_values_supported", "dpop_signing_alg_values_supported"})
    for (const auto* weak : {"none", "HS256"}) EXPECT_FALSE(lists(d, name, weak)) << name;
  EXPECT_FALSE(lists(d, "grant_types_supported", "password"));
  EXPECT_FALSE(lists(d, "grant_types_supported", "implicit"));
  EXPECT_FALSE(lists(d, "introspection_endpoint_auth_methods_supported", "none"));
}

// Bug class 36: mix-up. Clients look for `iss` in the response only where it is promised.
TEST(Discovery, Bug36PromisesTheIssuerInTheResponse) {
  EXPECT_TRUE(document().at("authorization_response_iss_parameter_supported").as_bool());
}

// Both are refused, and the built-in value of request_uri_parameter_supported is true.
TEST(Discovery, RequestObjectsAreDeniedInWords) {
  const auto d = document();
  EXPECT_FALSE(d.at("request_parameter_supported").as_bool());
  EXPECT_FALSE(d.at("request_uri_parameter_supported").as_bool());
}

TEST(Discovery, RegistrationIsNamedOnlyWhenItIsOpen) {
  EXPECT_FALSE(document(false).contains("registration_endpoint"));
  EXPECT_EQ(document(true).at("registration_endpoint").as_string(), "https://id.example/oauth2/register");
}

}  // namespace
}  // namespace muhur::oidc
