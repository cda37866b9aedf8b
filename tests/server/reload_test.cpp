// What SIGHUP does: settings that are taken over, and those that are not.
#include "server/reload.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include "server/config_keys.hpp"
#include "server/data_directory.hpp"
#include "server/temp_directory.hpp"

namespace muhur::server {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class ReloadTest : public testing::Test {
 protected:
  Config load(std::string_view text) {
    return load_config(write_file(directory_.path / "muhur.toml", text), {}).value();
  }
  TempDirectory directory_;
};

TEST_F(ReloadTest, EachChangedKeyIsNamedOnceWithWhatBecomesOfIt) {
  const Config now = load("");
  const Config next = load(
      "[log]\nlevel = \"debug\"\n[http]\ntrusted_proxies = [\"10.0.0.0/8\"]\nproxy_header = \"forwarded\"\n"
      "[limits]\nmessage = \"20MiB\"\nconnections = 5\n[imap]\nlisten = []\n[server]\ndrain_timeout = "
      "\"1s\"\n"
      "[audit]\nkept = \"30d\"\n");
  const auto changes = compare(now, next);
  EXPECT_THAT(changes.live, ElementsAre("log.level", "http.trusted_proxies", "http.proxy_header",
                                        "limits.connections", "audit.kept", "server.drain_timeout"));
  EXPECT_THAT(changes.after_restart, ElementsAre("imap.listen", "limits.message"));
}

TEST_F(ReloadTest, SayingTheBuiltInValueChangesNothing) {
  std::map<std::string, std::string> all;
  for (const Key& key : config_keys()) all[std::string(key.name)] = key.built_in;
  const auto changes = compare(load(""), load(example_file(all)));
  EXPECT_TRUE(changes.live.empty());
  EXPECT_TRUE(changes.after_restart.empty());
}

TEST_F(ReloadTest, WhatIsCalledLiveIsTakenOverAndNothingElse) {
  // Another value than the built-in one for every key.
  const auto other = [](const Key& key) -> std::string {
    static const std::map<std::string_view, std::string> kSpecial = {
        {"log.level", "\"debug\""},
        {"lmtp.socket_mode", "\"0600\""},
        {"http.proxy_header", "\"forwarded\""},
        {"sign_in.dpop_nonce", "\"required\""},
        {"http.trusted_proxies", "[\"10.0.0.0/8\"]"},
        {"http.metrics_networks", "[\"10.0.0.0/8\"]"},
        {"imap.idle_timeout", "\"2h\""},
        {"passwords.argon2_memory", "\"64MiB\""},
        {"limits.message", "\"10MiB\""}};
    if (const auto at = kSpecial.find(key.name); at != kSpecial.end()) return at->second;
    switch (key.kind) {
      case Kind::flag:
        return key.built_in == "true" ? "false" : "true";
      case Kind::number:
        return "77";
      case Kind::size:
        return "\"1MiB\"";
      case Kind::duration:
        return "\"9d\"";
      case Kind::list:
        return "[\"127.0.0.1:77\"]";
      default:
        return "\"other\"";
    }
  };
  std::map<std::string, std::string> all;
  for (const Key& key : config_keys()) all[std::string(key.name)] = other(key);
  Config now = load("");
  const Config next = load(example_file(all));
  const auto before = compare(now, next);
  EXPECT_EQ(before.live.size() + before.after_restart.size(), config_keys().size())
      << "a key has a value here that is the built-in one";
  copy_live(now, next);
  const auto after = compare(now, next);
  EXPECT_TRUE(after.live.empty()) << after.live.front();
  EXPECT_EQ(after.after_restart, before.after_restart);
}

TEST_F(ReloadTest, FilesThatCannotBeUsedAreToldBeforehand) {
  const auto data = directory_.path / "data";
  ASSERT_TRUE(create_data_directory(
      {.directory = data, .domain = "example.org", .host_name = "localhost", .settings = {}}));
  Config config = load_config(data / "muhur.toml", {}).value();
  ASSERT_TRUE(check_files(config));
  Config broken = config;
  broken.tls_certificate = data / "none.pem";
  EXPECT_THAT(check_files(broken).error().text(), HasSubstr("none.pem"));
  broken = config;
  broken.tls_key = data / "tls/certificate.pem";
  EXPECT_FALSE(check_files(broken));
  broken = config;
  broken.workers = {"http://127.0.0.1:1"};
  EXPECT_THAT(check_files(broken).error().text(), HasSubstr("worker_secret"));
  broken = config;
  broken.branding_logo = write_file(data / "logo.txt", "no image");
  EXPECT_FALSE(check_files(broken));
  broken = config;
  broken.branding_colour = "reddish";
  EXPECT_FALSE(check_files(broken));
}

}  // namespace
}  // namespace muhur::server
