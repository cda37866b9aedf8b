// A write-ahead log that was cut or changed: what it holds up to there, and never anything else.
#include "vault/damage_fixture.hpp"
#include "vault/wal_format.hpp"

namespace muhur::vault::testing {
namespace {

class DamageWalTest : public DamageTest {
 protected:
  static constexpr int kCommits = 6;

  // A checkpointed table, then commits that are in the WAL only; the state after each is kept.
  void SetUp() override {
    const auto db = open_bare(OpenMode::create);
    ASSERT_NE(db, nullptr);
    ASSERT_TRUE(
        ok(db->exec("PRAGMA page_size=512; PRAGMA secure_delete=1; PRAGMA journal_mode=WAL;"
                    "PRAGMA wal_autocheckpoint=0")));
    ASSERT_TRUE(ok(db->exec(kContents)));
    ASSERT_TRUE(ok(db->exec("PRAGMA wal_checkpoint(TRUNCATE)")));
    note(*db);
    for (int i = 1; i <= kCommits; ++i) {
      ASSERT_TRUE(ok(db->run("UPDATE t SET body = 'commit ' || ? || body WHERE id = ?", i, i)));
      note(*db);
    }
    database_ = bytes_of();
    wal_ = bytes_of("-wal");
    ASSERT_LT(wal_.size(), 40'000U);
  }
  void note(Connection& db) {
    const auto rows = everything(db);
    ASSERT_TRUE(ok(rows));
    states_.push_back(*rows);
    ends_.push_back(bytes_of("-wal").size());
  }
  Result<Rows> with_wal(const Bytes& wal) const {
    remove_all();
    put(database_);
    put_beside("-wal", wal);
    return read_file_back();
  }

  Bytes database_, wal_;
  std::vector<Rows> states_;       // [i]: after commit i
  std::vector<std::size_t> ends_;  // [i]: the WAL's size then
};

TEST_F(DamageWalTest, CutAnywhereItKeepsTheCommitsBeforeTheCut) {
  std::size_t whole = 0;
  for (std::size_t size = 0; size <= wal_.size(); ++size) {
    while (whole < kCommits && ends_[whole + 1] <= size) ++whole;
    const auto got = with_wal({wal_.begin(), wal_.begin() + static_cast<std::ptrdiff_t>(size)});
    ASSERT_TRUE(ok(got)) << "cut to " << size;
    ASSERT_EQ(*got, states_[whole]) << "cut to " << size;
  }
  EXPECT_EQ(whole, static_cast<std::size_t>(kCommits));
}

TEST_F(DamageWalTest, ABitFlippedAnywhereCostsTheCommitsFromThereOrIsAnError) {
  std::size_t whole = 0;
  for (std::size_t at = 0; at < wal_.size(); ++at) {
    while (whole < kCommits && ends_[whole + 1] <= at) ++whole;
    Bytes damaged = wal_;
    damaged[at] ^= static_cast<Byte>(1U << (at % 8));
    const auto got = with_wal(damaged);
    if (got)
      ASSERT_EQ(*got, states_[whole]) << "byte " << at;
    else
      ASSERT_TRUE(is_loud(got)) << "byte " << at;
  }
}

// Who can compute SQLite's checksum, which has no key, still cannot forge a page.
TEST_F(DamageWalTest, AFrameWithARightChecksumAndAWrongTagIsAnError) {
  for (std::size_t frame = kWalHeader; frame < wal_.size(); frame += kFrameHeader + kPage) {
    Bytes forged = wal_;
    forged[frame + kFrameHeader + 77] ^= 1;
    const bool big = (load_be32(forged.data()) & 1) != 0;
    std::uint32_t sum[2] = {load_be32(forged.data() + kWalHeaderSum),
                            load_be32(forged.data() + kWalHeaderSum + 4)};
    for (std::size_t at = kWalHeader; at < forged.size(); at += kFrameHeader + kPage) {
      Byte* const head = forged.data() + at;
      wal_checksum(big, {head, 8}, sum);
      wal_checksum(big, {head + kFrameHeader, kPage}, sum);
      store_be32(head + kFrameSum, sum[0]);
      store_be32(head + kFrameSum + 4, sum[1]);
    }
    const auto got = with_wal(forged);
    // A frame that a later one of the same page replaces is never read.
    if (got)
      ASSERT_EQ(*got, states_[kCommits]) << "frame at " << frame;
    else
      ASSERT_TRUE(is_loud(got)) << "frame at " << frame;
  }
}

TEST_F(DamageWalTest, TheWalOfAnotherDatabaseIsAnErrorOrNotTaken) {
  Bytes foreign = random_bytes(wal_.size());
  const auto noise = with_wal(foreign);
  ASSERT_TRUE(ok(noise));
  EXPECT_EQ(*noise, states_[0]);
  // A real one under another key: its frames chain, and none verifies.
  remove_all();
  const Key other = Key::random();
  {
    const auto db = Connection::open({.path = file(), .key = &other, .mode = OpenMode::create, .bare = true});
    ASSERT_TRUE(ok(db));
    ASSERT_TRUE(
        ok((*db)->exec("PRAGMA page_size=512; PRAGMA journal_mode=WAL; PRAGMA wal_autocheckpoint=0")));
    ASSERT_TRUE(ok((*db)->exec(kContents)));
    foreign = bytes_of("-wal");
  }
  EXPECT_TRUE(is_loud(with_wal(foreign)));
}

}  // namespace
}  // namespace muhur::vault::testing
