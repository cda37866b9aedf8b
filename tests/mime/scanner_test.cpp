#include "mime/scanner.hpp"

#include <gtest/gtest.h>

#include "mime/corpus.hpp"

namespace muhur::mime {
namespace {

using test::with_crlf;

// A message with CRLF line ends, scanned; and the octets of its parts.
struct Scanned {
  explicit Scanned(std::string_view lf) : text(with_crlf(lf)), structure(scan(as_bytes(text))) {}
  const Part& part(std::size_t i) const { return structure.parts.at(i); }
  std::string_view header(std::size_t i) const {
    return std::string_view(text).substr(part(i).header_start, part(i).header_size);
  }
  std::string_view body(std::size_t i) const {
    return std::string_view(text).substr(part(i).body_start, part(i).body_size);
  }
  std::string text;
  Structure structure;
};

std::string mixed(std::string_view body) {
  return fmt::format("Content-Type: multipart/mixed; boundary=b\n\n{}", body);
}

TEST(Scanner, FindsThatAnEmptyMessageIsOneEmptyText) {
  const Scanned m("");
  ASSERT_EQ(m.structure.parts.size(), 1u);
  EXPECT_EQ(m.part(0).kind, Part::Kind::leaf);
  EXPECT_EQ(m.part(0).type, "text");
  EXPECT_EQ(m.part(0).subtype, "plain");
  EXPECT_FALSE(m.part(0).has_type);
  EXPECT_EQ(m.part(0).body_size, 0u);
  EXPECT_EQ(m.part(0).parent, -1);
}

TEST(Scanner, CountsTheEmptyLineToTheHeader) {
  const Scanned m("Subject: x\n\nbody\nmore");
  EXPECT_EQ(m.header(0), "Subject: x\r\n\r\n");
  EXPECT_EQ(m.part(0).header_lines, 2u);
  EXPECT_EQ(m.body(0), "body\r\nmore");
  EXPECT_EQ(m.part(0).body_lines, 1u);
}

TEST(Scanner, TakesBareLineFeedsAsLineEnds) {
  const std::string text = "Content-Type: multipart/mixed; boundary=b\n\n--b\n\none\n--b--\n";
  const Structure s = scan(as_bytes(text));
  ASSERT_EQ(s.parts.size(), 2u);
  EXPECT_EQ(text.substr(s.parts[1].header_start, s.parts[1].header_size), "\n");
  EXPECT_EQ(text.substr(s.parts[1].body_start, s.parts[1].body_size), "one");
}

TEST(Scanner, GivesTheLineBreakBeforeABoundaryToTheBoundary) {
  const Scanned m(mixed("preamble\n--b\nX: y\n\none\n\n--b\n\ntwo\n--b--\nepilogue\n"));
  ASSERT_EQ(m.structure.parts.size(), 3u);
  EXPECT_EQ(m.part(0).kind, Part::Kind::multipart);
  EXPECT_EQ(m.part(0).children, (std::vector<std::uint32_t>{1, 2}));
  EXPECT_EQ(m.header(1), "X: y\r\n\r\n");
  EXPECT_EQ(m.body(1), "one\r\n");
  EXPECT_EQ(m.part(1).body_lines, 1u);
  EXPECT_EQ(m.body(2), "two");
  EXPECT_TRUE(m.body(0).ends_with("epilogue\r\n"));
}

TEST(Scanner, FindsAMultipartWithoutBoundaryToBeOneWithoutParts) {
  const Scanned m("Content-Type: multipart/mixed\n\n--b\n\none\n--b--\n");
  ASSERT_EQ(m.structure.parts.size(), 1u);
  EXPECT_EQ(m.part(0).kind, Part::Kind::multipart);
  EXPECT_TRUE(m.part(0).children.empty());
}

TEST(Scanner, ClosesInnerPartsAtAnOuterBoundary) {
  const Scanned m(
      mixed("--b\nContent-Type: multipart/alternative; boundary=c\n\n--c\n\nx\n--b\n\ny\n--b--\n"));
  ASSERT_EQ(m.structure.parts.size(), 4u);
  EXPECT_EQ(m.body(2), "x");
  EXPECT_EQ(m.body(1), "--c\r\n\r\nx");
  EXPECT_EQ(m.body(3), "y");
  EXPECT_EQ(m.part(3).parent, 0);
}

TEST(Scanner, TakesWhatIsNeverClosedToTheEnd) {
  const Scanned m(mixed("--b\n\none\n--b\n\ntwo\n"));
  ASSERT_EQ(m.structure.parts.size(), 3u);
  EXPECT_EQ(m.body(2), "two\r\n");
}

TEST(Scanner, OpensAPartAfterABoundaryThatIsTheLastLineButNotWithoutALineBreak) {
  EXPECT_EQ(Scanned(mixed("--b\n")).structure.parts.size(), 2u);
  EXPECT_EQ(Scanned(mixed("--b")).structure.parts.size(), 1u);
}

TEST(Scanner, MatchesABoundaryByItsPrefixAndPrefersTheLongest) {
  const Scanned m(mixed(
      "--bx\nContent-Type: multipart/mixed; boundary=bx\n\n--bx\n\nin\n--bx--\n--b rest\n\nout\n--b--\n"));
  ASSERT_EQ(m.structure.parts.size(), 4u);
  EXPECT_EQ(m.part(2).parent, 1);
  EXPECT_EQ(m.body(2), "in");
  EXPECT_EQ(m.part(3).parent, 0);
}

TEST(Scanner, ReadsAPartOfADigestWithoutTypeAsAMessage) {
  const Scanned m(
      "Content-Type: multipart/digest; boundary=b\n\n--b\n\nSubject: in\n\nx\n--b\nContent-Type: "
      "text/plain\n\ny\n--b--\n");
  ASSERT_EQ(m.structure.parts.size(), 4u);
  EXPECT_EQ(m.part(1).kind, Part::Kind::message);
  EXPECT_EQ(m.part(1).type, "message");
  EXPECT_FALSE(m.part(1).has_type);
  ASSERT_NE(m.structure.inner_envelope(2), nullptr);
  EXPECT_EQ(m.structure.inner_envelope(2)->subject, "in");
  EXPECT_EQ(m.part(3).kind, Part::Kind::leaf);
  EXPECT_EQ(m.structure.inner_envelope(3), nullptr);
}

TEST(Scanner, LooksIntoAMessageThatClaimsToBeBase64) {
  const Scanned m("Content-Type: message/rfc822\nContent-Transfer-Encoding: base64\n\nU3ViamVjdDogeA==\n");
  ASSERT_EQ(m.structure.parts.size(), 2u);
  EXPECT_EQ(m.part(0).kind, Part::Kind::message);
  EXPECT_EQ(m.part(0).encoding, "base64");
  EXPECT_EQ(m.part(1).header_size, m.part(0).body_size);
}

TEST(Scanner, EndsAHeaderThatRunsIntoABoundaryBeforeTheLineBreak) {
  const Scanned m(mixed("--b\nContent-Type: text/html\n--b--\n"));
  ASSERT_EQ(m.structure.parts.size(), 2u);
  EXPECT_EQ(m.header(1), "Content-Type: text/html");
  EXPECT_EQ(m.part(1).header_lines, 0u);
  EXPECT_EQ(m.part(1).body_size, 0u);
  EXPECT_EQ(m.part(1).subtype, "html");
}

// The empty line after a header was counted to the header although a boundary followed at once: Dovecot gives
// its line break to the boundary.
TEST(Scanner, GivesAnEmptyLineThatABoundaryFollowsToTheBoundary) {
  const Scanned m(mixed("--b\nX: y\n\n--b--\n"));
  EXPECT_EQ(m.header(1), "X: y\r\n");
  EXPECT_EQ(m.part(1).body_size, 0u);
}

// The first header line of a message inside was lost, because it was read while the part was not open yet.
TEST(Scanner, ReadsTheFirstFieldOfAMessageInside) {
  const Scanned m("Content-Type: message/rfc822\n\nSubject: first\n\nbody\n");
  EXPECT_EQ(m.structure.inner_envelope(1)->subject, "first");
  EXPECT_EQ(m.header(1), "Subject: first\r\n\r\n");
}

TEST(Scanner, CountsWhatPrecedesAnOuterBoundaryToTheMessageWhoseHeaderRanIntoIt) {
  const Scanned m(mixed("--b\nContent-Type: message/rfc822\n\nSubject: i\n--b--\n"));
  ASSERT_EQ(m.structure.parts.size(), 3u);
  EXPECT_EQ(m.header(2), "Subject: i");
  EXPECT_EQ(m.body(1), "Subject: i\r\n");
  EXPECT_EQ(m.part(1).body_lines, 1u);
}

TEST(Scanner, ForgetsContentFieldsWithoutMimeVersionOrContentType) {
  const Scanned without("Content-ID: <i>\nContent-Transfer-Encoding: base64\n\nx\n");
  EXPECT_FALSE(without.part(0).id);
  EXPECT_EQ(without.part(0).encoding, "");
  const Scanned with("Content-ID: <i>\nMIME-Version: 1.0\n\nx\n");
  EXPECT_EQ(with.part(0).id, "<i>");
}

TEST(Scanner, ReadsEveryFieldThatBodystructureShows) {
  const Scanned m(mixed(
      "--b\nContent-Type: image/png; name=n\nContent-ID: <i>\nContent-Description: d\n e\nContent-MD5: m\n"
      "Content-Transfer-Encoding: base64\nContent-Disposition: attachment; filename=f\n"
      "Content-Language: en, tr\nContent-Location: l\n\nx\n--b--\n"));
  const Part& p = m.part(1);
  EXPECT_TRUE(p.has_type);
  EXPECT_EQ(p.type + "/" + p.subtype, "image/png");
  EXPECT_EQ(p.parameters, (Parameters{{"name", "n"}}));
  EXPECT_EQ(p.id, "<i>");
  EXPECT_EQ(p.description, "d e");
  EXPECT_EQ(p.md5, "m");
  EXPECT_EQ(p.encoding, "base64");
  EXPECT_EQ(p.disposition, "attachment");
  EXPECT_EQ(p.disposition_parameters, (Parameters{{"filename", "f"}}));
  EXPECT_EQ(p.language, (std::vector<std::string>{"en", "tr"}));
  EXPECT_EQ(p.location, "l");
  EXPECT_EQ(m.part(0).parameters, (Parameters{{"boundary", "b"}}));
}

TEST(Scanner, ShowsMalformedTypesAsDovecotDoes) {
  EXPECT_EQ(Scanned("Content-Type: text\n\n").part(0).type, "text");
  EXPECT_EQ(Scanned("Content-Type: text\n\n").part(0).subtype, "");
  EXPECT_EQ(Scanned("Content-Type: text/plain x\n\n").part(0).type, "");
  EXPECT_EQ(Scanned("Content-Type: multipart\n\n").part(0).type, "application");
  EXPECT_FALSE(Scanned("Content-Type: multipart\n\n").part(0).has_type);
}

TEST(Scanner, FillsTheEnvelope) {
  const Scanned m(
      "Date: d\nSubject: s\n t\nFrom: A <a@b>\nTo: c@d\nTo: e@f\nCc: g@h\nBcc: i@j\nIn-Reply-To: "
      "<r>\nMessage-ID:\n <m>\n\n");
  const Envelope& e = m.structure.envelope;
  EXPECT_EQ(e.date, "d");
  EXPECT_EQ(e.subject, "s t");
  EXPECT_EQ(e.message_id, "<m>");
  EXPECT_EQ(e.in_reply_to, "<r>");
  ASSERT_EQ(e.from.size(), 1u);
  EXPECT_EQ(e.from[0].name, "A");
  EXPECT_EQ(e.sender[0].mailbox, "a");
  EXPECT_EQ(e.reply_to[0].host, "b");
  EXPECT_EQ(e.to.size(), 2u);
  EXPECT_EQ(e.cc.size(), 1u);
  EXPECT_EQ(e.bcc.size(), 1u);
}

TEST(Scanner, KeepsNulOctetsInTheirPlaces) {
  const std::string text("Subject: a\0b\r\n\r\nx\0\r\ny", 21);
  const Structure s = scan(as_bytes(text));
  EXPECT_EQ(s.envelope.subject,
            "a\xEF\xBF\xBD"
            "b");
  EXPECT_EQ(s.parts[0].body_size, 5u);
}

}  // namespace
}  // namespace muhur::mime
