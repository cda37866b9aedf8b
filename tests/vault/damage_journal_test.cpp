// A hot rollback journal that was cut or changed: the transaction is undone whole, or the database does not
// open.
#include "vault/damage_fixture.hpp"

namespace muhur::vault::testing {
namespace {

class DamageJournalTest : public DamageTest {
 protected:
  // A transaction that has spilled into the file is stopped in its middle.
  void SetUp() override {
    const auto db = open_bare(OpenMode::create);
    ASSERT_NE(db, nullptr);
    ASSERT_TRUE(ok(db->exec("PRAGMA page_size=512; PRAGMA secure_delete=1; PRAGMA synchronous=FULL")));
    ASSERT_TRUE(ok(db->exec(kContents)));
    const auto rows = everything(*db);
    ASSERT_TRUE(ok(rows));
    before_ = *rows;
    const Bytes untouched = bytes_of();
    ASSERT_TRUE(ok(db->exec("PRAGMA cache_size=200; BEGIN; UPDATE t SET body = 'changed ' || id || body")));
    // All pages are in the journal; now they leave the cache, one after the other, for new ones.
    ASSERT_TRUE(
        ok(db->exec("PRAGMA cache_size=1; INSERT INTO t SELECT id + 100, hex(zeroblob(100)) FROM t")));
    database_ = bytes_of();
    journal_ = bytes_of("-journal");
    ASSERT_NE(database_, untouched);
    ASSERT_GT(journal_.size(), 1024U);
    ASSERT_TRUE(ok(db->exec("ROLLBACK")));
  }
  Result<Rows> with_journal(const Bytes& journal) const {
    remove_all();
    put(database_);
    put_beside("-journal", journal);
    return read_file_back();
  }
  // Where each header is, and where what was flushed under it ends.
  std::vector<std::size_t> segment_ends() const {
    std::vector<std::size_t> ends;
    for (std::size_t at = 0; at + 512 <= journal_.size();) {
      const std::uint32_t records = load_be32(journal_.data() + at + 8);
      if (records == 0) break;
      const std::size_t end = at + 512 + records * (kPage + 8UL);
      ends.push_back(end);
      at = (end + 511) / 512 * 512;
    }
    return ends;
  }

  Bytes database_, journal_;
  Rows before_;
};

TEST_F(DamageJournalTest, WholeItUndoesTheTransaction) {
  const auto got = with_journal(journal_);
  ASSERT_TRUE(ok(got));
  EXPECT_EQ(*got, before_);
}

// Found here: SQLite takes a journal that ends too early for one that was never flushed, and keeps half a
// transaction. docs/vault.md names the one kind of cut that cannot be told: between two flushed parts.
TEST_F(DamageJournalTest, CutAnywhereItIsWholeOrAnError) {
  const auto ends = segment_ends();
  ASSERT_FALSE(ends.empty());
  for (std::size_t size = 1; size < journal_.size(); ++size) {
    const auto got = with_journal({journal_.begin(), journal_.begin() + static_cast<std::ptrdiff_t>(size)});
    if (size < ends.front()) {
      ASSERT_TRUE(is_loud(got)) << "cut to " << size;
    } else if (size >= ends.back()) {
      ASSERT_TRUE(ok(got)) << "cut to " << size;
      ASSERT_EQ(*got, before_);
    }
  }
}

TEST_F(DamageJournalTest, ABitFlippedInARecordIsAnErrorOrOfNoMeaning) {
  const auto ends = segment_ends();
  ASSERT_FALSE(ends.empty());
  for (std::size_t at = 512; at < ends.front(); ++at) {
    Bytes damaged = journal_;
    damaged[at] ^= static_cast<Byte>(1U << (at % 8));
    const auto got = with_journal(damaged);
    if (got)
      ASSERT_EQ(*got, before_) << "byte " << at;
    else
      ASSERT_TRUE(is_loud(got)) << "byte " << at;
  }
}

TEST_F(DamageJournalTest, AJournalOfNoiseIsNotPlayedBack) {
  remove_all();
  {
    const auto db = open_bare(OpenMode::create);
    ASSERT_TRUE(ok(db->exec("PRAGMA page_size=512; PRAGMA secure_delete=1")));
    ASSERT_TRUE(ok(db->exec(kContents)));
  }
  Bytes noise = random_bytes(journal_.size());
  noise[0] = 1;  // a zero would make it no journal at all
  put_beside("-journal", noise);
  const auto got = read_file_back();
  if (got)
    EXPECT_EQ(*got, before_);
  else
    EXPECT_TRUE(is_loud(got));
}

}  // namespace
}  // namespace muhur::vault::testing
