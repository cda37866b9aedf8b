#include "mime/content_type.hpp"

#include <gtest/gtest.h>

namespace muhur::mime {
namespace {

Parameters parameters_of(std::string_view list) {
  const auto content = parse_content_type(fmt::format("a/b{}", list));
  return content ? content->parameters : Parameters{{"refused", ""}};
}

std::optional<std::string> text_of(std::string_view list, std::string_view name) {
  return parameter_text(parameters_of(list), name);
}

TEST(ContentType, ReadsTypeAndParameters) {
  const auto content = parse_content_type(" Text / HTML ; Charset=\"utf-8\" (c); a = b");
  ASSERT_TRUE(content);
  EXPECT_EQ(content->type, "Text");
  EXPECT_EQ(content->subtype, "HTML");
  EXPECT_EQ(content->parameters, (Parameters{{"charset", "utf-8"}, {"a", "b"}}));
}

TEST(ContentType, RefusesWhatIsNone) {
  for (const char* value : {"", "text", "text/", "/plain", "text/plain x", "text plain", "(c"})
    EXPECT_FALSE(parse_content_type(value)) << value;
  EXPECT_EQ(salvage_content_type("text").type, "text");
  EXPECT_EQ(salvage_content_type("text/plain x").type, "");
}

TEST(ContentType, PassesOverMalformedParameters) {
  EXPECT_EQ(parameters_of("; =x; b=; c=\"d"), (Parameters{{"", "x"}, {"b", ""}}));
  // As in Dovecot, what is malformed takes the next ';' along, and so the parameter behind it.
  EXPECT_EQ(parameters_of(";;x=y;z=w"), (Parameters{{"z", "w"}}));
  EXPECT_EQ(parameters_of("; a; b=c; d=e"), (Parameters{{"d", "e"}}));
  EXPECT_EQ(parameters_of("; a=\"q\\\"\\\\\" ; b=c"), (Parameters{{"a", "q\"\\"}, {"b", "c"}}));
  EXPECT_EQ(parameters_of("; a==?utf-8?q?x?=; b=c"), (Parameters{{"a", "=?utf-8?q?x?="}, {"b", "c"}}));
}

TEST(ContentType, JoinsContinuations) {
  EXPECT_EQ(parameters_of("; n*1=b; n*0=a; z=1"), (Parameters{{"z", "1"}, {"n", "ab"}}));
  EXPECT_EQ(parameters_of("; n*0*=utf-8''%41; n*1=\"b%\""), (Parameters{{"n*", "utf-8''%41b%25"}}));
  EXPECT_EQ(parameters_of("; n*0=\"x%\"; n*1*=%41"), (Parameters{{"n*", "''x%25%41"}}));
  EXPECT_EQ(parameters_of("; N*0=a; n*1=b"), (Parameters{{"n", "ab"}}));
}

TEST(ContentType, LeavesContinuationsWithAGapApart) {
  EXPECT_EQ(parameters_of("; n*0=a; n*2*=b"), (Parameters{{"n*0", "a"}, {"n*2*", "b"}}));
  EXPECT_EQ(parameters_of("; n*99999999999=a"), (Parameters{{"n*99999999999", "a"}}));
}

// "a*1=y; name*=…" became "name*1*" in Dovecot, which takes the number from the parameter before.
TEST(ContentType, GivesAnExtendedParameterNoNumberOfAnother) {
  EXPECT_EQ(parameters_of("; a*0=x; a*1=y; name*=utf-8''z"),
            (Parameters{{"a", "xy"}, {"name*", "utf-8''z"}}));
}

TEST(ContentType, KeepsNoMoreParametersThanAllowed) {
  std::string value = "a/b";
  for (int i = 0; i < 1000; ++i) value += fmt::format(";p{}=v", i);
  EXPECT_EQ(parse_content_type(value)->parameters.size(), 100u);
  EXPECT_EQ(parse_content_type(value, 3)->parameters.size(), 3u);
}

TEST(ParameterText, DecodesWhatSendersWrite) {
  EXPECT_EQ(text_of("; name*=utf-8'tr'%C4%B0.txt", "name"), "\xC4\xB0.txt");
  EXPECT_EQ(text_of("; name*=iso-8859-9''%DD", "name"), "\xC4\xB0");
  EXPECT_EQ(text_of("; name*=nonsense''a%FF", "name"), "a\xEF\xBF\xBD");
  EXPECT_EQ(text_of("; name*=no-quotes%41%4", "name"), "no-quotesA%4");
  EXPECT_EQ(text_of("; name=\"=?utf-8?q?=C4=B0?=.txt\"", "name"), "\xC4\xB0.txt");
  EXPECT_EQ(text_of("; name=plain; name*=utf-8''better", "name"), "better");
  EXPECT_EQ(text_of("; name*0=a; name*2=c", "name"), "ac");
  EXPECT_EQ(text_of("; names=x", "name"), std::nullopt);
}

TEST(Disposition, ReadsKindAndParameters) {
  const auto disposition = parse_disposition("attachment; filename=\"a b\"; size=3");
  ASSERT_TRUE(disposition);
  EXPECT_EQ(disposition->kind, "attachment");
  EXPECT_EQ(disposition->parameters, (Parameters{{"filename", "a b"}, {"size", "3"}}));
  EXPECT_EQ(parse_disposition("attachment filename=x; y=z")->parameters, (Parameters{{"y", "z"}}));
  EXPECT_FALSE(parse_disposition("attachment (unfinished"));
}

TEST(Languages, AreTheTokensBeforeTheFirstThatIsNone) {
  EXPECT_EQ(parse_languages("de, en-GB (British),tr"), (std::vector<std::string>{"de", "en-GB", "tr"}));
  EXPECT_EQ(parse_languages("en;q=1, de"), (std::vector<std::string>{"en"}));
  EXPECT_TRUE(parse_languages(",").empty());
}

TEST(Encoding, IsOneTokenOrNothing) {
  EXPECT_EQ(parse_encoding(" (c) base64 (d)"), "base64");
  EXPECT_EQ(parse_encoding("quoted-printable; x"), "");
  EXPECT_EQ(parse_encoding(""), "");
}

}  // namespace
}  // namespace muhur::mime
