#include "mime/structure.hpp"

#include <gtest/gtest.h>

#include "mime/corpus.hpp"
#include "mime/scanner.hpp"

namespace muhur::mime {
namespace {

Structure scanned(std::string_view lf) { return scan(as_bytes(test::with_crlf(lf))); }

TEST(PartAt, NamesTheBodyOfALoneTextByOne) {
  const Structure s = scanned("Subject: x\n\nbody\n");
  EXPECT_EQ(part_at(s, {1}), 0u);
  EXPECT_EQ(part_at(s, {2}), std::nullopt);
  EXPECT_EQ(part_at(s, {1, 1}), std::nullopt);
  EXPECT_EQ(part_at(s, {0}), std::nullopt);
  EXPECT_EQ(part_at(s, {}), std::nullopt);
}

TEST(PartAt, CountsThePartsOfMultiparts) {
  const Structure s = scanned(
      "Content-Type: multipart/mixed; boundary=b\n\n--b\n\nx\n--b\n"
      "Content-Type: multipart/mixed; boundary=c\n\n--c\n\ny\n--c--\n--b--\n");
  EXPECT_EQ(part_at(s, {1}), 1u);
  EXPECT_EQ(part_at(s, {2}), 2u);
  EXPECT_EQ(part_at(s, {2, 1}), 3u);
  EXPECT_EQ(part_at(s, {2, 2}), std::nullopt);
  EXPECT_EQ(part_at(s, {3}), std::nullopt);
}

TEST(PartAt, GoesOnInsideMessages) {
  const Structure s = scanned(
      "Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: message/rfc822\n\nSubject: "
      "i\n\nx\n--b\n"
      "Content-Type: message/rfc822\n\nContent-Type: multipart/mixed; "
      "boundary=c\n\n--c\n\ny\n--c--\n--b--\n");
  ASSERT_EQ(s.parts.size(), 6u);
  EXPECT_EQ(part_at(s, {1}), 1u);
  EXPECT_EQ(part_at(s, {1, 1}), 2u);
  EXPECT_EQ(part_at(s, {2}), 3u);
  EXPECT_EQ(part_at(s, {2, 1}), 5u);
}

TEST(PartAt, NamesAMessageThatIsTheWholeMessageByOne) {
  const Structure s = scanned("Content-Type: message/rfc822\n\nSubject: i\n\nx\n");
  EXPECT_EQ(part_at(s, {1}), 0u);
  EXPECT_EQ(part_at(s, {1, 1}), 1u);
}

TEST(PartAt, FindsNothingInAnEmptyMultipart) {
  EXPECT_EQ(part_at(scanned("Content-Type: multipart/mixed; boundary=b\n\nx\n"), {1}), std::nullopt);
}

}  // namespace
}  // namespace muhur::mime
