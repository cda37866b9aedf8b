// Hostile sizes: what is found stays within the limits, and what comes after is still found.
#include <gtest/gtest.h>

#include "mime/corpus.hpp"
#include "mime/invariants.hpp"
#include "mime/scanner.hpp"

namespace muhur::mime {
namespace {

std::string repeat(std::string_view text, std::size_t count) {
  std::string out;
  out.reserve(text.size() * count);
  for (std::size_t i = 0; i < count; ++i) out += text;
  return out;
}

// Scans with the limits and checks what must always hold.
Structure scan_checked(const std::string& text, const Limits& limits = {}) {
  Structure structure = scan(as_bytes(text), limits);
  EXPECT_EQ(test::broken_invariant(structure, text), "");
  return structure;
}

std::size_t depth_of(const Structure& structure) {
  std::vector<std::size_t> depths(structure.parts.size(), 0);
  for (std::size_t i = 1; i < depths.size(); ++i)
    depths[i] = depths[static_cast<std::size_t>(structure.parts[i].parent)] + 1;
  return *std::max_element(depths.begin(), depths.end());
}

std::string nested_multiparts(std::size_t depth) {
  std::string out;
  for (std::size_t i = 0; i < depth; ++i)
    out += fmt::format("Content-Type: multipart/mixed; boundary=n{0}-\r\n\r\n--n{0}-\r\n", i);
  return out + "\r\ninnermost\r\n";
}

TEST(ScannerLimits, CutTenThousandNestedMultipartsToOneLeaf) {
  const Structure s = scan_checked(nested_multiparts(10'000));
  EXPECT_TRUE(s.limited);
  EXPECT_EQ(s.parts.size(), 100u);
  EXPECT_EQ(depth_of(s), 99u);
  EXPECT_EQ(s.parts.back().kind, Part::Kind::leaf);
  EXPECT_EQ(s.parts.back().type + "/" + s.parts.back().subtype, "application/octet-stream");
}

TEST(ScannerLimits, CutTenThousandNestedMessagesToOneLeaf) {
  const Structure s = scan_checked(repeat("Content-Type: message/rfc822\r\n\r\n", 10'000) + "body\r\n");
  EXPECT_TRUE(s.limited);
  EXPECT_EQ(s.parts.size(), 100u);
  EXPECT_EQ(s.parts.back().type, "application");
}

TEST(ScannerLimits, OpenAHundredThousandBoundariesWhereTheyAreAllowed) {
  const Limits limits{.nesting = 200'000, .parts = 200'000};
  const std::string text = nested_multiparts(100'000) + repeat("--n0-\r\n", 100'000);
  const Structure s = scan_checked(text, limits);
  EXPECT_EQ(s.parts.size(), 200'000u);
  EXPECT_TRUE(s.limited);
}

TEST(ScannerLimits, BearAFloodOfLinesThatBeginLikeOpenBoundaries) {
  std::string text;
  const std::string prefix = repeat("p", 70);
  for (int i = 10; i < 99; ++i)
    text += fmt::format("Content-Type: multipart/mixed; boundary={0}{1}\r\n\r\n--{0}{1}\r\n", prefix, i);
  text += "\r\n" + repeat("--" + prefix + "x\r\n", 200'000);
  const Structure s = scan_checked(text);
  EXPECT_EQ(s.parts.size(), 90u);
  EXPECT_EQ(s.parts.back().body_lines, 200'000u);
}

TEST(ScannerLimits, StopOpeningPartsAtTheirNumber) {
  const std::string text =
      "Content-Type: multipart/mixed; boundary=b\r\n\r\n" + repeat("--b\r\n\r\nx\r\n", 100'000);
  const Structure s = scan_checked(text);
  EXPECT_TRUE(s.limited);
  EXPECT_EQ(s.parts.size(), 10'000u);
}

TEST(ScannerLimits, LookAtABoundedPartOfAHeaderButCountAllOfIt) {
  const std::string header =
      "Subject: first\r\n" + repeat("X-Line: value\r\n", 100'000) + "To: late@example.org\r\n\r\n";
  const Structure s = scan_checked(header + "body\r\n");
  EXPECT_EQ(s.parts[0].header_size, header.size());
  EXPECT_EQ(s.parts[0].header_lines, 100'003u);
  EXPECT_EQ(s.envelope.subject, "first");
  EXPECT_TRUE(s.envelope.to.empty());
}

TEST(ScannerLimits, KeepAHundredParametersAndStillFindTheBoundaryBehindMore) {
  std::string header = "Content-Type: multipart/mixed";
  for (int i = 0; i < 100'000; ++i) header += fmt::format(";p{}=v", i);
  const Structure s =
      scan_checked(header + ";boundary=b\r\n\r\n--b\r\n\r\nx\r\n--b--\r\n", {.header_bytes = 4u << 20});
  EXPECT_EQ(s.parts[0].parameters.size(), 100u);
  EXPECT_EQ(s.parts.size(), 2u);
}

TEST(ScannerLimits, JoinOneHundredThousandContinuationsOfOneParameter) {
  std::string header = "Content-Type: text/plain";
  for (int i = 99'999; i >= 0; --i) header += fmt::format(";n*{}=v", i);
  const Structure s = scan_checked(header + "\r\n\r\n", {.header_bytes = 4u << 20});
  ASSERT_EQ(s.parts[0].parameters.size(), 1u);
  EXPECT_EQ(s.parts[0].parameters[0].second.size(), 100'000u);
}

TEST(ScannerLimits, KeepABoundedNumberOfAddressesInAllEnvelopesTogether) {
  const std::string inner =
      "--b\r\nContent-Type: message/rfc822\r\n\r\nFrom: " + repeat("a@b,", 5'000) + "\r\n\r\nx\r\n";
  const Structure s = scan_checked("Content-Type: multipart/mixed; boundary=b\r\n\r\n" + repeat(inner, 50));
  std::size_t count = 0;
  for (const auto& [index, envelope] : s.inner_envelopes)
    count += envelope.from.size() + envelope.sender.size() + envelope.reply_to.size();
  EXPECT_GE(count, 50'000u);
  EXPECT_LE(count, 65'000u);
}

TEST(ScannerLimits, KeepABoundedNumberOfParametersInAllPartsTogether) {
  std::string part = "--b\r\nContent-Type: text/plain";
  for (int i = 0; i < 200; ++i) part += fmt::format(";p{}=v", i);
  const Structure s = scan_checked("Content-Type: multipart/mixed; boundary=b\r\n\r\n" +
                                   repeat(part + "\r\n\r\nx\r\n", 3'000));
  std::size_t count = 0;
  for (const Part& p : s.parts) count += p.parameters.size();
  EXPECT_EQ(count, 100'000u);
}

TEST(ScannerLimits, ScanOneLineOfManyMegabytes) {
  const std::string text = "Subject: x\r\n\r\n" + repeat("-", 8u << 20);
  EXPECT_EQ(scan_checked(text).parts[0].body_size, 8u << 20);
}

TEST(ScannerLimits, TakeLimitsOfNothingAsOnePart) {
  const Structure s =
      scan_checked("Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nx\r\n--b--\r\n",
                   {.nesting = 0, .parts = 0, .header_bytes = 100, .parameters = 0, .addresses = 0});
  EXPECT_EQ(s.parts.size(), 1u);
  EXPECT_TRUE(s.limited);
}

}  // namespace
}  // namespace muhur::mime
