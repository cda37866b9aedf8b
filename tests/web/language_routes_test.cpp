#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

#include "web/routes_fixture.hpp"

namespace muhur::web {
namespace {

class LanguageRoutes : public WithRoutes {
 protected:
  static bool speaks(const Answer& answer, std::string_view code) {
    return answer.body.contains(fmt::format("<html lang=\"{}\"", code));
  }
};

TEST_F(LanguageRoutes, ThePagesSpeakTheLanguageThatIsAskedFor) {
  EXPECT_TRUE(speaks(get(authorize_url("app", {{"ui_locales", "tr"}})), "tr"));
  EXPECT_TRUE(speaks(send("GET", authorize_url(), "Accept-Language: ko\r\n"), "ko"));
  const auto page = get(authorize_url("app", {{"ui_locales", "tr"}}));
  EXPECT_TRUE(speaks(sign_in(page, "wrong"), "tr"));
}

// Bug: ui_locales in a pushed request was not looked at.
TEST_F(LanguageRoutes, APushedRequestSaysWhichLanguageToo) {
  const auto pushed = post("/oauth2/par", request("app", {{"ui_locales", "tr"}}).fields());
  ASSERT_EQ(pushed.status, 201) << pushed.body;
  const std::string target =
      "/oauth2/authorize?" +
      encoded({{"client_id", "app"}, {"request_uri", oidc::text(object(pushed), "request_uri")}});
  const auto page = send("GET", target, "Accept-Language: ko\r\n");
  EXPECT_TRUE(speaks(page, "tr")) << page.body;
  EXPECT_TRUE(speaks(sign_in(page, "wrong"), "tr"));
}

// Bug: the language that was chosen on our own sign-in page was lost behind it.
TEST_F(LanguageRoutes, AChoiceOutlivesTheSignInOfOurOwnPages) {
  const auto page = get("/account/sessions?ui_locales=tr");
  ASSERT_TRUE(speaks(page, "tr"));
  const auto done = submit("/oauth2/login", page, {{"login", user_.address}, {"password", "right"}});
  EXPECT_EQ(done.header("location"), "/account/sessions?ui_locales=tr");
  EXPECT_TRUE(speaks(get(done.header("location")), "tr"));
}

TEST_F(LanguageRoutes, AnErrorWithoutAHandlerSpeaksItToo) {
  const auto missing = get("/nowhere?ui_locales=ko");
  EXPECT_EQ(missing.status, 404);
  EXPECT_TRUE(speaks(missing, "ko"));
  EXPECT_TRUE(speaks(send("GET", "/nowhere?%", "Accept-Language: tr\r\n"), "tr"));
}

}  // namespace
}  // namespace muhur::web
