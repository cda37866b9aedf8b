#include "mailbox/summary.hpp"

#include "mailbox/layout.hpp"
#include "mailbox/packed.hpp"
#include "mailbox/support.hpp"
#include "mime/scanner.hpp"

namespace muhur::mailbox::test {
namespace {

const std::string kNested =
    "Date: Mon, 30 Nov 2026 10:06:14 +0300\r\nFrom: =?utf-8?Q?J=C3=BCrgen?= <j@example.com>\r\n"
    "Sender: s@example.com\r\nReply-To: r@example.com\r\nTo: Team: a@x.org, b@x.org;\r\nCc: c@x.org\r\n"
    "Bcc: d@x.org\r\nMessage-ID: <1@x>\r\nIn-Reply-To: <0@x>\r\nSubject: nested\r\n"
    "Content-Type: multipart/mixed; boundary=\"b1\"\r\nContent-Language: en, tr\r\n\r\n"
    "--b1\r\nContent-Type: multipart/alternative; boundary=b2\r\n\r\n"
    "--b2\r\nContent-Type: text/plain; charset=utf-8; format=flowed\r\n\r\nplain\r\n"
    "--b2\r\nContent-Type: text/html\r\nContent-ID: <html@x>\r\nContent-Description: "
    "page\r\n\r\n<p>html</p>\r\n--b2--\r\n"
    "--b1\r\nContent-Type: message/rfc822\r\nContent-Disposition: attachment; filename=\"a.eml\"\r\n\r\n"
    "Subject: inner\r\nFrom: i@x.org\r\n\r\ninner body\r\n"
    "--b1\r\nContent-Type: image/png; name=\"a b.png\"\r\nContent-Transfer-Encoding: base64\r\n"
    "Content-MD5: Q2hlY2sgSW50ZWdyaXR5IQ==\r\nContent-Location: http://x/\r\n\r\nAAAA\r\n--b1--\r\n";

bool same(const mime::Envelope& a, const mime::Envelope& b) {
  const auto same_list = [](const auto& x, const auto& y) {
    return std::equal(x.begin(), x.end(), y.begin(), y.end(), [](const auto& p, const auto& q) {
      return p.name == q.name && p.route == q.route && p.mailbox == q.mailbox && p.host == q.host;
    });
  };
  return a.date == b.date && a.subject == b.subject && a.in_reply_to == b.in_reply_to &&
         a.message_id == b.message_id && same_list(a.from, b.from) && same_list(a.sender, b.sender) &&
         same_list(a.reply_to, b.reply_to) && same_list(a.to, b.to) && same_list(a.cc, b.cc) &&
         same_list(a.bcc, b.bcc);
}

TEST(Summary, ComesBackAsItWas) {
  const mime::Structure before = mime::scan(as_bytes(kNested));
  ASSERT_EQ(before.parts.size(), 7u);
  const auto after = decode_summary(encode_summary(before), kNested.size());
  ASSERT_TRUE(after);
  ASSERT_EQ(after->parts.size(), before.parts.size());
  for (std::size_t i = 0; i < before.parts.size(); ++i) {
    const mime::Part &a = before.parts[i], &b = after->parts[i];
    EXPECT_EQ(a.kind, b.kind) << i;
    EXPECT_EQ(a.parent, b.parent);
    EXPECT_EQ(a.children, b.children);
    EXPECT_EQ(
        std::tie(a.header_start, a.header_size, a.body_start, a.body_size, a.header_lines, a.body_lines),
        std::tie(b.header_start, b.header_size, b.body_start, b.body_size, b.header_lines, b.body_lines));
    EXPECT_EQ(std::tie(a.type, a.subtype, a.parameters, a.has_type, a.encoding),
              std::tie(b.type, b.subtype, b.parameters, b.has_type, b.encoding));
    EXPECT_EQ(
        std::tie(a.id, a.description, a.md5, a.location, a.language, a.disposition, a.disposition_parameters),
        std::tie(b.id, b.description, b.md5, b.location, b.language, b.disposition,
                 b.disposition_parameters));
  }
  EXPECT_TRUE(same(after->envelope, before.envelope));
  ASSERT_EQ(after->inner_envelopes.size(), 1u);
  EXPECT_EQ(after->inner_envelopes[0].first, before.inner_envelopes[0].first);
  EXPECT_TRUE(same(after->inner_envelopes[0].second, before.inner_envelopes[0].second));
  EXPECT_EQ(after->limited, before.limited);
  const auto envelope = decode_envelope(encode_summary(before));
  ASSERT_TRUE(envelope);
  EXPECT_TRUE(same(*envelope, before.envelope));
}

TEST(Summary, EveryCutOfItIsRefused) {
  const Bytes whole = encode_summary(mime::scan(as_bytes(kNested)));
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_FALSE(decode_summary(ByteView(whole).first(size), kNested.size())) << size;
  Bytes longer = whole;
  longer.push_back(0);
  EXPECT_FALSE(decode_summary(longer, kNested.size()));
}

TEST(Summary, WhateverIsStoredTheTreeThatComesBackIsSound) {
  const Bytes whole = encode_summary(mime::scan(as_bytes(kNested)));
  std::size_t refused = 0, taken = 0;
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const Byte value : {0x00, 0x01, 0x02, 0x03, 0x7f, 0x80, 0xff}) {
      Bytes changed = whole;
      changed[at] = value;
      const auto got = decode_summary(changed, kNested.size());
      if (!got) {
        ++refused;
        continue;
      }
      ++taken;
      for (std::size_t i = 0; i < got->parts.size(); ++i) {
        const mime::Part& part = got->parts[i];
        ASSERT_LT(part.parent, static_cast<std::int32_t>(i));
        ASSERT_LE(part.header_start + part.header_size, kNested.size());
        ASSERT_LE(part.body_start + part.body_size, kNested.size());
        for (const std::uint32_t child : part.children) ASSERT_LT(child, got->parts.size());
        if (part.kind == mime::Part::Kind::message) ASSERT_EQ(part.children.size(), 1u);
      }
    }
  }
  EXPECT_GT(refused, 0u);
  EXPECT_GT(taken, 0u);
}

