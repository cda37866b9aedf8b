// Forms from elsewhere are refused: identity.md §5 no. 13.

#include "web/csrf.hpp"

#include <gtest/gtest.h>

namespace muhur::web {
namespace {

const Csrf& csrf() {
  static const Csrf csrf(Secret(as_bytes("0123456789abcdef0123456789abcdef")), "https://id.example");
  return csrf;
}

http::Request from(std::optional<std::string> site, std::optional<std::string> origin) {
  http::Request request;
  if (site) request.headers.add("Sec-Fetch-Site", *site);
  if (origin) request.headers.add("Origin", *origin);
  return request;
}

TEST(Csrf, Bug13ATokenIsForOneBrowserAndOnePurpose) {
  const std::string token = csrf().token("browser-a", "consent");
  EXPECT_TRUE(csrf().matches(token, "browser-a", "consent"));
  EXPECT_FALSE(csrf().matches(token, "browser-b", "consent"));
  EXPECT_FALSE(csrf().matches(token, "browser-a", "login"));
  EXPECT_FALSE(csrf().matches("", "browser-a", "consent"));
  EXPECT_FALSE(csrf().matches(token + "A", "browser-a", "consent"));
  EXPECT_NE(csrf().token("ab", "c"), csrf().token("a", "bc"));
  const Csrf other(Secret::random(32), "https://id.example");
  EXPECT_FALSE(other.matches(token, "browser-a", "consent"));
}

TEST(Csrf, WithoutABindingNothingMatches) {
  EXPECT_FALSE(csrf().matches(csrf().token("", "login"), "", "login"));
}

TEST(Csrf, Bug13OnlyRequestsFromHereCount) {
  EXPECT_TRUE(csrf().from_here(from("same-origin", "https://id.example")));
  EXPECT_TRUE(csrf().from_here(from("none", std::nullopt)));
  EXPECT_TRUE(csrf().from_here(from(std::nullopt, "https://id.example")));
  EXPECT_TRUE(csrf().from_here(from(std::nullopt, std::nullopt)));
  EXPECT_TRUE(csrf().from_here(from("same-origin", "null")));
  for (const char* site : {"cross-site", "same-site", "", "Same-Origin"})
    EXPECT_FALSE(csrf().from_here(from(site, "https://id.example"))) << site;
  for (const char* origin : {"https://evil.example", "http://id.example", "https://id.example:8443", "null",
                             "https://id.example.evil", ""})
    EXPECT_FALSE(csrf().from_here(from(std::nullopt, origin))) << origin;
}

TEST(Csrf, ChecksBoth) {
  http::Form form;
  form.add("csrf", csrf().token("b", "login"));
  EXPECT_TRUE(csrf().check(from("same-origin", "https://id.example"), form, "b", "login"));
  EXPECT_EQ(csrf().check(from("cross-site", std::nullopt), form, "b", "login").error().code, Code::denied);
  EXPECT_EQ(csrf().check(from("same-origin", std::nullopt), http::Form(), "b", "login").error().code,
            Code::denied);
  EXPECT_EQ(csrf().check(from("same-origin", std::nullopt), form, "other", "login").error().code,
            Code::denied);
  EXPECT_NE(Csrf::new_binding(), Csrf::new_binding());
  EXPECT_GE(Csrf::new_binding().size(), 43u);
}

}  // namespace
}  // namespace muhur::web
