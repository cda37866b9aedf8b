// Every page in every language, and every field of every page with hostile values: identity.md §5 no. 23.

#include <gtest/gtest.h>

#include "web/page_samples.hpp"

namespace muhur::web {
namespace {

// The tags of a page and their attributes' names: what no value may change.
std::string skeleton(std::string_view html) {
  std::string out;
  bool in_tag = false, in_value = false;
  for (std::size_t i = 0; i < html.size(); ++i) {
    const char c = html[i];
    if (in_value) {
      in_value = c != '"';
    } else if (in_tag) {
      if (c == '"')
        in_value = true;
      else
        out += c;
      in_tag = c != '>';
    } else if (c == '<') {
      in_tag = true;
      out += c;
    }
  }
  return out;
}

const std::vector<std::string>& hostile() {
  static const std::vector<std::string> all{"\"><script>alert(1)</script>",
                                            "' onmouseover='alert(1)",
                                            "\" onfocus=alert(1) autofocus x=\"",
                                            "</title><svg/onload=alert(1)>",
                                            "--><img src=x onerror=alert(1)>",
                                            "{{7*7}}{client}${x}",
                                            "&lt;b&gt;&#60;",
                                            "javascript:alert(1)",
                                            "\xFF\xFE<\xC0\xBC"
                                            "script>",
                                            std::string("a\0<b>", 5),
                                            "\r\nSet-Cookie: a=b\r\n\r\n<p>",
                                            "\u202Egnp.exe",
                                            std::string(5000, '<')};
  return all;
}

TEST(Pages, Bug23NoValueBecomesMarkup) {
  for (const Sample& sample : samples()) {
    const Frame frame = frame_in("en", "");
    const std::string honest = skeleton(sample.make(frame, "x").body);
    for (const std::string& value : hostile()) {
      const auto response = sample.make(frame, value);
      EXPECT_EQ(skeleton(response.body), honest) << sample.name << ": " << value.substr(0, 60);
      for (const char* bad : {"<script>alert", "<svg", "<img src=\"x", "<img src=x", "href=\"javascript",
                              "action=\"javascript"})
        EXPECT_FALSE(response.body.contains(bad)) << sample.name << ": " << value.substr(0, 60);
      for (const auto& [_, text] : response.headers.fields())
        EXPECT_EQ(text.find_first_of("\r\n<"), std::string::npos) << sample.name;
      EXPECT_FALSE(header(response, "Content-Security-Policy").contains("unsafe"));
    }
  }
}

TEST(Pages, Bug23NoAddressRunsAnything) {
  const Frame frame = frame_in("en", "");
  const std::string evil = "javascript:alert(1)";
  for (const std::string& html :
       {consent_page(frame, {.client_uri = evil, .policy_uri = evil, .tos_uri = evil}).body,
        form_post_page(frame, {.redirect_uri = evil}).body,
        signed_out_page(frame, {.sign_in_url = evil}).body, sign_in_page(frame, {.action = evil}).body})
    EXPECT_FALSE(html.contains("javascript"));
}

TEST(Pages, SpeakEveryLanguageWithoutGaps) {
  for (const Sample& sample : samples())
    for (const Language* language : languages()) {
      const auto response = sample.make(frame_in(language->code()), "Value");
      EXPECT_TRUE(response.body.contains("lang=\"" + language->code() + "\"")) << sample.name;
      // A key that nobody knows would be shown as itself; a gap that nobody fills as nothing.
      for (const auto& [key, _] : english().texts())
        if (key.contains('.')) EXPECT_FALSE(response.body.contains(">" + key)) << sample.name << " " << key;
      EXPECT_FALSE(response.body.contains("{")) << sample.name;
    }
}

TEST(Pages, FormsPostWithTokenAndLanguage) {
  for (const Sample& sample : samples()) {
    const std::string html = sample.make(frame_in("ko"), "tok").body;
    if (std::string_view(sample.name) == "form post") continue;
    for (auto at = html.find("<form "); at != std::string::npos; at = html.find("<form ", at + 1)) {
      const std::string form = html.substr(at, html.find("</form>", at) - at);
      EXPECT_TRUE(form.starts_with("<form method=\"post\" action=\"/")) << sample.name;
      EXPECT_TRUE(form.contains("name=\"csrf\" value=\"tok\"")) << sample.name;
      EXPECT_TRUE(form.contains("name=\"ui_locales\" value=\"ko\"")) << sample.name;
    }
  }
}

TEST(Pages, EveryFieldHasItsLabel) {
  for (const Sample& sample : samples()) {
    const std::string html = sample.make(frame_in("en"), "v").body;
    for (auto at = html.find("<input id=\""); at != std::string::npos;
         at = html.find("<input id=\"", at + 1)) {
      const auto from = at + 11;
      const std::string id = html.substr(from, html.find('"', from) - from);
      EXPECT_TRUE(html.contains("<label for=\"" + id + "\">")) << sample.name << " " << id;
    }
  }
}

TEST(SignInPage, HelpsPasswordManagersAndPeople) {
  const std::string fresh = sign_in_page(frame_in("en"), {}).body;
  EXPECT_TRUE(fresh.contains("autocomplete=\"username\""));
  EXPECT_TRUE(fresh.contains("autocomplete=\"current-password\""));
  EXPECT_LT(fresh.find("autofocus"), fresh.find("id=\"password\""));
  EXPECT_FALSE(fresh.contains("role=\"alert\""));
  const std::string hinted = sign_in_page(frame_in("en"), {.login = "ada@example.org"}).body;
  EXPECT_GT(hinted.find("autofocus"), hinted.find("id=\"password\""));
  EXPECT_TRUE(hinted.contains("value=\"ada@example.org\""));
}

TEST(SignInPage, TellsTroubleWithoutTellingWhy) {
  using Trouble = SignInModel::Trouble;
  const auto refused = sign_in_page(frame_in("en"), {.trouble = Trouble::refused});
  EXPECT_EQ(refused.status, 200);
  EXPECT_TRUE(refused.body.contains("role=\"alert\" aria-live=\"assertive\" id=\"problem\""));
  EXPECT_TRUE(refused.body.contains("aria-invalid=\"true\" aria-describedby=\"problem\""));
  const auto wait = sign_in_page(frame_in("en"), {.trouble = Trouble::wait, .retry_after_s = 42});
  EXPECT_EQ(wait.status, 429);
  EXPECT_EQ(header(wait, "Retry-After"), "42");
  EXPECT_TRUE(wait.body.contains("42 seconds"));
  const auto busy = sign_in_page(frame_in("en"), {.trouble = Trouble::busy});
  EXPECT_EQ(busy.status, 503);
  EXPECT_EQ(header(busy, "Retry-After"), "1");
}

// Bug: "try again in 1 seconds".
TEST(SignInPage, CountsSecondsInWordsThatFit) {
  const SignInModel model{.trouble = SignInModel::Trouble::wait, .retry_after_s = 1};
  const auto response = sign_in_page(frame_in("en"), model);
  EXPECT_TRUE(response.body.contains("in 2 seconds"));
  EXPECT_EQ(header(response, "Retry-After"), "1");
}

// Bug: a wait was shown and its field did not say so to a screen reader.
TEST(SignInPage, FieldsPointToWhateverTroubleThereIs) {
  using Trouble = SignInModel::Trouble;
  for (const Trouble trouble : {Trouble::refused, Trouble::wait, Trouble::busy})
    EXPECT_TRUE(
        sign_in_page(frame_in("en"), {.trouble = trouble}).body.contains("aria-describedby=\"problem\""));
  EXPECT_FALSE(sign_in_page(frame_in("en"), {}).body.contains("aria-describedby"));
}

TEST(SignInPage, LetsTheFormLeadToTheClient) {
  const auto response = sign_in_page(frame_in("en"), {.form_targets = {"https://rp.example/cb"}});
  EXPECT_TRUE(header(response, "Content-Security-Policy").contains("form-action 'self' https://rp.example"));
}

TEST(ConsentPage, ExplainsScopesAndShowsUnknownOnesAsTheyAre) {
  const std::string html =
      consent_page(frame_in("en"), {.client_name = "App", .scopes = {"openid", "mail", "x:y"}}).body;
  EXPECT_TRUE(html.contains("<li>know who you are</li>"));
  EXPECT_TRUE(html.contains("<li>read, change and delete your mail</li>"));
  EXPECT_TRUE(html.contains("<code><bdi>x:y</bdi></code>"));
  EXPECT_LT(html.find("value=\"approve\""), html.find("value=\"deny\""));
}

TEST(ConsentPage, LeadsToAnotherAccountWhereThePageCanBeAskedForAgain) {
  const std::string html = consent_page(frame_in("en", "/oauth2/authorize?prompt=none&a=b"), {}).body;
  EXPECT_TRUE(html.contains("<a href=\"/oauth2/authorize?a=b&amp;prompt=login\">Use another account</a>"));
  EXPECT_FALSE(consent_page(frame_in("en", ""), {}).body.contains("another account"));
}

TEST(FormPostPage, PostsByItselfAndByItsButton) {
  http::Form parameters;
  parameters.add("code", "c");
  parameters.add("state", "a&b");
  const auto response = form_post_page(
      frame_in("en", ""),
      {.redirect_uri = "https://rp.example/cb?k=v", .parameters = parameters, .client_name = "App"});
  EXPECT_TRUE(response.body.contains("<form method=\"post\" action=\"https://rp.example/cb?k=v\">"));
  EXPECT_TRUE(response.body.contains("name=\"state\" value=\"a&amp;b\""));
  EXPECT_TRUE(response.body.contains("<button type=\"submit\""));
  EXPECT_TRUE(header(response, "Content-Security-Policy").contains("script-src 'sha256-"));
  EXPECT_TRUE(header(response, "Content-Security-Policy").contains(" https://rp.example"));
}

TEST(ErrorPage, CarriesItsStatus) {
  const auto busy =
      error_page(frame_in("en"), {.kind = ErrorModel::Kind::busy, .status = 503, .retry_after_s = 3});
  EXPECT_EQ(busy.status, 503);
  EXPECT_EQ(header(busy, "Retry-After"), "3");
  EXPECT_FALSE(busy.body.contains("<dl>"));
}

TEST(ErrorPage, ShowsAWayBackOnlyWhereThereIsOne) {
  EXPECT_FALSE(error_page(frame_in("en"), {.client_name = "App"}).body.contains("class=\"button\""));
  const auto back = error_page(frame_in("en"), {.client_name = "App", .client_uri = "https://app.example"});
  EXPECT_TRUE(back.body.contains("href=\"https://app.example\" rel=\"noopener\">Back to App</a>"));
}

TEST(SessionsPage, ShowsProgramsTimesAndOneWayToEndEach) {
  const std::string firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
  const std::string safari =
      "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) "
      "Version/18.0 "
      "Mobile/15E148 Safari/604.1";
  const SessionsModel model{.user = "ada@example.org",
                            .sessions = {{.sid = "s0"},
                                         {.sid = "s1",
                                          .created_s = 784111777,
                                          .last_seen_s = 784111777,
                                          .peer = "192.0.2.1",
                                          .user_agent = firefox,
                                          .current = true},
                                         {.sid = "s2", .user_agent = safari},
                                         {.sid = "s3", .user_agent = "curl/8"},
                                         {.sid = "s4"}}};
  const std::string html = sessions_page(frame_in("en"), model).body;
  for (const char* part :
       {"Firefox on Linux", "Safari on iPhone", "curl/8", "Unknown program", "This browser",
        "<time datetime=\"1994-11-06T08:49:37Z\">1994-11-06 08:49 UTC</time>", "name=\"sid\" value=\"s2\"",
        "name=\"all_others\""})
    EXPECT_TRUE(html.contains(part)) << part;
  // This browser's is ended by signing out, which is where a person looks for it.
  EXPECT_FALSE(html.contains("name=\"sid\" value=\"s1\""));
  EXPECT_LT(html.find("action=\"/oauth2/logout\""), html.find("value=\"s0\""));
  const std::string alone = sessions_page(frame_in("en"), {.sessions = {{.sid = "s", .current = true}}}).body;
  EXPECT_FALSE(alone.contains("all_others"));
}

}  // namespace
}  // namespace muhur::web
