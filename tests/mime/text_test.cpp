#include "mime/text.hpp"

#include <gtest/gtest.h>

#include "base/unicode.hpp"
#include "mime/corpus.hpp"
#include "mime/scanner.hpp"

namespace muhur::mime {
namespace {

std::string body_of(std::string_view lf, std::size_t max = 1 << 20) {
  const std::string text = test::with_crlf(lf);
  return body_text(as_bytes(text), scan(as_bytes(text)), max);
}
std::string headers_of(std::string_view lf, std::size_t max = 1 << 20) {
  const std::string text = test::with_crlf(lf);
  return header_text(as_bytes(text), scan(as_bytes(text)), max);
}

TEST(HtmlToText, DropsTagsScriptsStylesAndComments) {
  EXPECT_EQ(html_to_text("<html><head><style>p{color:red}</style><script>if (a<b) x(\"</p>\")</script></head>"
                         "<body><!-- not <b>this</b> --><p>One <b>t</b>wo</p><p>three</body>"),
            "One two\nthree");
  EXPECT_EQ(html_to_text("a<br>b<td>c</td><td>d</td>"), "a\nb c d");
  EXPECT_EQ(html_to_text("a <img alt=\"x > y\"> b"), "a b");
  EXPECT_EQ(html_to_text("<SCRIPT>x</SCRIPT >y"), "y");
}

TEST(HtmlToText, DecodesReferences) {
  EXPECT_EQ(html_to_text("&lt;&amp;&gt; &eacute;&#304;&#x130;&euro; &unknown; & &#; &#0;"),
            "<&> \xC3\xA9\xC4\xB0\xC4\xB0\xE2\x82\xAC &unknown; & &#; \xEF\xBF\xBD");
  EXPECT_EQ(html_to_text("a&nbsp;&nbsp;b so&shy;ft"), "a b soft");
  EXPECT_EQ(html_to_text("&#99999999999;&#xD800;"), "\xEF\xBF\xBD\xEF\xBF\xBD");
}

TEST(HtmlToText, CollapsesWhiteSpace) {
  EXPECT_EQ(html_to_text("\r\n  a \t\n b  <div> </div> c \n"), "a b\nc");
}

TEST(HtmlToText, KeepsWhatIsNoMarkup) {
  EXPECT_EQ(html_to_text("1 < 2 > 1 <3"), "1 < 2 > 1 <3");
  EXPECT_EQ(html_to_text("a <"), "a <");
}

TEST(HtmlToText, EndsWhereSomethingIsNeverClosed) {
  EXPECT_EQ(html_to_text("a<!-- b"), "a");
  EXPECT_EQ(html_to_text("a<script>b"), "a");
  EXPECT_EQ(html_to_text("a<b title=\"x>y"), "ay");
}

TEST(HtmlToText, IsLinear) {
  for (const char* piece : {"<a \"", "<!--", "<script>", "&#", "<", "</script", "<a href=\"'", "&amp"}) {
    std::string html;
    for (int i = 0; i < 200'000; ++i) html += piece;
    EXPECT_LE(html_to_text(html).size(), html.size());
  }
}

TEST(BodyText, DecodesTransferAndCharset) {
  EXPECT_EQ(body_of("Content-Type: text/plain; charset=iso-8859-9\nContent-Transfer-Encoding: "
                    "quoted-printable\n\n=DDyi=\n!\n"),
            "\xC4\xB0yi!\r\n");
  EXPECT_EQ(body_of("Content-Type: text/html; charset=utf-8\nContent-Transfer-Encoding: "
                    "base64\n\nPHA+TWVyaGFiYTwvcD4=\n"),
            "Merhaba");
}

TEST(BodyText, GuessesTheCharsetWhereNoneIsGiven) {
  EXPECT_EQ(body_of("\n\xC4\xB0\n"), "\xC4\xB0\r\n");
  EXPECT_EQ(body_of("\n\xFC\n"), "\xC3\xBC\r\n");
  EXPECT_EQ(body_of("Content-Type: text/plain; charset=us-ascii\n\n\xFC\n"), "\xC3\xBC\r\n");
  EXPECT_EQ(body_of("Content-Type: text/html\n\n<meta charset=\"iso-8859-9\"><p>\xDD"), "\xC4\xB0");
}

TEST(BodyText, TakesPartsInOrderAndNamesOfAttachments) {
  EXPECT_EQ(body_of("Content-Type: multipart/mixed; boundary=b\n\npreamble\n--b\n\none\n--b\n"
                    "Content-Type: image/png; name=\"p.png\"\n\nbinary\n--b\nContent-Type: application/pdf\n"
                    "Content-Disposition: attachment; filename*=utf-8''%C4%B0.pdf\n\nbinary\n--b\n"
                    "Content-Type: message/rfc822\n\nSubject: in\n\ntwo\n--b--\n"),
            "one\np.png\n\xC4\xB0.pdf\ntwo");
}

TEST(BodyText, EndsAtItsLimitWithAWholeCharacter) {
  EXPECT_EQ(body_of("\na\xC4\xB0", 2), "a");
  EXPECT_EQ(body_of("\nabc", 0), "");
}

TEST(HeaderText, HasAllFieldsOfAllMessagesDecoded) {
  EXPECT_EQ(
      headers_of("Subject: =?utf-8?q?=C4=B0?=\nX: y\n z\nContent-Type: multipart/mixed; boundary=b\n\n--b\n"
                 "Content-Type: message/rfc822\n\nSubject: inner\n\nbody\n--b--\n"),
      "Subject: \xC4\xB0\nX: y z\nContent-Type: multipart/mixed; boundary=b\nSubject: inner\n");
  EXPECT_EQ(headers_of("Subject: abc\n\n", 9), "Subject: ");
}

TEST(Text, OfTheWholeCorpusIsUtf8) {
  for (const auto& sample : test::corpus()) {
    const Structure s = scan(as_bytes(sample.bytes));
    ASSERT_TRUE(is_utf8(body_text(as_bytes(sample.bytes), s, 1000))) << sample.name;
    ASSERT_TRUE(is_utf8(header_text(as_bytes(sample.bytes), s, 1000))) << sample.name;
  }
}

}  // namespace
}  // namespace muhur::mime
