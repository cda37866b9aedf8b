#pragma once
// A data directory with a post office over it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <cstdlib>
#include <map>

#include "server/data_directory.hpp"
#include "server/temp_directory.hpp"

namespace muhur::server {

class HouseTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto made = create_data_directory(
        {.directory = data(), .domain = "example.org", .host_name = "localhost", .settings = {}});
    ASSERT_TRUE(made) << made.error().text();
    for (const char* name : {"TMPDIR", "SQLITE_TMPDIR"})
      if (const char* value = std::getenv(name)) environment_[name] = value;
    use_temp_directory(data());
    mail::PostOfficeOptions options;
    options.data = data();
    options.server_key = data() / "server.key";
    options.pools = &pools_;
    options.argon2 = {.memory_kib = 8192, .passes = 1};
    options.clock = &clock_;
    auto office = mail::PostOffice::open(std::move(options));
    ASSERT_TRUE(office) << office.error().text();
    office_ = std::move(*office);
  }
  void TearDown() override {
    for (const char* name : {"TMPDIR", "SQLITE_TMPDIR"}) {
      if (environment_.contains(name))
        ::setenv(name, environment_[name].c_str(), 1);
      else
        ::unsetenv(name);
    }
  }
  std::filesystem::path data() const { return temp_.path / "data"; }
  vault::Database& directory() { return office_->directory().database(); }

  // Alice, signed in, with her mailbox open.
  mail::Session alice() {
    const auto added =
        office_->add_user("alice@example.org", Secret::from_text("correct horse battery"), "Alice");
    EXPECT_TRUE(added) << added.error().text();
    auto session = office_->sign_in_blocking("alice@example.org",
                                             as_bytes(std::string_view("correct horse battery")), "test");
    EXPECT_TRUE(session) << session.error().text();
    return std::move(*session);
  }
  // Pages that were used and are not any more.
  static void leave_holes(vault::Database& database, int rows) {
    const auto done = database.write([&](vault::Connection& db) -> Result<void> {
      MUHUR_CHECK(db.exec("CREATE TABLE IF NOT EXISTS holes(body)"));
      for (int i = 0; i < rows; ++i) MUHUR_CHECK(db.run("INSERT INTO holes VALUES(zeroblob(4000))"));
      return {};
    });
    ASSERT_TRUE(done) << done.error().text();
    ASSERT_TRUE(database.write([](vault::Connection& db) { return db.run("DELETE FROM holes"); }));
  }
  static const boost::json::object& named(const boost::json::array& all, std::string_view name) {
    for (const auto& one : all)
      if (one.at("name").as_string() == name) return one.as_object();
    ADD_FAILURE() << name << " is missing in " << boost::json::serialize(all);
    static const boost::json::object none;
    return none;
  }

  std::map<std::string, std::string> environment_;  // as it was
  TempDirectory temp_;
  ManualClock clock_{1'800'000'000'000};
  net::Pools pools_{net::Pool("storage", 2), net::Pool("passwords", 1), net::Pool("heavy", 1)};
  std::unique_ptr<mail::PostOffice> office_;
};

}  // namespace muhur::server
