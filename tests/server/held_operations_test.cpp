#include "server/held_operations.hpp"

#include "server/house_fixture.hpp"

namespace muhur::server {
namespace {

namespace json = boost::json;

class HeldOperationsTest : public HouseTest {
 protected:
  void SetUp() override {
    HouseTest::SetUp();
    for (const char* name : {"alice@example.org", "bob@example.org"})
      ASSERT_TRUE(office_->add_user(name, Secret::from_text("correct horse battery")));
    for (const char* name : {"alice@example.org", "bob@example.org", "alice@example.org"}) hold_one_for(name);
  }
  void hold_one_for(const std::string& address) {
    const auto to = office_->accept_recipient_blocking(address, 10);
    ASSERT_TRUE(to) << to.error().text();
    const std::string message = "Subject: " + std::to_string(clock_.now_ms()) + "\r\n\r\nx\r\n";
    ASSERT_TRUE(office_->deliver_blocking("s@example.net", {&*to, 1}, message)[0]);
    for (const auto& waiting : office_->spool().oldest(to->user.id, 100, 1 << 20).value())
      ASSERT_TRUE(office_->spool().hold(to->user.id, waiting.id, "it does not open"));
    clock_.advance(Millis(1'000));
  }
  json::array listed() {
    const auto reply = list_held(*office_, {});
    EXPECT_TRUE(reply) << reply.error().text();
    return reply->at("held").as_array();
  }
  Code refusal(Result<json::object> reply) { return reply ? Code::internal : reply.error().code; }
};

TEST_F(HeldOperationsTest, ListsWhatIsHeldForWhomAndWhy) {
  const auto list = listed();
  ASSERT_EQ(list.size(), 3u);
  EXPECT_EQ(list[0].at("address").as_string(), "alice@example.org");
  EXPECT_EQ(list[1].at("address").as_string(), "bob@example.org");
  EXPECT_EQ(list[0].at("reason").as_string(), "it does not open");
  EXPECT_EQ(list[0].at("held").as_string(), "2027-01-15T08:00:00Z");
  EXPECT_GT(list[0].at("size").to_number<int>(), 10);
}

TEST_F(HeldOperationsTest, ReleasesByIdByUserAndAll) {
  const auto ids = listed();
  auto reply = release_held(*office_, {{"ids", json::array{ids[1].at("id")}}});
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->at("released").to_number<int>(), 1);
  EXPECT_EQ(listed().size(), 2u);
  EXPECT_EQ(release_held(*office_, {{"address", "bob@example.org"}})->at("released").to_number<int>(), 0);
  EXPECT_EQ(release_held(*office_, {{"address", "ALICE@example.org"}})->at("released").to_number<int>(), 2);
  EXPECT_TRUE(listed().empty());
  EXPECT_EQ(release_held(*office_, {{"all", true}})->at("released").to_number<int>(), 0);
  EXPECT_EQ(office_->spool().figures().value().deliveries, 3u) << "they wait again";
}

TEST_F(HeldOperationsTest, DiscardsOne) {
  const auto before = listed();
  ASSERT_TRUE(discard_held(*office_, {{"id", before[0].at("id")}}));
  EXPECT_EQ(listed().size(), 2u);
  EXPECT_EQ(office_->spool().figures().value().deliveries, 2u);
}

TEST_F(HeldOperationsTest, RefusesWhatNamesNothing) {
  EXPECT_EQ(refusal(release_held(*office_, {})), Code::invalid);
  EXPECT_EQ(refusal(release_held(*office_, {{"all", false}})), Code::invalid);
  EXPECT_EQ(refusal(release_held(*office_, {{"ids", json::array{"x"}}})), Code::invalid);
  EXPECT_EQ(refusal(release_held(*office_, {{"ids", json::array{4711}}})), Code::not_found);
  EXPECT_EQ(refusal(release_held(*office_, {{"address", "nobody@example.org"}})), Code::not_found);
  EXPECT_EQ(refusal(discard_held(*office_, {})), Code::invalid);
  EXPECT_EQ(refusal(discard_held(*office_, {{"id", 4711}})), Code::not_found);
  EXPECT_EQ(listed().size(), 3u);
}

}  // namespace
}  // namespace muhur::server
