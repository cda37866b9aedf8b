#include "mime/fields.hpp"

#include <gtest/gtest.h>

namespace muhur::mime {
namespace {

TEST(Fields, ComeInOrderWithTheirFolds) {
  const auto all = fields("A: 1\r\nB:2\r\n\t3\r\nA: 4\r\n\r\nbody: x\r\n");
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].name, "A");
  EXPECT_EQ(all[0].value, " 1");
  EXPECT_EQ(all[1].value, "2\r\n\t3");
  EXPECT_EQ(all[1].whole, "B:2\r\n\t3\r\n");
  EXPECT_EQ(all[2].value, " 4");
}

TEST(Fields, PassOverLinesThatAreNone) {
  const std::string block =
      "no colon\n folded: on\n: no name\nbad name: x\n" + std::string(1001, 'n') + ": x\nOk : y";
  const auto all = fields(block);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].name, "Ok");
  EXPECT_EQ(all[0].whole, "Ok : y");
}

TEST(Fields, AreFoundByNameIgnoringCase) {
  EXPECT_EQ(first_value("X: 1\nSubject: two\n words \n\n", "SUBJECT"), "two words");
  EXPECT_EQ(first_value("X: 1\n\n", "subject"), std::nullopt);
  EXPECT_EQ(first_value("X:\n\n", "x"), "");
}

TEST(Unfold, RemovesLineBreaksAndKeepsTheWhiteSpace) {
  EXPECT_EQ(unfold(" a\r\n\tb\n c\r\n"), "a\tb c");
  EXPECT_EQ(unfold("a\rb"), "a b");
  EXPECT_EQ(unfold(std::string_view("a\0b", 3)),
            "a\xEF\xBF\xBD"
            "b");
  EXPECT_EQ(unfold("\r\n \r\n"), "");
}

}  // namespace
}  // namespace muhur::mime
