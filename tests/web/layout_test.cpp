#include "web/layout.hpp"

#include <gtest/gtest.h>

#include "web/page_fixture.hpp"

namespace muhur::web {
namespace {

TEST(Page, HasWhatScreenReadersAndKeyboardsNeed) {
  for (const Language* language : languages()) {
    const auto response =
        page(frame_in(language->code()), {.title = "A <title>", .main = el("p", {}, "text")});
    const std::string& html = response.body;
    EXPECT_TRUE(html.starts_with("<!DOCTYPE html>\n<html lang=\"" + language->code() + "\" dir=\"ltr\">"));
    EXPECT_TRUE(html.contains("<title>A &lt;title&gt; · Example &amp; Sons</title>"));
    EXPECT_TRUE(html.contains("<h1>A &lt;title&gt;</h1>"));
    for (const char* part : {"<main id=\"main\"", "<header", "<footer", "<nav aria-label=", "href=\"#main\"",
                             "width=device-width", "name=\"color-scheme\""})
      EXPECT_TRUE(html.contains(part)) << part;
    EXPECT_LT(html.find("class=\"skip\""), html.find("<header"));
    EXPECT_EQ(header(response, "Content-Language"), language->code());
  }
}

TEST(Page, LinksToItselfInTheOtherLanguages) {
  const std::string html = page(frame_in("tr"), {.title = "t", .main = {}}).body;
  EXPECT_TRUE(
      html.contains("<a href=\"/here?a=b&amp;ui_locales=ko\" lang=\"ko\" hreflang=\"ko\">한국어</a>"));
  EXPECT_TRUE(html.contains("aria-current=\"true\">Türkçe</a>"));
  EXPECT_FALSE(page(frame_in("tr", ""), {.title = "t", .main = {}}).body.contains("<nav"));
}

TEST(Page, AllowsNothingButItself) {
  const auto response = page(frame_in("en"), {.title = "t", .main = {}});
  EXPECT_EQ(header(response, "Content-Security-Policy"),
            "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; frame-ancestors 'none'; "
            "form-action 'self'");
  EXPECT_EQ(header(response, "X-Frame-Options"), "DENY");
  EXPECT_EQ(header(response, "X-Content-Type-Options"), "nosniff");
  EXPECT_EQ(header(response, "Cache-Control"), "no-store");
  EXPECT_FALSE(response.body.contains("<script"));
  EXPECT_FALSE(response.body.contains("style="));
}

TEST(Page, LetsFormsLeadToTheClientOnly) {
  const auto response =
      page(frame_in("en"),
           {.title = "t",
            .main = {},
            .form_targets = {"https://App.example:8443/cb?x", "com.example.app:/cb", "javascript:x",
                             "https://a.example;script-src */", "http://[::1]:80/cb", ""}});
  EXPECT_TRUE(header(response, "Content-Security-Policy")
                  .ends_with("form-action 'self' https://app.example:8443 com.example.app: http:"));
}

TEST(Page, AllowsItsOneScriptByHash) {
  // The digest of the empty-looking script below, by openssl: printf 'alert(1)' | openssl dgst -sha256
  // -binary | base64
  const auto response = page(frame_in("en"), {.title = "t", .main = {}, .script = "alert(1)"});
  EXPECT_TRUE(header(response, "Content-Security-Policy")
                  .contains("script-src 'sha256-bhHHL3z2vDgxUt0W3dWQOrprscmda2Y5pLsLg4GF+pI='"));
  EXPECT_TRUE(response.body.contains("<script>alert(1)</script>"));
}

TEST(SecureHeaders, LeaveWhatAHandlerSetItself) {
  http::Response response = http::Response::json(200, "{}").with("Referrer-Policy", "origin");
  secure_headers(response);
  EXPECT_EQ(header(response, "Referrer-Policy"), "origin");
  EXPECT_EQ(header(response, "Content-Security-Policy"), "default-src 'none'; frame-ancestors 'none'");
  EXPECT_EQ(header(response, "X-Content-Type-Options"), "nosniff");
}

TEST(OriginOf, IsWhatAPolicyCanName) {
  EXPECT_EQ(origin_of("https://A.example/x"), "https://a.example");
  EXPECT_EQ(origin_of("http://127.0.0.1:1234/cb"), "http://127.0.0.1:1234");
  EXPECT_EQ(origin_of("/local"), "");
  EXPECT_EQ(origin_of("https://a.example, https://b.example"), "");
}

}  // namespace
}  // namespace muhur::web
