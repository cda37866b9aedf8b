#include "vault/record.hpp"

#include "base/random.hpp"
#include "fixture.hpp"
#include "vault/btree_page.hpp"
#include "vault/pages.hpp"

namespace muhur::vault {
namespace {

// Header: its size 7, then NULL, int8, int16, double, text of 2, blob of 3; then the bodies.
const Bytes kRecord{7,    0,    1, 2, 7, 17, 18,     // serial types: text 13 + 2n, blob 12 + 2n
                    0xff,                            // -1
                    0x01, 0x00,                      // 256
                    0x3f, 0xf8, 0, 0, 0, 0,  0,  0,  // 1.5
                    'o',  'k',                       //
                    9,    8,    7};

TEST(RecordTest, ComesApartIntoItsFields) {
  std::vector<Field> fields;
  ASSERT_TRUE(parse_record(kRecord, fields));
  ASSERT_EQ(fields.size(), 6U);
  EXPECT_TRUE(std::holds_alternative<std::monostate>(fields[0]));
  EXPECT_EQ(std::get<std::int64_t>(fields[1]), -1);
  EXPECT_EQ(std::get<std::int64_t>(fields[2]), 256);
  EXPECT_EQ(std::get<double>(fields[3]), 1.5);
  EXPECT_EQ(std::get<std::string_view>(fields[4]), "ok");
  EXPECT_TRUE(std::ranges::equal(std::get<ByteView>(fields[5]), Bytes{9, 8, 7}));
}

TEST(RecordTest, EveryShorterOneIsRefused) {
  std::vector<Field> fields;
  for (std::size_t size = 0; size < kRecord.size(); ++size) {
    const Bytes cut(kRecord.begin(), kRecord.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_FALSE(parse_record(cut, fields)) << size;
  }
}

TEST(RecordTest, ReservedTypesAndImpossibleSizesAreRefused) {
  std::vector<Field> fields;
  EXPECT_FALSE(parse_record(Bytes{2, 10}, fields));
  EXPECT_FALSE(parse_record(Bytes{2, 11}, fields));
  EXPECT_FALSE(parse_record(Bytes{0}, fields));    // a header shorter than its own size
  EXPECT_FALSE(parse_record(Bytes{200}, fields));  // cut inside the size
  EXPECT_FALSE(parse_record(Bytes{10, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, fields));
}

TEST(VarintTest, TakesOneToNineBytes) {
  const std::array<std::pair<Bytes, std::uint64_t>, 4> known{{
      {{0x7f}, 127},
      {{0x81, 0x00}, 128},
      {{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, ~0ULL},
      {{0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x05}, 5},
  }};
  for (const auto& [bytes, expected] : known) {
    ByteView at = bytes;
    std::uint64_t value = 0;
    ASSERT_TRUE(take_varint(at, value));
    EXPECT_EQ(value, expected);
    EXPECT_TRUE(at.empty());
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      ByteView cut = ByteView(bytes).first(size);
      EXPECT_FALSE(take_varint(cut, value));
    }
  }
}

// Authentic pages are SQLite's own, but those of a plain file are anybody's.
TEST(BtreePageTest, NoBytesWhateverMakeItReadOutsideThePage) {
  constexpr std::uint32_t kSize = 512;
  for (int round = 0; round < 20'000; ++round) {
    auto page = std::make_unique<Bytes>(random_bytes(kSize));  // on the heap, so that asan sees its end
    constexpr Byte kTypes[] = {2, 5, 10, 13};
    (*page)[0] = kTypes[random_below(4)];
    if (round % 2 == 0) store_be16(page->data() + 3, static_cast<std::uint16_t>(random_below(60)));
    BtreePage parsed;
    ASSERT_TRUE(parse_btree_page(*page, 2, kSize - 32, parsed));
    for (const Cell& cell : parsed.cells) {
      ASSERT_GE(cell.local.data(), page->data());
      ASSERT_LE(cell.local.data() + cell.local.size(), page->data() + kSize - 32);
      std::vector<Field> fields;
      (void)parse_record(cell.local, fields);
    }
  }
}

TEST(BtreePageTest, OtherPagesAreNone) {
  BtreePage parsed;
  EXPECT_FALSE(parse_btree_page(Bytes(512), 2, 480, parsed));
  EXPECT_FALSE(parse_btree_page(Bytes(100, 13), 2, 480, parsed));
}

using PagesTest = VaultTest;

TEST_F(PagesTest, ReadsWhatSqliteWroteAndNothingElse) {
  const auto db = connect();
  ASSERT_TRUE(
      ok(db->exec("CREATE TABLE t(a); INSERT INTO t VALUES('needle'); PRAGMA wal_checkpoint(TRUNCATE)")));
  const auto pages = Pages::of(*db);
  ASSERT_TRUE(ok(pages));
  EXPECT_EQ(pages->size(), 4096U);
  EXPECT_EQ(pages->reserved(), 32U);
  EXPECT_EQ(pages->count() * 4096, std::filesystem::file_size(file()));
  bool found = false;
  for (std::uint32_t page = 1; page <= pages->count(); ++page) {
    const auto bytes = pages->read(page);
    ASSERT_TRUE(ok(bytes));
    found = found || as_text(*bytes).contains("needle");
  }
  EXPECT_TRUE(found);
  EXPECT_TRUE(fails_with(Code::corrupt, pages->read(0)));
  EXPECT_TRUE(fails_with(Code::corrupt, pages->read(pages->count() + 1)));
}

}  // namespace
}  // namespace muhur::vault
