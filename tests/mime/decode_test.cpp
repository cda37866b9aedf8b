#include "mime/decode.hpp"

#include <gtest/gtest.h>

#include "base/encoding.hpp"

namespace muhur::mime {
namespace {

std::string base64(std::string_view text) { return to_string(decode_transfer(as_bytes(text), "BASE64")); }
std::string qp(std::string_view text) {
  return to_string(decode_transfer(as_bytes(text), "Quoted-Printable"));
}

TEST(Base64, IsDecodedOverLineBreaksAndRubbish) {
  EXPECT_EQ(base64("TWVy\r\naGFi\r\nYQ==\r\n"), "Merhaba");
  EXPECT_EQ(base64("T!W*V y-aGFiYQ"), "Merhaba");
  EXPECT_EQ(base64("TWU=cmg="), "Merh");
  EXPECT_EQ(base64("TWVyaGFi="), "Merhab");
  EXPECT_EQ(base64("T"), "");
  EXPECT_EQ(base64(""), "");
}

TEST(Base64, GivesEveryOctetBack) {
  Bytes all;
  for (int size = 0; size < 300; ++size) {
    ASSERT_EQ(decode_base64(as_bytes(to_base64(all))), all);
    all.push_back(static_cast<Byte>(size * 7));
  }
}

TEST(QuotedPrintable, IsDecoded) {
  EXPECT_EQ(qp("d=C3=BCnya=3D"), "d\xC3\xBCnya=");
  EXPECT_EQ(qp("soft=\r\nbreak=  \r\nand\n"), "softbreakand\n");
  EXPECT_EQ(qp("lower=c3=bc"), "lower\xC3\xBC");
  EXPECT_EQ(qp("blanks   \r\nat \t end  "), "blanks\r\nat \t end");
  EXPECT_EQ(qp("ends="), "ends");
}

TEST(QuotedPrintable, KeepsWhatIsMalformed) {
  EXPECT_EQ(qp("a=XYb=4"), "a=XYb=4");
  EXPECT_EQ(qp("a= b"), "a= b");
}

TEST(TransferEncoding, LeavesOthersAsTheyAre) {
  EXPECT_EQ(to_string(decode_transfer(as_bytes("a=3D"), "8bit")), "a=3D");
  EXPECT_EQ(to_string(decode_transfer(as_bytes("a=3D"), "")), "a=3D");
}

}  // namespace
}  // namespace muhur::mime
