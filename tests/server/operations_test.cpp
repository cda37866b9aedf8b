#include "server/operations.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <thread>

#include "cli/demo_messages.hpp"
#include "net/listener.hpp"
#include "server/admin_socket.hpp"
#include "server/data_directory.hpp"
#include "server/temp_directory.hpp"

namespace muhur::server {
namespace {

namespace json = boost::json;
using testing::HasSubstr;
using testing::Not;

class OperationsTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto made = create_data_directory(
        {.directory = data(), .domain = "example.org", .host_name = "localhost", .settings = {}});
    ASSERT_TRUE(made) << made.error().text();
    mail::PostOfficeOptions options;
    options.data = data();
    options.server_key = data() / "server.key";
    options.pools = &pools_;
    options.argon2 = {.memory_kib = 8192, .passes = 1};
    options.max_message = 1 << 20;
    auto office = mail::PostOffice::open(std::move(options));
    ASSERT_TRUE(office) << office.error().text();
    office_ = std::move(*office);
  }
  std::filesystem::path data() const { return temp_.path / "data"; }

  json::object run(json::object request, std::string body = {}) {
    boost::asio::io_context io;
    json::object reply;
    boost::asio::co_spawn(
        io, run_operation(*office_, std::move(request), std::make_shared<std::string>(std::move(body))),
        [&](std::exception_ptr error, json::object got) {
          EXPECT_FALSE(error);
          reply = std::move(got);
        });
    io.run();
    return reply;
  }
  static bool ok(const json::object& reply) { return reply.at("ok").as_bool(); }
  std::string add(std::string_view address, std::string_view password) {
    const auto reply = run({{"command", "user.add"}, {"address", address}, {"password", password}});
    EXPECT_TRUE(ok(reply)) << json::serialize(reply);
    const auto* key = reply.if_contains("recovery_key");
    return key ? std::string(key->as_string()) : "";
  }
  bool signs_in(std::string_view address, std::string_view password) {
    return office_->sign_in_blocking(address, as_bytes(password), "test").has_value();
  }

  TempDirectory temp_;
  net::Pools pools_{net::Pool("storage", 2), net::Pool("passwords", 1), net::Pool("heavy", 1)};
  std::unique_ptr<mail::PostOffice> office_;
};

TEST_F(OperationsTest, AUserIsAddedListedDisabledEnabledAndDeleted) {
  EXPECT_FALSE(add("alice@example.org", "first password").empty());
  auto list = run({{"command", "user.list"}});
  ASSERT_TRUE(ok(list));
  ASSERT_EQ(list.at("users").as_array().size(), 1u);
  EXPECT_EQ(list.at("users").at(0).at("address").as_string(), "alice@example.org");
  EXPECT_TRUE(signs_in("alice@example.org", "first password"));

  EXPECT_TRUE(ok(run({{"command", "user.disable"}, {"address", "alice@example.org"}})));
  EXPECT_FALSE(signs_in("alice@example.org", "first password"));
  EXPECT_TRUE(ok(run({{"command", "user.enable"}, {"address", "alice@example.org"}})));
  EXPECT_TRUE(signs_in("alice@example.org", "first password"));

  EXPECT_TRUE(ok(run({{"command", "user.delete"}, {"address", "alice@example.org"}})));
  EXPECT_TRUE(run({{"command", "user.list"}}).at("users").as_array().empty());
  EXPECT_FALSE(signs_in("alice@example.org", "first password"));
}

