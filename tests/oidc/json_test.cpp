#include "oidc/json.hpp"

#include <gtest/gtest.h>

#include <boost/json/serialize.hpp>

namespace muhur::oidc {
namespace {

TEST(Json, TakesAnObjectAndNothingElse) {
  const auto object = parse_object(R"( {"a":"x:\"y\\","b":[{"c":1},{"c":2}],"d":{"a":null}} )");
  ASSERT_TRUE(object);
  EXPECT_EQ(text_of(*object, "a"), "x:\"y\\");
  EXPECT_EQ(text_of(*object, "b"), std::nullopt);
  EXPECT_EQ(text_of(*object, "z"), std::nullopt);
  for (const auto* text : {"", "[]", "1", "{", "{}}", "{} {}", R"({"a":1,})", "{\"a\":\"\xff\"}", "{a:1}"})
    EXPECT_FALSE(parse_object(text)) << text;
}

TEST(Json, ANameThatStandsTwiceIsRefusedAtEveryDepth) {
  EXPECT_FALSE(parse_object(R"({"a":1,"a":2})"));
  EXPECT_FALSE(parse_object(R"({"a":1,"\u0061":2})"));
  EXPECT_FALSE(parse_object(R"({"x":[{"y":{"a":1,"a":1}}]})"));
  EXPECT_TRUE(parse_object(R"({"x":{"a":1},"a":1})"));
}

TEST(Json, NestingIsBounded) {
  const auto nested = [](int depth) {
    std::string text = R"({"a":)";
    for (int i = 1; i < depth; ++i) text += '[';
    for (int i = 1; i < depth; ++i) text += ']';
    return text + "}";
  };
  EXPECT_TRUE(parse_object(nested(30)));
  EXPECT_FALSE(parse_object(nested(40)));
  EXPECT_FALSE(parse_object(nested(100'000)));
}

}  // namespace
}  // namespace muhur::oidc
