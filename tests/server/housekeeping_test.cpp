#include "server/housekeeping.hpp"

#include <algorithm>
#include <thread>

#include "accounts/audit.hpp"
#include "base/metrics.hpp"
#include "server/house_fixture.hpp"
#include "server/memory.hpp"
#include "server/stats.hpp"

namespace muhur::server {
namespace {

using testing::HasSubstr;

class HousekeepingTest : public HouseTest {
 protected:
  static vault::FileFigures file_of(vault::Database& database) {
    const auto figures = vault::figures_of(database);
    EXPECT_TRUE(figures) << figures.error().text();
    return figures ? figures->file : vault::FileFigures{};
  }
};

TEST_F(HousekeepingTest, AQuietDatabaseLosesItsFreePagesAndItsWalStepByStep) {
  leave_holes(directory(), 2 * static_cast<int>(kReclaimPages));
  const auto before = file_of(directory());
  ASSERT_GT(before.freelist_count, kReclaimPages);
  Housekeeping house(*office_);
  house.often();  // it has been written since we last looked: in use
  EXPECT_EQ(file_of(directory()).freelist_count, before.freelist_count);
  house.often();
  EXPECT_LE(file_of(directory()).freelist_count, before.freelist_count - kReclaimPages);
  for (int i = 0; i < 5; ++i) house.often();
  EXPECT_EQ(file_of(directory()).freelist_count, 0U);
  EXPECT_EQ(file_of(directory()).wal_bytes, 0U);
  EXPECT_EQ(house_kept_at(), clock_.now_ms());
}

TEST_F(HousekeepingTest, AMailboxInUseKeepsItsFreePagesAndAnIdleOneDoesNot) {
  auto session = alice();
  vault::Database& box = session.mailbox->database();
  leave_holes(box, 100);
  Housekeeping house(*office_);
  for (int i = 0; i < 4; ++i) house.often();
  EXPECT_GT(file_of(box).freelist_count, 0U);
  const auto id = session.user.mailbox_id;
  session.mailbox.reset();
  // The end of a session is noted on a pool first; until then the mailbox is in use.
  while (!std::ranges::all_of(office_->mailboxes().all(), [](const auto& one) { return one.idle; }))
    std::this_thread::yield();
  for (int i = 0; i < 4; ++i) house.often();
  const auto again = office_->mailboxes().find(id);
  ASSERT_NE(again, nullptr);
  EXPECT_EQ(file_of(again->database()).freelist_count, 0U);
}

TEST_F(HousekeepingTest, TheDailyWorkIsDoneOnceADayThoughTheServerStartsAnew) {
  leave_holes(directory(), 400);
  ASSERT_GT(file_of(directory()).fragmentation(), 25.0);
  Housekeeping(*office_).daily_if_due();
  EXPECT_EQ(file_of(directory()).freelist_count, 0U);
  leave_holes(directory(), 400);
  Housekeeping(*office_).daily_if_due();
  EXPECT_GT(file_of(directory()).freelist_count, 0U);
  clock_.advance(kHouseDaily);
  Housekeeping(*office_).daily_if_due();
  EXPECT_EQ(file_of(directory()).freelist_count, 0U);
}

TEST_F(HousekeepingTest, AnOpenMailboxForgetsWhatVanishedLongAgo) {
  auto session = alice();
  auto& box = *session.mailbox;
  const auto inbox = box.folder("INBOX")->id;
  ASSERT_TRUE(box.append({.folder = inbox, .message = "x", .flags = {mailbox::kDeleted, {}}}));
  ASSERT_TRUE(box.expunge(inbox));
  const auto remembered = [&] {
    return box.database()
        .read([](vault::Connection& c) { return c.query_int("SELECT count(*) FROM vanished"); })
        .value();
  };
  Housekeeping house(*office_);
  house.often();
  EXPECT_EQ(remembered(), 1);
  clock_.advance(Millis(100LL * 24 * 3600 * 1000));
  house.often();
  EXPECT_EQ(remembered(), 0);
}

TEST_F(HousekeepingTest, OldAuditRowsAreForgotten) {
  accounts::Audit audit(office_->directory());
  audit.record({.user = {}, .action = "old", .peer = {}, .detail = {}});
  ASSERT_TRUE(office_->directory().database().write([](vault::Connection&) -> Result<void> { return {}; }));
  clock_.advance(kAuditKept + Millis(1000));
  audit.record({.user = {}, .action = "new", .peer = {}, .detail = {}});
  Housekeeping(*office_).daily_if_due();
  const auto rows = audit.list(10);
  ASSERT_TRUE(rows);
  ASSERT_EQ(rows->size(), 1U);
  EXPECT_EQ((*rows)[0].action, "new");
}

TEST_F(HousekeepingTest, MaintainingNowLeavesNothingToDo) {
  const auto session = alice();
  leave_holes(session.mailbox->database(), 100);
  const auto done = maintain(*office_, {{"now", true}});
  ASSERT_TRUE(done) << done.error().text();
  const auto& databases = done->at("databases").as_array();
  EXPECT_EQ(databases.size(), 3U);
  for (const auto& one : databases)
    EXPECT_FALSE(one.as_object().contains("error")) << boost::json::serialize(one);
  const auto& box = named(databases, "mail/" + session.user.mailbox_id + ".db");
  EXPECT_TRUE(box.at("vacuum").at("done").as_bool());
  EXPECT_EQ(file_of(session.mailbox->database()).freelist_count, 0U);
  EXPECT_EQ(file_of(session.mailbox->database()).wal_bytes, 0U);
}

TEST_F(HousekeepingTest, StatisticsAreOfEachDatabaseAndOfAll) {
  const auto session = alice();
  const auto got = statistics(*office_, {});
  ASSERT_TRUE(got) << got.error().text();
  const auto& all = got->at("databases").as_array();
  std::uint64_t pages = 0;
  for (const auto& one : all) {
    pages += one.at("page_count").to_number<std::uint64_t>();
    EXPECT_EQ(one.at("page_size").to_number<int>(), 4096);
    for (const char* field :
         {"freelist_count", "wal_bytes", "fragmentation_percent", "size_mb", "longest_read_ms"})
      EXPECT_TRUE(one.as_object().contains(field)) << field;
  }
  EXPECT_EQ(all.size(), 3U);
  EXPECT_EQ(got->at("total").at("page_count").to_number<std::uint64_t>(), pages);
  EXPECT_THAT(boost::json::serialize(*got), testing::Not(HasSubstr("alice")));
}

TEST_F(HousekeepingTest, FiguresAreMetrics) {
  Housekeeping(*office_).often();
  const std::string text = metrics::prometheus_text();
  EXPECT_THAT(text, HasSubstr(R"(muhur_database_open{database="directory"} 1)"));
  EXPECT_THAT(text, HasSubstr(R"(muhur_database_open{database="mailboxes"} 0)"));
  EXPECT_THAT(text, HasSubstr("muhur_checkpoints_total"));
}

TEST_F(HousekeepingTest, AnAnnouncedDatabaseIsLookedAfterUntilItEnds) {
  auto other =
      vault::Database::open({.open = {.path = data() / "other.db", .mode = vault::OpenMode::create}});
  ASSERT_TRUE(other) << other.error().text();
  announce_database("other.db", *other);
  auto open = open_databases(*office_);
  ASSERT_EQ(open.size(), 3U);
  EXPECT_EQ(open[2].name, "other.db");
  open.clear();
  other->reset();
  EXPECT_EQ(open_databases(*office_).size(), 2U);
}

TEST(Memory, CachesShareAnEighthAndStayWithinBounds) {
  constexpr std::uint64_t kGiB = 1ULL << 30;
  EXPECT_EQ(cache_share_kib(8 * kGiB, 1), 65'536);
  EXPECT_EQ(cache_share_kib(8 * kGiB, 300), 2048);
  EXPECT_EQ(cache_share_kib(kGiB, 100'000), 512);
  EXPECT_EQ(cache_share_kib(kGiB, 0), 65'536);
  EXPECT_GT(machine_memory(), 64ULL << 20);
}

}  // namespace
}  // namespace muhur::server