TEST_F(OperationsTest, APasswordIsChangedOnlyWithTheOldOneOrTheRecoveryKey) {
  const std::string key = add("alice@example.org", "first password");
  const json::object change{
      {"command", "user.passwd"}, {"address", "alice@example.org"}, {"password", "second password"}};
  auto bare = change;
  auto reply = run(std::move(bare));
  EXPECT_FALSE(ok(reply));
  EXPECT_EQ(error_of_reply(reply).code, Code::denied);

  auto wrong = change;
  wrong["old_password"] = "not the password";
  EXPECT_EQ(error_of_reply(run(std::move(wrong))).code, Code::denied);
  EXPECT_TRUE(signs_in("alice@example.org", "first password"));

  auto right = change;
  right["old_password"] = "first password";
  EXPECT_TRUE(ok(run(std::move(right))));
  EXPECT_FALSE(signs_in("alice@example.org", "first password"));
  EXPECT_TRUE(signs_in("alice@example.org", "second password"));

  json::object recover{{"command", "user.passwd"},
                       {"address", "alice@example.org"},
                       {"password", "third password"},
                       {"recovery_key", key}};
  EXPECT_TRUE(ok(run(std::move(recover))));
  EXPECT_TRUE(signs_in("alice@example.org", "third password"));
}

TEST_F(OperationsTest, AnUnknownUserIsNamedWithARemedy) {
  for (const char* command : {"user.disable", "user.delete", "user.quota"}) {
    const auto error = error_of_reply(run({{"command", command}, {"address", "nobody@example.org"}}));
    EXPECT_EQ(error.code, Code::not_found) << command;
    EXPECT_THAT(error.what, HasSubstr("nobody@example.org"));
  }
}

TEST_F(OperationsTest, AnUnknownCommandSaysSo) {
  EXPECT_EQ(error_of_reply(run({{"command", "user.explode"}})).code, Code::unsupported);
  EXPECT_EQ(error_of_reply(run({})).code, Code::unsupported);
}

