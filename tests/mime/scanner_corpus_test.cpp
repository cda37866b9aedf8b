// What holds for every message, over the whole generated corpus.
#include <gtest/gtest.h>

#include "mime/corpus.hpp"
#include "mime/invariants.hpp"
#include "mime/scanner.hpp"

namespace muhur::mime {
namespace {

Structure scan_in_pieces(std::string_view text, std::size_t size) {
  Scanner scanner;
  for (std::size_t at = 0; at < text.size(); at += size) scanner.feed(as_bytes(text.substr(at, size)));
  return scanner.finish();
}

TEST(ScannerCorpus, IsLargeEnough) { EXPECT_GE(test::corpus().size(), 350u); }

TEST(ScannerCorpus, FindsTheSameHoweverAMessageIsCut) {
  for (const auto& sample : test::corpus()) {
    const std::string whole = test::described(scan(as_bytes(sample.bytes)));
    for (const std::size_t size : {1, 2, 7, 61, 85, 4096})
      ASSERT_EQ(test::described(scan_in_pieces(sample.bytes, size)), whole)
          << sample.name << " in pieces of " << size;
  }
}

TEST(ScannerCorpus, FindsTheSamePartsWithBareLineFeeds) {
  for (const auto& sample : test::corpus()) {
    if (sample.bytes.contains("\r\r\n")) continue;  // half of it would be left as a CRLF
    std::string bare;
    for (std::size_t i = 0; i < sample.bytes.size(); ++i)
      if (!std::string_view(sample.bytes).substr(i).starts_with("\r\n")) bare += sample.bytes[i];
    const Structure crlf = scan(as_bytes(sample.bytes)), lf = scan(as_bytes(bare));
    ASSERT_EQ(lf.parts.size(), crlf.parts.size()) << sample.name;
    for (std::size_t i = 0; i < lf.parts.size(); ++i) {
      ASSERT_EQ(lf.parts[i].type, crlf.parts[i].type) << sample.name;
      ASSERT_EQ(lf.parts[i].parent, crlf.parts[i].parent) << sample.name;
      ASSERT_EQ(lf.parts[i].body_lines, crlf.parts[i].body_lines) << sample.name;
      ASSERT_EQ(lf.parts[i].body_size + lf.parts[i].body_lines, crlf.parts[i].body_size) << sample.name;
    }
  }
}

TEST(ScannerCorpus, KeepsPartsInsideTheirParentsAndInOrder) {
  for (const auto& sample : test::corpus())
    ASSERT_EQ(test::broken_invariant(scan(as_bytes(sample.bytes)), sample.bytes), "") << sample.name;
}

}  // namespace
}  // namespace muhur::mime