TEST(Summary, OffsetsBeyondTheMessageAreRefused) {
  EXPECT_FALSE(decode_summary(encode_summary(mime::scan(as_bytes(kNested))), kNested.size() - 10));
}

TEST(Summary, AMessagePartWithoutAMessageInsideIsKeptAsALeaf) {
  mime::Structure structure;
  structure.parts.push_back({.kind = mime::Part::Kind::message, .type = "message", .subtype = "rfc822"});
  const auto got = decode_summary(encode_summary(structure), 0);
  ASSERT_TRUE(got);
  EXPECT_EQ(got->parts[0].kind, mime::Part::Kind::leaf);
}

TEST(Layout, LengthsMustAddUpToTheMessage) {
  const Layout layout{{0, 100}, {7, 40'000}, {0, 3}};
  EXPECT_EQ(decode_layout(encode_layout(layout), 40'103), layout);
  EXPECT_FALSE(decode_layout(encode_layout(layout), 40'102));
  EXPECT_FALSE(decode_layout(encode_layout(layout), 40'104));
  const Bytes whole = encode_layout(layout);
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_FALSE(decode_layout(ByteView(whole).first(size), 40'103));
}

TEST(Packed, PlainBytesComeBackAndTakeNoMoreThanAFewBytesExtra) {
  for (const std::string& plain : {std::string(), std::string("a"), std::string(70'000, 'z'), noise(5'000, 3),
                                   to_string(random_bytes(65'536))}) {
    const Bytes packed = pack(plain);
    EXPECT_LE(packed.size(), plain.size() + 5);
    EXPECT_EQ(unpack(packed, plain.size()), plain);
  }
  EXPECT_LT(pack(std::string(70'000, 'z')).size(), 200u);
}

TEST(Packed, DamagedOrTooLargeIsRefused) {
  const std::string plain(10'000, 'a');
  Bytes packed = pack(plain);
  EXPECT_FALSE(unpack(packed, plain.size() - 1)) << "more than was allowed for";
  for (std::size_t size = 0; size < packed.size(); ++size)
    EXPECT_FALSE(unpack(ByteView(packed).first(size), plain.size()));
  packed[0] = 9;
  EXPECT_FALSE(unpack(packed, plain.size()));
}

}  // namespace
}  // namespace muhur::mailbox::test