TEST_F(OperationsTest, EverySampleMessageOfTheDemoArrivesByteForByte) {
  add("alice@example.org", "first password");
  add("bob@example.org", "first password");
  add("admin@example.org", "first password");
  const auto samples = cli::demo_messages(1'700'000'000);
  EXPECT_GE(samples.size(), 12u);
  std::vector<std::string> for_alice;
  for (const auto& sample : samples) {
    json::array recipients;
    for (const auto& name : sample.recipients) {
      recipients.push_back(json::string(name + "@example.org"));
      if (name == "alice") for_alice.push_back(sample.bytes);
    }
    EXPECT_EQ(sample.bytes.find("\n\n"), std::string::npos) << "bare LF";
    const auto reply =
        run({{"command", "deliver"}, {"sender", sample.sender}, {"recipients", recipients}}, sample.bytes);
    EXPECT_TRUE(ok(reply)) << json::serialize(reply);
  }
  const auto session = office_->sign_in_blocking("alice@example.org", as_bytes("first password"), "test");
  ASSERT_TRUE(session) << session.error().text();
  const auto inbox = session->mailbox->folder("INBOX");
  ASSERT_TRUE(inbox);
  EXPECT_EQ(inbox->messages, for_alice.size());
  const auto listed = session->mailbox->list(inbox->id);
  ASSERT_TRUE(listed);
  std::vector<std::string> stored;
  for (const auto& row : listed->changed) {
    auto content = session->mailbox->content(row.email);
    ASSERT_TRUE(content);
    const auto bytes = content->all();
    ASSERT_TRUE(bytes);
    const auto end = bytes->find("\r\nFrom:");  // what delivery put before it
    ASSERT_NE(end, std::string::npos);
    stored.push_back(bytes->substr(end + 2));
  }
  EXPECT_THAT(stored, testing::UnorderedElementsAreArray(for_alice));
}

TEST_F(OperationsTest, DeliveryToAnUnknownUserStoresNothing) {
  add("alice@example.org", "first password");
  const auto reply =
      run({{"command", "deliver"}, {"recipients", {"alice@example.org", "nobody@example.org"}}},
          "Subject: x\r\n\r\ny\r\n");
  EXPECT_EQ(error_of_reply(reply).code, Code::not_found);
  const auto session = office_->sign_in_blocking("alice@example.org", as_bytes("first password"), "test");
  ASSERT_TRUE(session);
  EXPECT_EQ(session->mailbox->folder("INBOX")->messages, 0u);
}

TEST_F(OperationsTest, TheDoctorFindsANewMailboxSound) {
  add("alice@example.org", "first password");
  const auto reply =
      run({{"command", "doctor"},
           {"users", json::array{{{"address", "alice@example.org"}, {"password", "first password"}}}}});
  ASSERT_TRUE(ok(reply)) << json::serialize(reply);
  EXPECT_TRUE(reply.at("sound").as_bool()) << json::serialize(reply);
  const auto& checks = reply.at("checks").as_array();
  const auto of_alice = std::ranges::find_if(
      checks, [](const auto& check) { return check.at("name").as_string() == "alice@example.org"; });
  ASSERT_NE(of_alice, checks.end()) << json::serialize(checks);
  EXPECT_EQ(of_alice->at("verdict").as_string(), "ok");
}

TEST_F(OperationsTest, TheDoctorReportsAMailboxThatItCannotOpen) {
  add("alice@example.org", "first password");
  const auto reply =
      run({{"command", "doctor"},
           {"users", json::array{{{"address", "alice@example.org"}, {"password", "wrong one"}}}}});
  ASSERT_TRUE(ok(reply));
  EXPECT_FALSE(reply.at("sound").as_bool());
}

TEST_F(OperationsTest, ABatchOfImportedUsersIsTakenWholeOrNotAtAll) {
  const auto user = [](std::string_view address) {
    return json::object{{"address", address},
                        {"name", ""},
                        {"record", "$2y$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"},
                        {"mailbox", true}};
  };
  const json::array good{user("a@example.org"), user("b@example.org")};
  const json::array mixed{user("c@example.org"), user("x@elsewhere.example")};
  auto reply = run({{"command", "user.import"}, {"check", true}, {"users", good}});
  ASSERT_TRUE(ok(reply)) << json::serialize(reply);
  EXPECT_EQ(reply.at("imported").as_int64(), 0);
  EXPECT_TRUE(run({{"command", "user.list"}}).at("users").as_array().empty());
  reply = run({{"command", "user.import"}, {"users", mixed}});
  EXPECT_EQ(reply.at("imported").as_int64(), 0);
  ASSERT_EQ(reply.at("problems").as_array().size(), 1u);
  EXPECT_EQ(reply.at("problems").at(0).at("index").as_int64(), 1);
  EXPECT_TRUE(run({{"command", "user.list"}}).at("users").as_array().empty());
  EXPECT_EQ(run({{"command", "user.import"}, {"users", good}}).at("imported").as_int64(), 2);
  const auto listed = run({{"command", "user.list"}});
  EXPECT_EQ(listed.at("users").at(0).at("mailbox_state").as_string(), "at first sign-in");
  EXPECT_TRUE(listed.at("users").at(0).at("mailbox").is_null());
  EXPECT_FALSE(ok(run({{"command", "user.import"}, {"users", 7}})));
}

TEST_F(OperationsTest, ARecoveryKeyIsRenewedByThePasswordOrByTheOldOne) {
  const std::string first = add("alice@example.org", "first password");
  EXPECT_EQ(error_of_reply(run({{"command", "user.recovery-key"},
                                {"address", "alice@example.org"},
                                {"password", "wrong password"}}))
                .code,
            Code::denied);
  auto reply = run(
      {{"command", "user.recovery-key"}, {"address", "alice@example.org"}, {"password", "first password"}});
  ASSERT_TRUE(ok(reply)) << json::serialize(reply);
  const std::string second(reply.at("recovery_key").as_string());
  EXPECT_NE(first, second);
  const auto recover = [&](const std::string& key) {
    return run({{"command", "user.recovery-key"}, {"address", "alice@example.org"}, {"recovery_key", key}});
  };
  EXPECT_EQ(error_of_reply(recover(first)).code, Code::denied);
  reply = recover(second);
  ASSERT_TRUE(ok(reply));
  EXPECT_EQ(error_of_reply(recover(second)).code, Code::denied);
  EXPECT_TRUE(ok(run({{"command", "user.passwd"},
                      {"address", "alice@example.org"},
                      {"recovery_key", reply.at("recovery_key")},
                      {"password", "second password"}})));
}

TEST_F(OperationsTest, SecretsInRequestsAreOverwritten) {
  json::object object{{"password", "correct horse"}, {"inner", {{"recovery_key", "ABCD-EFGH"}}}, {"n", 1}};
  wipe(object);
  const auto text = json::serialize(object);
  EXPECT_THAT(text, Not(HasSubstr("horse")));
  EXPECT_THAT(text, Not(HasSubstr("ABCD")));
}

TEST_F(OperationsTest, TheAdminSocketCarriesRequestsMessagesAndErrors) {
  boost::asio::io_context io;
  const auto path = admin_socket_path(data());
  auto listener =
      net::Listener::bind(io, {.name = "admin", .address = path, .unix_mode = 0600},
                          [this](net::StreamPtr stream) { return serve_admin(*office_, std::move(stream)); });
  ASSERT_TRUE(listener) << listener.error().text();
  EXPECT_EQ(std::filesystem::status(path).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  (*listener)->start();
  std::thread server([&] { io.run(); });

  const auto added = ask_server(
      data(), {{"command", "user.add"}, {"address", "alice@example.org"}, {"password", "first password"}},
      {});
  EXPECT_TRUE(added && ok(*added));
  std::string message = "Subject: bytes\r\n\r\n";
  for (int i = 0; i < 256; ++i)
    if (i != '\n' && i != '\r') message += static_cast<char>(i);
  message += "\r\n";
  const auto delivered =
      ask_server(data(), {{"command", "deliver"}, {"recipients", {"alice@example.org"}}}, message);
  EXPECT_TRUE(delivered && ok(*delivered));
  const auto too_large = ask_server(data(), {{"command", "deliver"}, {"recipients", {"alice@example.org"}}},
                                    std::string(2 << 20, 'x'));
  EXPECT_TRUE(too_large && error_of_reply(*too_large).code == Code::limit);

  (*listener)->stop();
  (*listener)->close_all();
  io.stop();
  server.join();
}

TEST_F(OperationsTest, WithoutAServerTheAdminSocketIsNotFound) {
  const auto reply = ask_server(data(), {{"command", "ping"}}, {});
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code, Code::not_found);
}

TEST_F(OperationsTest, SigningKeysAreListedRotatedAndDeleted) {
  const auto keys = [&](json::object request) {
    const auto reply = run(std::move(request));
    EXPECT_TRUE(ok(reply)) << json::serialize(reply);
    return reply.at("keys").as_array();
  };
  EXPECT_EQ(keys({{"command", "keys.list"}}).size(), 1U);
  const auto soon = keys({{"command", "keys.rotate"}});
  ASSERT_EQ(soon.size(), 6U);
  EXPECT_EQ(soon[0].at("state").as_string(), "signs");
  EXPECT_EQ(soon[1].at("state").as_string(), "next");
  EXPECT_EQ(keys({{"command", "keys.rotate"}}).size(), 6U);
  EXPECT_FALSE(ok(run({{"command", "keys.rotate"}, {"algorithm", "ES256"}})));
  EXPECT_FALSE(ok(run({{"command", "keys.rotate"}, {"algorithm", "HS256"}})));
  const auto old = std::string(soon[0].at("kid").as_string());
  EXPECT_FALSE(ok(run({{"command", "keys.delete"}, {"kid", old}})));
  EXPECT_EQ(keys({{"command", "keys.rotate"}, {"algorithm", "ES256"}, {"now", true}}).size(), 7U);
  EXPECT_TRUE(ok(run({{"command", "keys.delete"}, {"kid", old}})));
  EXPECT_EQ(keys({{"command", "keys.list"}}).size(), 6U);
}

}  // namespace
}  // namespace muhur::server
