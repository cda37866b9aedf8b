#include "http/form.hpp"

#include <gtest/gtest.h>

namespace muhur::http {
namespace {

TEST(Form, ReadsParametersInOrder) {
  const auto form = Form::parse("a=1&b=x+y%2Bz&empty=&bare&a=2&&%C3%A9=%e2%82%ac").value();
  EXPECT_EQ(form.value("a"), "1");
  EXPECT_EQ(form.all("a").size(), 2u);
  EXPECT_EQ(form.value("b"), "x y+z");
  EXPECT_TRUE(form.has("empty"));
  EXPECT_TRUE(form.has("bare"));
  EXPECT_FALSE(form.has("missing"));
  EXPECT_EQ(form.value("é"), "€");
  EXPECT_EQ(form.repeated(), "a");
  EXPECT_FALSE(Form::parse("a=1&b=1").value().repeated());
}

TEST(Form, RefusesWhatIsNoForm) {
  for (const char* text : {"a=%", "a=%4", "a=%zz", "a%=1", "a=%00", "%00=1"})
    EXPECT_EQ(Form::parse(text).error().code, Code::invalid) << text;
  std::string many;
  for (int i = 0; i < 200; ++i) many += "a=1&";
  EXPECT_TRUE(Form::parse(many));
  EXPECT_EQ(Form::parse(many + "a=1").error().code, Code::invalid);
}

TEST(Form, EncodesSoThatItReadsTheSame) {
  std::string all;
  for (int c = 1; c < 256; ++c) all += static_cast<char>(c);
  Form form;
  form.add(all, all);
  form.add("state", "a b&c=d");
  const auto again = Form::parse(form.encoded()).value();
  EXPECT_EQ(again.fields(), form.fields());
  EXPECT_TRUE(form.encoded().ends_with("&state=a%20b%26c%3Dd"));
}

TEST(Form, GoesIntoAUriThatMayHaveAQuery) {
  // A redirect URI with a query gets '&' (identity.md §5 no. 53).
  Form form;
  form.add("state", "x y");
  EXPECT_EQ(with_query("https://a/cb", form), "https://a/cb?state=x%20y");
  EXPECT_EQ(with_query("https://a/cb?k=v", form), "https://a/cb?k=v&state=x%20y");
  EXPECT_EQ(with_query("https://a/cb?", form), "https://a/cb?state=x%20y");
  EXPECT_EQ(with_query("https://a/cb?k=v#f", form), "https://a/cb?k=v&state=x%20y#f");
  EXPECT_EQ(with_query("https://a/cb", Form()), "https://a/cb");
}

TEST(Cookie, IsFoundByItsWholeName) {
  EXPECT_EQ(cookie("a=1; session=abc; b=2", "session"), "abc");
  EXPECT_EQ(cookie("xsession=no; session=\"quoted\"", "session"), "quoted");
  EXPECT_EQ(cookie("session=first; session=second", "session"), "first");
  EXPECT_EQ(cookie("session=", "session"), "");
  EXPECT_EQ(cookie("session", "session"), std::nullopt);
  EXPECT_EQ(cookie("", "session"), std::nullopt);
  EXPECT_EQ(cookie(";;;=;", "session"), std::nullopt);
}

TEST(Cookie, IsSetWithItsAttributes) {
  EXPECT_EQ(set_cookie("__Host-s", "abc", {}), "__Host-s=abc; Path=/; Secure; HttpOnly; SameSite=Lax");
  EXPECT_EQ(set_cookie("s", "", {.secure = false, .max_age_s = 0}),
            "s=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax");
  EXPECT_EQ(set_cookie("s", "a;b\r\nc, d", {.secure = false, .http_only = false, .same_site = ""}),
            "s=abcd; Path=/");
}

}  // namespace
}  // namespace muhur::http
