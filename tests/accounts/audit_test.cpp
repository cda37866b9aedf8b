#include "accounts/audit.hpp"

#include "accounts/fixture.hpp"

namespace muhur::accounts {
namespace {

class AuditTest : public WithDirectory {};

TEST_F(AuditTest, ListsNewestFirstOfOneOrOfAll) {
  Audit audit(*directory_);
  audit.record({.user = 1, .actor = "user", .action = "a", .peer = "192.0.2.1:5", .detail = "d"});
  clock_.advance(Millis(10));
  audit.record({.action = "b", .outcome = "denied"});
  audit.record({.user = 1, .action = "c"});
  settle();
  const auto all = audit.list(10).value();
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0].action, "c");
  EXPECT_EQ(all[1].user, std::nullopt);
  EXPECT_EQ(all[1].outcome, "denied");
  EXPECT_EQ(all[2].at_ms + 10, all[0].at_ms);
  EXPECT_EQ(all[2].peer, "192.0.2.1:5");
  EXPECT_EQ(all[2].detail, "d");
  EXPECT_EQ(audit.list(10, 1)->size(), 2U);
  EXPECT_EQ(audit.list(1, 1, all[0].id).value()[0].action, "a");
}

TEST_F(AuditTest, ForgetsWhatIsOlder) {
  Audit audit(*directory_);
  audit.record({.action = "old"});
  clock_.advance(Millis(1000));
  audit.record({.action = "new"});
  settle();
  EXPECT_EQ(audit.prune(clock_.now_ms()), 1);
  EXPECT_EQ(audit.list(10).value().at(0).action, "new");
}

TEST_F(AuditTest, ActsOfTheDirectoryAreRecordedWithThem) {
  const UserId id = add_user("ayse", "correct horse", Secret::random(32)).user.id;
  ASSERT_TRUE(Users(*directory_).set_disabled(id, true));
  EXPECT_FALSE(Users(*directory_).set_disabled(id + 1, true));
  std::vector<std::string> actions;
  for (const AuditRow& row : Audit(*directory_).list(10).value()) actions.push_back(row.action);
  EXPECT_EQ(actions, (std::vector<std::string>{"user-disabled", "user-created", "domain-added"}));
}

}  // namespace
}  // namespace muhur::accounts
