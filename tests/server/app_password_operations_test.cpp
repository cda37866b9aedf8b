#include "server/app_password_operations.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include "accounts/audit.hpp"
#include "server/house_fixture.hpp"
#include "server/operations.hpp"

namespace muhur::server {
namespace {

namespace json = boost::json;
using testing::HasSubstr;
using testing::Not;

constexpr std::string_view kAddress = "alice@example.org";
constexpr std::string_view kPassword = "correct horse battery";

class AppPasswordOperationsTest : public HouseTest {
 protected:
  void SetUp() override {
    HouseTest::SetUp();
    auto added = office_->add_user(kAddress, Secret::from_text(kPassword), "Alice");
    ASSERT_TRUE(added) << added.error().text();
    recovery_key_ = added->recovery_key;
    user_ = added->user.id;
  }
  json::object run(json::object request) {
    boost::asio::io_context io;
    json::object reply;
    boost::asio::co_spawn(io, run_operation(*office_, std::move(request), nullptr),
                          [&](std::exception_ptr error, json::object got) {
                            EXPECT_FALSE(error);
                            reply = std::move(got);
                          });
    io.run();
    return reply;
  }
  json::object add(std::string_view name, std::string_view proof = kPassword,
                   std::string_view by = "password", std::string_view address = kAddress) {
    return run({{"command", "user.app-password.add"}, {"address", address}, {"name", name}, {by, proof}});
  }
  std::string made(std::string_view name) {
    const auto reply = add(name);
    EXPECT_TRUE(reply.at("ok").as_bool()) << json::serialize(reply);
    const auto* secret = reply.if_contains("app_password");
    return secret ? std::string(secret->as_string()) : "";
  }
  json::array listed() {
    const auto reply = run({{"command", "user.app-password.list"}, {"address", kAddress}});
    EXPECT_TRUE(reply.at("ok").as_bool()) << json::serialize(reply);
    return reply.at("app_passwords").as_array();
  }
  json::object remove(std::string_view which) {
    return run({{"command", "user.app-password.remove"}, {"address", kAddress}, {"which", which}});
  }
  bool signs_in(std::string_view password) {
    return office_->sign_in_blocking(kAddress, as_bytes(password), "test").has_value();
  }

  std::string recovery_key_;
  accounts::UserId user_ = 0;
};

TEST_F(AppPasswordOperationsTest, OneIsMadeByThePasswordOrTheRecoveryKeyAndOpensTheMailbox) {
  const auto phone = made("phone");
  EXPECT_TRUE(signs_in(phone));
  const auto tablet = add("tablet", recovery_key_, "recovery_key");
  ASSERT_TRUE(tablet.at("ok").as_bool()) << json::serialize(tablet);
  EXPECT_TRUE(signs_in(tablet.at("app_password").as_string()));
  EXPECT_TRUE(signs_in(kPassword));
  EXPECT_EQ(listed().size(), 2U);
}

TEST_F(AppPasswordOperationsTest, NeitherAWrongProofNorAnotherAppPasswordMakesOne) {
  EXPECT_EQ(error_of_reply(add("phone", "wrong password")).code, Code::denied);
  EXPECT_EQ(error_of_reply(add("phone", "7ZQ4", "recovery_key")).code, Code::denied);
  EXPECT_EQ(error_of_reply(add("phone", "", "password")).code, Code::denied);
  EXPECT_TRUE(listed().empty());
  const auto phone = made("phone");
  const auto refused = error_of_reply(add("tablet", phone));
  EXPECT_EQ(refused.code, Code::denied);
  EXPECT_THAT(refused.remedy, HasSubstr("own password"));
  EXPECT_EQ(listed().size(), 1U);
}

// Bug: an app password, which is to open mail alone, proved enough for a new password and a new recovery key.
TEST_F(AppPasswordOperationsTest, AnAppPasswordSetsNoPasswordAndRenewsNoRecoveryKey) {
  const auto phone = made("phone");
  EXPECT_EQ(error_of_reply(run({{"command", "user.passwd"},
                                {"address", kAddress},
                                {"old_password", phone},
                                {"password", "second password"}}))
                .code,
            Code::denied);
  EXPECT_EQ(
      error_of_reply(run({{"command", "user.recovery-key"}, {"address", kAddress}, {"password", phone}}))
          .code,
      Code::denied);
  EXPECT_TRUE(signs_in(kPassword));
  EXPECT_TRUE(add("tablet", recovery_key_, "recovery_key").at("ok").as_bool());
}

TEST_F(AppPasswordOperationsTest, TheListTellsWhenEachWasLastUsedAndNoSecret) {
  const auto phone = made("phone");
  auto all = listed();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].at("name").as_string(), "phone");
  EXPECT_TRUE(all[0].at("last_used").is_null());
  EXPECT_THAT(json::serialize(all), Not(HasSubstr(phone)));
  ASSERT_TRUE(signs_in(phone));
  ASSERT_TRUE(
      directory().write([](vault::Connection&) -> Result<void> { return {}; }));  // the mark is queued before
  all = listed();
  EXPECT_EQ(all[0].at("last_used").as_string(), format_time(clock_.now_ms()));
}

