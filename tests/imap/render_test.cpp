#include <gtest/gtest.h>

#include "imap/fetch_items.hpp"
#include "imap/render_envelope.hpp"
#include "imap/render_structure.hpp"
#include "imap/respond.hpp"
#include "imap/section.hpp"
#include "mime/scanner.hpp"

namespace muhur::imap {
namespace {

std::string structure_of(std::string_view message, bool extended = true) {
  std::string out;
  append_structure(out, mime::scan(as_bytes(message)), extended);
  return out;
}

std::string string_of(std::string_view text) {
  std::string out;
  append_string(out, text);
  return out;
}

constexpr std::string_view kMixed =
    "Subject: x\r\nContent-Type: multipart/mixed; boundary=\"b 1\"\r\nContent-Language: en, de\r\n\r\n"
    "--b 1\r\nContent-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n\r\nYWJj\r\n"
    "--b 1\r\nContent-Type: image/png; name=a.png\r\nContent-ID: <i@x>\r\nContent-Description: a picture\r\n"
    "Content-MD5: Q2hlY2s=\r\nContent-Location: http://x/a.png\r\nContent-Language: en\r\n"
    "Content-Disposition: attachment; filename=a.png\r\n\r\nxx\r\n"
    "--b 1\r\nContent-Type: message/rfc822\r\nX-Outer: 1\r\n\r\nSubject: inside\r\nFrom: "
    "a@b.c\r\n\r\nhi\r\n\r\n"
    "--b 1--\r\n";

TEST(Strings, AreQuotedOrLiteral) {
  EXPECT_EQ(string_of("a \"b\" \\"), "\"a \\\"b\\\" \\\\\"");
  EXPECT_EQ(string_of("a\r\nb"), "{4}\r\na\r\nb");
  EXPECT_EQ(string_of("\xc3\xa9"), "{2}\r\n\xc3\xa9");
  EXPECT_EQ(string_of(std::string_view("a\0b\n", 4)), "{4}\r\na?b\n");
  std::string out;
  append_astring(out, "NIL");
  append_astring(out, "");
  append_astring(out, "x");
  EXPECT_EQ(out, "\"NIL\"\"\"x");
}

// Raw 8-bit header text in an old charset was shown as U+FFFD: what it said was lost to every client.
TEST(Strings, KeepTheOctetsOfACharsetThatNobodyNamed) {
  std::string out;
  append_message_text(out, "caf\xe9");
  EXPECT_EQ(out, "\"=?unknown-8bit?B?Y2Fm6Q==?=\"");
  out.clear();
  append_message_text(out, "caf\xc3\xa9");
  EXPECT_EQ(out, "\"=?UTF-8?B?Y2Fmw6k=?=\"");
}

TEST(BodyStructure, HasAllExtensionFields) {
  // Bug class 6: Gmail's apps show images as text when disposition, language, location or MD5 are missing.
  EXPECT_EQ(structure_of(kMixed),
            "((\"text\" \"html\" (\"charset\" \"utf-8\") NIL NIL \"base64\" 4 0 NIL NIL NIL NIL)"
            "(\"image\" \"png\" (\"name\" \"a.png\") \"<i@x>\" \"a picture\" \"7bit\" 2 \"Q2hlY2s=\" "
            "(\"attachment\" (\"filename\" \"a.png\")) (\"en\") \"http://x/a.png\")"
            "(\"message\" \"rfc822\" NIL NIL NIL \"7bit\" 36 (NIL \"inside\" ((NIL NIL \"a\" \"b.c\")) "
            "((NIL NIL \"a\" \"b.c\")) ((NIL NIL \"a\" \"b.c\")) NIL NIL NIL NIL NIL) "
            "(\"text\" \"plain\" (\"charset\" \"us-ascii\") NIL NIL \"7bit\" 4 1 NIL NIL NIL NIL) 4 NIL NIL "
            "NIL NIL)"
            " \"mixed\" (\"boundary\" \"b 1\") NIL (\"en\" \"de\") NIL)");
}

TEST(BodyStructure, HasNoneInBody) {
  EXPECT_EQ(structure_of("Content-Type: text/plain; charset=x\r\n\r\na\r\nb\r\n", false),
            "(\"text\" \"plain\" (\"charset\" \"x\") NIL NIL \"7bit\" 6 2)");
}

TEST(BodyStructure, CarriesNoRawOctetsAbove127) {
  // Bug class 8: raw UTF-8 in ENVELOPE and BODYSTRUCTURE breaks clients that did not enable UTF8=ACCEPT.
  const std::string message =
      "Subject: caf\xc3\xa9 \xe9\r\nFrom: \"J\xc3\xb6rg\" <j@x>\r\n"
      "Content-Type: text/plain; name=\"\xc3\xbc.txt\"\r\nContent-Description: \xff\r\n\r\nx";
  const auto structure = mime::scan(as_bytes(message));
  std::string out;
  append_envelope(out, structure.envelope);
  append_structure(out, structure, true);
  for (const char c : out) ASSERT_LT(static_cast<unsigned char>(c), 0x80) << out;
  EXPECT_TRUE(out.contains("=?")) << out;
}

TEST(BodyStructure, OfADeepMessageIsBounded) {
  // Bug class 20: 10,000 levels of multipart.
  std::string message;
  for (int i = 0; i < 10'000; ++i)
    message += "Content-Type: multipart/mixed; boundary=b" + std::to_string(i) + "\r\n\r\n--b" +
               std::to_string(i) + "\r\n";
  const std::string out = structure_of(message);
  EXPECT_TRUE(out.starts_with("((("));
  EXPECT_EQ(std::count(out.begin(), out.end(), '('), std::count(out.begin(), out.end(), ')'));
}

std::optional<FetchRequest> parse(std::string_view text) {
  Parser parser(text);
  return parse_fetch(parser);
}

std::string section_of(std::string_view message, std::string_view item) {
  const auto request = parse(item);
  if (!request) return "syntax";
  const auto& section = request->items.at(0).section;
  const auto range = range_of(section, mime::scan(as_bytes(message)), message.size());
  if (!range) return "NIL";
  const auto block = message.substr(range->offset, range->size);
  return section.fields.empty() ? std::string(block) : select_fields(block, section);
}

TEST(Sections, AreTheRightOctets) {
  EXPECT_EQ(section_of(kMixed, "BODY[]"), kMixed);
  EXPECT_EQ(section_of(kMixed, "BODY[HEADER]"), kMixed.substr(0, kMixed.find("--b 1")));
  EXPECT_EQ(section_of(kMixed, "BODY[TEXT]"), kMixed.substr(kMixed.find("--b 1")));
  EXPECT_EQ(section_of(kMixed, "BODY[1]"), "YWJj");
  EXPECT_EQ(section_of(kMixed, "BODY[1.MIME]"),
            "Content-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n\r\n");
  EXPECT_EQ(section_of(kMixed, "BODY[9]"), "NIL");
  EXPECT_EQ(section_of(kMixed, "BODY[1.HEADER]"), "NIL");
  EXPECT_EQ(section_of("Subject: x\r\n\r\nbody", "BODY[1]"), "body");
}

TEST(Sections, OfAMessageInsideAreItsOwn) {
  // Bug class 7: MIME is the part's header, HEADER that of the message in it.
  EXPECT_EQ(section_of(kMixed, "BODY[3.MIME]"), "Content-Type: message/rfc822\r\nX-Outer: 1\r\n\r\n");
  EXPECT_EQ(section_of(kMixed, "BODY[3.HEADER]"), "Subject: inside\r\nFrom: a@b.c\r\n\r\n");
  EXPECT_EQ(section_of(kMixed, "BODY[3.TEXT]"), "hi\r\n");
  EXPECT_EQ(section_of(kMixed, "BODY[3.1]"), "hi\r\n");
  EXPECT_EQ(section_of(kMixed, "BODY[3.HEADER.FIELDS (from)]"), "From: a@b.c\r\n\r\n");
}

TEST(Sections, ChooseHeaderFields) {
  constexpr std::string_view message = "A: 1\r\nB: 2\r\n folded\r\na: 3\r\n\r\nbody";
  EXPECT_EQ(section_of(message, "BODY.PEEK[HEADER.FIELDS (A)]"), "A: 1\r\na: 3\r\n\r\n");
  EXPECT_EQ(section_of(message, "BODY.PEEK[HEADER.FIELDS.NOT (a x)]"), "B: 2\r\n folded\r\n\r\n");
  EXPECT_EQ(section_of(message, "BODY.PEEK[HEADER.FIELDS (none)]"), "\r\n");
}

TEST(FetchItems, ArePassedOnAsTheyWereAsked) {
  const auto request =
      parse("(UID BODY.PEEK[2.HEADER.FIELDS (\"X\" y)]<5.10> RFC822.SIZE MODSEQ) (CHANGEDSINCE 0)");
  ASSERT_TRUE(request);
  EXPECT_TRUE(request->uid);
  EXPECT_EQ(request->items.at(0).label, "BODY[2.HEADER.FIELDS (X y)]<5>");
  EXPECT_EQ(request->items.at(0).offset, 5u);
  EXPECT_EQ(request->items.at(0).length, 10u);
  EXPECT_FALSE(request->sees());
  EXPECT_EQ(request->changed_since, 0u) << "bug class 23: iOS sends it";
}

TEST(FetchItems, KnowMacrosAndObsoleteNames) {
  EXPECT_EQ(parse("ALL")->items.size(), 4u);
  EXPECT_EQ(parse("fast")->items.size(), 3u);
  EXPECT_EQ(parse("FULL")->items.size(), 5u);
  // Bug class 14: Outlook's RFC822.PEEK.
  const auto peek = parse("(UID RFC822.SIZE RFC822.PEEK)");
  ASSERT_TRUE(peek);
  EXPECT_FALSE(peek->sees());
  EXPECT_TRUE(parse("RFC822")->sees());
}

TEST(FetchItems, RefuseNonsense) {
  for (const char* text :
       {"", "()", "(FLAGS", "BODY[", "BODY[1.]", "BODY[MIME]", "BODY[0]", "BODY[HEADER.FIELDS]",
        "BODY[HEADER.FIELDS ()]", "BODY[]<1>", "BODY[]<1.0>", "BODY[]<-1.5>", "FOO", "(ALL FLAGS)",
        "FLAGS (VANISHED)", "FLAGS (CHANGEDSINCE)", "FLAGS x", "BODY[1.2.HEADER.FOO]"})
    EXPECT_FALSE(parse(text)) << text;
}

}  // namespace
}  // namespace muhur::imap
