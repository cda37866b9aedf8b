#include "mailbox/support.hpp"

namespace muhur::mailbox::test {
namespace {

class SecrecyTest : public MailboxTest {
 protected:
  std::string file_bytes(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
};

TEST_F(SecrecyTest, NothingOfAMailboxIsReadableInItsFiles) {
  const std::string kMarker = "TopSecretMarker";
  must(box_->create_folder("Folder" + kMarker));
  put("From: " + kMarker + "@example.com\r\nSubject: " + kMarker + "\r\nX-A: " + kMarker + "\r\n\r\n" +
          kMarker + "\r\n",
      "INBOX", {0, {"Keyword" + kMarker}});
  std::string attachment;
  while (attachment.size() < 300'000) attachment += kMarker + "\r\n";
  put(with_attachment(kMarker, attachment), "Folder" + kMarker);
  must(box_->search(id("INBOX"), {.kind = Criterion::Kind::body, .text = kMarker}));
  must(box_->database().exclusive([](vault::Connection& c) { return c.exec("VACUUM"); }));
  const auto look = [&](const char* when) {
    std::size_t files = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(dir_.path())) {
      if (!entry.is_regular_file()) continue;
      ++files;
      const std::string all = file_bytes(entry.path());
      for (const std::string& word : {kMarker, std::string("topsecretmarker"), std::string("example.com"),
                                      std::string("CREATE TABLE"), std::string("INBOX")})
        EXPECT_EQ(all.find(word), std::string::npos) << word << " in " << entry.path() << ' ' << when;
      EXPECT_EQ(entry.path().string().find(kMarker), std::string::npos);
    }
    EXPECT_GE(files, 1u);
  };
  put(simple(kMarker, kMarker));
  look("while it is open");
  box_.reset();
  look("when it is closed");
}

TEST_F(SecrecyTest, AnotherKeyDoesNotOpenIt) {
  put(simple("x"));
  box_.reset();
  const vault::Key other = vault::Key::random();
  auto with_other = options();
  with_other.key = &other;
  EXPECT_EQ(code_of(Mailbox::open(with_other)), Code::denied);
  reopen();
  EXPECT_EQ(bytes(1), simple("x"));
}

class DamageTest : public SecrecyTest {};

TEST_F(DamageTest, AFlippedByteIsAnErrorThatNamesTheFileAndLeavesOtherMailboxesAlone) {
  for (int i = 0; i < 40; ++i)
    put(simple(fmt::format("m{}", i), noise(8'000, static_cast<std::uint64_t>(i))));
  auto other_options = options();
  other_options.path = dir_.path() / "other.db";
  const auto other = must(Mailbox::open(other_options));
  must(other->append({.folder = must(other->folder("INBOX")).id, .message = simple("safe")}));
  box_.reset();

  const auto size = std::filesystem::file_size(file());
  std::size_t noticed = 0;
  for (std::uintmax_t at = 4096 + 100; at + 4096 < size; at += 4096 * 5) {
    std::fstream io(file(), std::ios::binary | std::ios::in | std::ios::out);
    io.seekg(static_cast<std::streamoff>(at));
    const char old = static_cast<char>(io.get());
    io.seekp(static_cast<std::streamoff>(at));
    io.put(static_cast<char>(old ^ 0x10));
    io.flush();
    const auto box = Mailbox::open(options());
    std::vector<Error> errors;
    if (!box) {
      errors.push_back(box.error());
    } else if (const auto inbox = (*box)->folder("INBOX"); !inbox) {
      errors.push_back(inbox.error());
    } else if (const auto delta = (*box)->list(inbox->id); !delta) {
      errors.push_back(delta.error());
    } else {
      for (const MessageRow& row : delta->changed) {
        auto content = (*box)->content(row.email);
        if (!content) {
          errors.push_back(content.error());
          continue;
        }
        const auto all = content->all();
        if (all)
          EXPECT_EQ(*all, simple(fmt::format("m{}", row.uid - 1), noise(8'000, row.uid - 1)));
        else
          errors.push_back(all.error());
      }
    }
    for (const Error& error : errors) {
      EXPECT_EQ(error.code, Code::corrupt) << error.text();
      EXPECT_NE(error.what.find(file().string()), std::string::npos) << error.text();
      ++noticed;
    }
    io.seekp(static_cast<std::streamoff>(at));
    io.put(old);
  }
  EXPECT_GT(noticed, 5u);
  EXPECT_EQ(must(other->folder("INBOX")).messages, 1u);
  reopen();
  EXPECT_EQ(uids().size(), 40u) << "the bytes are back: so is the mail";
}

TEST_F(DamageTest, StoredBytesThatCannotBeOursAreCorruptAndTheRestStaysReadable) {
  for (int i = 0; i < 2; ++i) put(simple(fmt::format("m{}", i)));
  put(with_attachment("damaged", noise(100'000, 4)));
  put(with_attachment("layout", noise(100'000, 5)));
  put(with_attachment("whole", noise(100'000, 6)));
  must(box_->database().write([](vault::Connection& c) -> Result<void> {
    MUHUR_CHECK(c.exec("UPDATE emails SET summary = x'01' WHERE id = 1"));
    MUHUR_CHECK(c.exec("UPDATE emails SET head = x'0105aa' WHERE id = 2"));
    MUHUR_CHECK(
        c.exec("UPDATE attachment_chunks SET data = zeroblob(50) "
               "WHERE id = (SELECT min(id) FROM attachment_chunks)"));
    return c.exec("UPDATE emails SET layout = x'01ff' WHERE id = 4");
  }));
  EXPECT_EQ(code_of(box_->structure(row(1).email)), Code::corrupt);
  EXPECT_EQ(code_of(box_->content(row(2).email)), Code::corrupt);
  EXPECT_EQ(code_of(must(box_->content(row(3).email)).all()), Code::corrupt);
  EXPECT_EQ(code_of(box_->content(row(4).email)), Code::corrupt);
  EXPECT_EQ(bytes(1), simple("m0"));
  EXPECT_TRUE(box_->structure(row(3).email));
  EXPECT_EQ(bytes(5), with_attachment("whole", noise(100'000, 6)));
}

}  // namespace
}  // namespace muhur::mailbox::test
