#include "mailbox/summary.hpp"
#include "mailbox/support.hpp"
#include "mime/corpus.hpp"
#include "mime/scanner.hpp"

namespace muhur::mailbox::test {
namespace {

using ContentTest = MailboxTest;

// What IMAP has to give back: bare line feeds have become CRLF, nothing else has changed.
std::string expected(std::string_view input) {
  std::string out;
  for (std::size_t i = 0; i < input.size(); ++i) {
    if (input[i] == '\n' && (i == 0 || input[i - 1] != '\r')) out += '\r';
    out += input[i];
  }
  return out;
}

const std::vector<std::string> kInputs = {
    "Subject: crlf\r\n\r\nbody\r\n",
    "Subject: lf\n\nbody\nmore\n",
    "Subject: mixed\r\n\nbody\r\nmore\n",
    "Subject: no end of line\r\n\r\nbody",
    "Subject: lone cr\r\n\r\na\rb\r\r\nc\r",
    std::string("Subject: nul\r\n\r\na\0b\0\r\n", 23),
    "Subject: 8 bit \xfc\xff\xc3\r\n\r\n\x80\x81\xfe\r\n",
    "Subject: header only\r\n",
    "no header at all",
    "\n",
    "\r\n",
    "\r",
    "",
    "\nbody after an empty header\n",
};

TEST_F(ContentTest, BytesComeBackAsTheyCameWithCrlf) {
  for (const std::string& input : kInputs) {
    const Uid uid = put(input);
    EXPECT_EQ(bytes(uid), expected(input));
    EXPECT_EQ(row(uid).size, expected(input).size());
  }
}

TEST_F(ContentTest, BytesAreTheSameAfterReopening) {
  std::vector<Uid> uids;
  for (const std::string& input : kInputs) uids.push_back(put(input));
  reopen();
  for (std::size_t i = 0; i < uids.size(); ++i) EXPECT_EQ(bytes(uids[i]), expected(kInputs[i]));
}

TEST_F(ContentTest, AnySliceOfAnyMessageEqualsTheSliceOfItsBytes) {
  const std::string long_header = "Subject: x\r\nX-Long: " + noise(150'000, 5) + "\r\n\r\nbody\r\n";
  const std::vector<std::string> messages = {
      simple("small"),
      simple("one chunk", noise(40'000, 1)),
      simple("exactly", std::string(65'536, 'x')),
      simple("many chunks", noise(700'000, 2)),
      with_attachment("attached", noise(300'000, 3)),
      with_attachment("small-attachment", noise(1'000, 4)),
      long_header,
  };
  std::uint64_t seed = 42;
  const auto random = [&](std::uint64_t below) {
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    return (seed >> 33) % below;
  };
  for (const std::string& message : messages) {
    const std::string whole = expected(message);
    Content content = must(box_->content(row(put(message)).email));
    ASSERT_EQ(content.size(), whole.size());
    EXPECT_EQ(must(content.all()), whole);
    EXPECT_EQ(must(content.read(whole.size(), 10)), "");
    EXPECT_EQ(must(content.read(whole.size() + 5, UINT64_MAX)), "");
    EXPECT_EQ(must(content.read(3, UINT64_MAX)), whole.substr(3));
    for (int i = 0; i < 300; ++i) {
      const std::uint64_t offset = random(whole.size() + 2);
      const std::uint64_t size = i % 3 == 0 ? random(40) : random(200'000);
      const std::string want = offset < whole.size() ? whole.substr(offset, size) : "";
      ASSERT_EQ(must(content.read(offset, size)), want) << offset << " + " << size;
    }
    std::string joined;  // as a session sends a large message
    while (joined.size() < whole.size()) joined += must(content.read(joined.size(), 50'000));
    EXPECT_EQ(joined, whole);
  }
}

TEST_F(ContentTest, AContentIdIsNeverUsedForOtherContent) {
  put(simple("one"), "INBOX", {.system = kDeleted});
  const EmailId first = row(1).email;
  must(box_->expunge(id("INBOX")));
  reopen();
  EXPECT_GT(row(put(simple("two"))).email, first);
}

TEST_F(ContentTest, TheStructureGivesTheOffsetsOfEachPart) {
  const std::string attachment = noise(50'000, 8);
  const Uid uid = put(with_attachment("offsets", attachment));
  const auto structure = must(box_->structure(row(uid).email));
  ASSERT_EQ(structure->parts.size(), 3u);
  EXPECT_EQ(structure->envelope.subject, "offsets");
  const mime::Part& part = structure->parts[2];
  EXPECT_EQ(part.subtype, "octet-stream");
  EXPECT_EQ(must(must(box_->content(row(uid).email)).read(part.body_start, part.body_size)), attachment);
  EXPECT_EQ(must(box_->structure(row(uid).email)), structure) << "the second time it comes from the cache";
}

TEST_F(ContentTest, EveryMessageOfTheCorpusComesBackWithItsStructureAfterReopening) {
  const auto corpus = mime::test::corpus();
  std::vector<AppendRequest> requests;
  for (const auto& sample : corpus) requests.push_back({.folder = id("INBOX"), .message = sample.bytes});
  must(box_->append_all(requests));
  reopen();
  for (std::size_t i = 0; i < corpus.size(); ++i) {
    const Uid uid = static_cast<Uid>(i + 1);
    ASSERT_EQ(bytes(uid), expected(corpus[i].bytes)) << corpus[i].name;
    EXPECT_EQ(encode_summary(*must(box_->structure(row(uid).email))),
              encode_summary(mime::scan(as_bytes(expected(corpus[i].bytes)))))
        << corpus[i].name;
  }
}

TEST_F(ContentTest, ALargeMessageThatCompressesTakesLittleRoom) {
  std::string body;
  while (body.size() < 2'000'000) body += "All work and no play makes Jack a dull boy.\r\n";
  const Uid uid = put(simple("dull", body));
  EXPECT_EQ(row(uid).size, simple("dull", body).size());
  box_.reset();
  EXPECT_LT(std::filesystem::file_size(file()), 600'000u);
}

}  // namespace
}  // namespace muhur::mailbox::test
