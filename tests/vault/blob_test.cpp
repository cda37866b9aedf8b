#include "vault/blob.hpp"

#include "fixture.hpp"
#include "vault/transaction.hpp"

namespace muhur::vault {
namespace {

class BlobTest : public VaultTest {
 protected:
  BlobTest() {
    EXPECT_TRUE(ok(db_->exec("CREATE TABLE t(id INTEGER PRIMARY KEY, n, data)")));
    auto st = *db_->prepare("INSERT INTO t(id, n, data) VALUES(?, ?, ?)");
    for (int id : {1, 2}) {
      st.bind(id, 5);
      st.bind_zeroblob(3, 100'000);
      EXPECT_TRUE(ok(st.run()));
    }
  }
  std::unique_ptr<Connection> db_ = connect();
};

TEST_F(BlobTest, IsFilledAndReadInPieces) {
  const Bytes data = random_bytes(100'000);
  auto blob = Blob::open(*db_, "t", "data", 1, true);
  ASSERT_TRUE(ok(blob));
  EXPECT_EQ(blob->size(), data.size());
  for (std::size_t at = 0; at < data.size(); at += 7'000) {
    const ByteView piece = ByteView(data).subspan(at, std::min<std::size_t>(7'000, data.size() - at));
    ASSERT_TRUE(ok(blob->write(at, piece)));
  }
  Bytes back(33'333);
  ASSERT_TRUE(ok(blob->read(50'000, back)));
  EXPECT_TRUE(std::ranges::equal(back, ByteView(data).subspan(50'000, back.size())));
}

TEST_F(BlobTest, RefusesToGoBeyondItsEnd) {
  auto blob = *Blob::open(*db_, "t", "data", 1, true);
  Bytes piece(2);
  EXPECT_TRUE(ok(blob.read(99'998, piece)));
  EXPECT_TRUE(fails_with(Code::limit, blob.read(99'999, piece)));
  EXPECT_TRUE(fails_with(Code::limit, blob.write(1ULL << 40, piece)));
  EXPECT_TRUE(ok(blob.read(100'000, MutableBytes())));
}

TEST_F(BlobTest, SaysThatThereIsNoRowOrNoBytes) {
  EXPECT_TRUE(fails_with(Code::not_found, Blob::open(*db_, "t", "data", 99)));
  EXPECT_TRUE(fails_with(Code::not_found, Blob::open(*db_, "t", "n", 1)));
  EXPECT_TRUE(fails_with(Code::not_found, Blob::open(*db_, "t", "no_such", 1)));
}

TEST_F(BlobTest, MovesToAnotherRow) {
  auto blob = *Blob::open(*db_, "t", "data", 1, true);
  ASSERT_TRUE(ok(blob.write(0, as_bytes("one"))));
  ASSERT_TRUE(ok(blob.move_to(2)));
  Bytes back(3);
  ASSERT_TRUE(ok(blob.read(0, back)));
  EXPECT_EQ(back, Bytes(3));
  EXPECT_TRUE(fails_with(Code::not_found, blob.move_to(3)));
}

TEST_F(BlobTest, SaysThatItsRowWasChangedMeanwhile) {
  auto blob = *Blob::open(*db_, "t", "data", 1);
  ASSERT_TRUE(ok(db_->run("UPDATE t SET n = 6 WHERE id = 1")));
  Bytes piece(1);
  EXPECT_TRUE(fails_with(Code::conflict, blob.read(0, piece)));
}

TEST_F(BlobTest, ReadOnlyRefusesToWrite) {
  auto blob = *Blob::open(*db_, "t", "data", 1);
  EXPECT_FALSE(blob.write(0, as_bytes("x")));
}

}  // namespace
}  // namespace muhur::vault
