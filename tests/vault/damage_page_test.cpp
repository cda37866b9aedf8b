// The database file, changed behind the vault's back.
#include "vault/check.hpp"
#include "vault/damage_fixture.hpp"

namespace muhur::vault::testing {
namespace {

class DamagePageTest : public DamageTest {
 protected:
  void SetUp() override {
    {
      const auto db = open_bare(OpenMode::create);
      ASSERT_NE(db, nullptr);
      ASSERT_TRUE(ok(db->exec("PRAGMA page_size=512; PRAGMA secure_delete=1;")));
      ASSERT_TRUE(ok(db->exec(kContents)));
    }
    sound_ = bytes_of();
    const auto rows = read_file_back();
    ASSERT_TRUE(ok(rows));
    rows_ = *rows;
    ASSERT_GT(sound_.size(), 12 * kPage);
  }
  std::size_t pages() const { return sound_.size() / kPage; }
  auto page(Bytes& bytes, std::size_t index) const {
    return bytes.begin() + static_cast<std::ptrdiff_t>(index * kPage);
  }

  Bytes sound_;
  Rows rows_;
};

TEST_F(DamagePageTest, AFlippedBitAnywhereIsFound) {
  for (std::size_t at = 0; at < sound_.size(); ++at) {
    Bytes damaged = sound_;
    damaged[at] ^= static_cast<Byte>(1U << (at % 8));
    put(damaged);
    ASSERT_TRUE(is_loud(read_file_back())) << "byte " << at;
  }
}

TEST_F(DamagePageTest, AFileCutAnywhereIsFound) {
  for (std::size_t size = 1; size < sound_.size(); ++size) {
    put({sound_.begin(), sound_.begin() + static_cast<std::ptrdiff_t>(size)});
    ASSERT_TRUE(is_loud(read_file_back())) << "cut to " << size;
  }
}

TEST_F(DamagePageTest, AZeroedPageIsFound) {
  for (std::size_t i = 0; i < pages(); ++i) {
    Bytes damaged = sound_;
    std::fill_n(page(damaged, i), kPage, Byte{0});
    put(damaged);
    ASSERT_TRUE(is_loud(read_file_back())) << "page " << i + 1;
  }
}

TEST_F(DamagePageTest, SwappedPagesAreFound) {
  for (std::size_t i = 0; i < pages(); ++i) {
    for (std::size_t k = i + 1; k < pages(); ++k) {
      Bytes damaged = sound_;
      std::swap_ranges(page(damaged, i), page(damaged, i + 1), page(damaged, k));
      put(damaged);
      ASSERT_TRUE(is_loud(read_file_back())) << i + 1 << " and " << k + 1;
    }
  }
}

TEST_F(DamagePageTest, ARepeatedPageIsFound) {
  for (std::size_t i = 1; i + 1 < pages(); ++i) {
    Bytes damaged = sound_;
    std::copy_n(page(damaged, i), kPage, page(damaged, i + 1));
    put(damaged);
    ASSERT_TRUE(is_loud(read_file_back())) << "page " << i + 1;
  }
}

// docs/vault.md: "no freshness: an older copy of a page in its place … is accepted".
TEST_F(DamagePageTest, AnOldPageInItsPlaceIsNotFound) {
  const std::string update = "UPDATE t SET body = replace(body, 'row 3 ', 'ROW 3 ') WHERE id = 3";
  {
    const auto db = open_bare();
    ASSERT_TRUE(ok(db->exec("DROP INDEX t_body")));
  }
  const Bytes before = bytes_of();
  {
    const auto db = open_bare();
    ASSERT_TRUE(ok(db->exec(update)));
  }
  Bytes now = bytes_of();
  ASSERT_EQ(before.size(), now.size());
  for (std::size_t i = 1; i < now.size() / kPage; ++i)
    std::copy_n(before.begin() + static_cast<std::ptrdiff_t>(i * kPage), kPage, page(now, i));
  put(now);
  const auto db = open_bare();
  const auto text = db->query_text("SELECT substr(body, 1, 5) FROM t WHERE id = 3");
  ASSERT_TRUE(ok(text));
  EXPECT_EQ(*text, "row 3");
  const auto report = check(*db);
  ASSERT_TRUE(ok(report));
  EXPECT_TRUE(report->sound()) << report->summary();
}

TEST_F(DamagePageTest, CheckNamesEachDamagedPage) {
  for (std::size_t i = 1; i < pages(); ++i) {
    Bytes damaged = sound_;
    damaged[i * kPage + 100] ^= 1;
    put(damaged);
    const auto db = open_bare();
    const auto report = check(*db);
    ASSERT_TRUE(ok(report)) << "page " << i + 1;
    ASSERT_EQ(report->damaged.size(), 1U) << "page " << i + 1;
    EXPECT_EQ(report->damaged[0].page, i + 1);
  }
}

}  // namespace
}  // namespace muhur::vault::testing