TEST_F(AppPasswordOperationsTest, OneIsRemovedByNameOrIdAndSignsInNoMore) {
  const auto phone = made("phone");
  const auto tablet = made("tablet");
  const auto id = std::to_string(listed()[1].at("id").as_int64());
  EXPECT_TRUE(remove("phone").at("ok").as_bool());
  EXPECT_FALSE(signs_in(phone));
  EXPECT_TRUE(signs_in(tablet));
  const auto removed = remove(id);
  ASSERT_TRUE(removed.at("ok").as_bool()) << json::serialize(removed);
  EXPECT_EQ(removed.at("name").as_string(), "tablet");
  EXPECT_FALSE(signs_in(tablet));
  EXPECT_TRUE(signs_in(kPassword));
  EXPECT_EQ(error_of_reply(remove("phone")).code, Code::not_found);
}

TEST_F(AppPasswordOperationsTest, ANameIsTakenForANameBeforeItIsTakenForAnId) {
  made("phone");
  const auto id = std::to_string(listed()[0].at("id").as_int64());
  made(id);
  EXPECT_EQ(remove(id).at("name").as_string(), id);
  EXPECT_EQ(remove(id).at("name").as_string(), "phone");
}

TEST_F(AppPasswordOperationsTest, NoOtherCredentialIsRemovedByItsId) {
  const auto all = office_->credentials().list(user_);
  ASSERT_TRUE(all);
  ASSERT_EQ(all->size(), 2U);
  for (const auto& one : *all)
    EXPECT_EQ(error_of_reply(remove(std::to_string(one.id))).code, Code::not_found);
  EXPECT_EQ(error_of_reply(remove("")).code, Code::not_found);
  EXPECT_TRUE(signs_in(kPassword));
}

TEST_F(AppPasswordOperationsTest, UsedNamesBadNamesAndOneTooManyAreRefusedWithARemedy) {
  made("phone");
  const auto used = error_of_reply(add("phone"));
  EXPECT_EQ(used.code, Code::exists);
  EXPECT_THAT(used.what, HasSubstr("phone"));
  EXPECT_THAT(used.remedy, HasSubstr("app-password remove"));
  for (const std::string& name : {std::string(), std::string("a\nb"), std::string("\x1b[2J"),
                                  std::string("\xff"), std::string(201, 'x')})
    EXPECT_EQ(error_of_reply(add(name)).code, Code::invalid) << name.size();
  for (std::size_t i = 1; i < accounts::kMostAppPasswords; ++i)
    ASSERT_TRUE(add("n" + std::to_string(i), recovery_key_, "recovery_key").at("ok").as_bool());
  const auto limit = error_of_reply(add("one more"));
  EXPECT_EQ(limit.code, Code::limit);
  EXPECT_THAT(limit.what, HasSubstr("32"));
  EXPECT_THAT(limit.remedy, HasSubstr("app-password list"));
}

TEST_F(AppPasswordOperationsTest, UnknownAndDisabledUsersAreNamedWithARemedy) {
  const auto nobody = error_of_reply(add("phone", kPassword, "password", "nobody@example.org"));
  EXPECT_EQ(nobody.code, Code::not_found);
  EXPECT_THAT(nobody.what, HasSubstr("nobody@example.org"));
  ASSERT_TRUE(office_->set_disabled(user_, true));
  const auto disabled = error_of_reply(add("phone"));
  EXPECT_EQ(disabled.code, Code::conflict);
  EXPECT_THAT(disabled.remedy, HasSubstr("user enable"));
}

TEST_F(AppPasswordOperationsTest, AnImportedUserGetsTheMailboxWithTheFirstOneOrHasNoneForEver) {
  const auto user = [](std::string_view address, bool mailbox) {
    return accounts::Credentials::Imported{
        .address = std::string(address),
        .display_name = "",
        .record = "$2y$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",  // U*U
        .with_mailbox = mailbox};
  };
  ASSERT_TRUE(
      office_->credentials().import_users({user("waits@example.org", true), user("sso@example.org", false)}));
  const auto early = error_of_reply(add("phone", recovery_key_, "recovery_key", "waits@example.org"));
  EXPECT_EQ(early.code, Code::conflict);
  EXPECT_THAT(early.remedy, HasSubstr("password"));
  const auto first = add("phone", "U*U", "password", "waits@example.org");
  ASSERT_TRUE(first.at("ok").as_bool()) << json::serialize(first);
  EXPECT_TRUE(office_->sign_in_blocking(
      "waits@example.org", as_bytes(std::string_view(first.at("app_password").as_string())), "test"));
  EXPECT_EQ(error_of_reply(add("phone", "U*U", "password", "sso@example.org")).code, Code::conflict);
}

TEST_F(AppPasswordOperationsTest, TheAuditLogTellsOfEachByNameAndOfNoSecret) {
  const auto phone = made("phone");
  ASSERT_TRUE(remove("phone").at("ok").as_bool());
  const auto rows = accounts::Audit(office_->directory()).list(50, user_);
  ASSERT_TRUE(rows);
  std::vector<std::string> told;
  for (const auto& row : *rows) {
    EXPECT_THAT(row.action + row.actor + row.peer + row.detail, Not(HasSubstr(phone)));
    if (row.action.starts_with("app-password")) told.push_back(row.action + " " + row.detail);
  }
  EXPECT_THAT(told, testing::ElementsAre("app-password-removed phone", "app-password-added phone"));
}

}  // namespace
}  // namespace muhur::server
