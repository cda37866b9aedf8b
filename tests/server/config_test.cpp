#include "server/config.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/config_keys.hpp"
#include "server/temp_directory.hpp"

namespace muhur::server {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class ConfigTest : public testing::Test {
 protected:
  Result<Config> load(std::string_view text, const Environment& environment = {}) {
    return load_config(write_file(directory_.path / "muhur.toml", text), environment);
  }
  TempDirectory directory_;
};

TEST_F(ConfigTest, AnEmptyFileGivesTheBuiltInValues) {
  const auto config = load("");
  ASSERT_TRUE(config) << config.error().text();
  EXPECT_EQ(config->data, directory_.path);
  EXPECT_EQ(config->server_key, directory_.path / "server.key");
  EXPECT_THAT(config->imap_listen, ElementsAre("127.0.0.1:143"));
  EXPECT_FALSE(config->host_name.empty());
  EXPECT_TRUE(config->set_by.empty());
}

TEST_F(ConfigTest, EveryKeyOfTheTableIsReadFromTheExampleFile) {
  std::map<std::string, std::string> all;
  for (const Key& key : config_keys()) all[std::string(key.name)] = key.built_in;
  const auto config = load(example_file(all));
  ASSERT_TRUE(config) << config.error().text();
  EXPECT_EQ(config->set_by.size(), config_keys().size());
  const auto plain = load("");
  EXPECT_EQ(config->max_message, plain->max_message);
  EXPECT_EQ(config->argon2, plain->argon2);
  EXPECT_EQ(config->imap_idle_timeout, plain->imap_idle_timeout);
  EXPECT_EQ(config->lmtp_listen, plain->lmtp_listen);
  EXPECT_EQ(config->lmtp_socket_mode, plain->lmtp_socket_mode);
}

TEST_F(ConfigTest, TheExampleFileIsValidAsItStands) {
  const auto config = load(example_file());
  ASSERT_TRUE(config) << config.error().text();
  EXPECT_TRUE(config->set_by.empty());
}

TEST_F(ConfigTest, ValuesOfEveryKindAreRead) {
  const auto config = load(
      "host_name = \"mail.example.org\"\n"
      "[imap]\nlisten = [\"127.0.0.1:1143\", \"[::1]:1143\"]\nplaintext_login_on_loopback = false\n"
      "idle_timeout = \"45m\"\n[limits]\nmessage = \"20MiB\"\nconnections = 7\n[lmtp]\nsocket_mode = "
      "\"0600\"\n");
  ASSERT_TRUE(config) << config.error().text();
  EXPECT_EQ(config->host_name, "mail.example.org");
  EXPECT_THAT(config->imap_listen, ElementsAre("127.0.0.1:1143", "[::1]:1143"));
  EXPECT_FALSE(config->imap_plaintext_login_on_loopback);
  EXPECT_EQ(config->imap_idle_timeout, Millis(45 * 60'000));
  EXPECT_EQ(config->max_message, 20u << 20);
  EXPECT_EQ(config->max_connections, 7u);
  EXPECT_EQ(config->lmtp_socket_mode, 0600u);
}

TEST_F(ConfigTest, AnUnknownKeyIsRefusedWithLineAndTheNearestName) {
  const auto config = load("[imap]\nlisten = []\nlogin_timout = \"5s\"\n");
  ASSERT_FALSE(config);
  EXPECT_EQ(config.error().code, Code::invalid);
  EXPECT_THAT(config.error().what, HasSubstr("muhur.toml:3"));
  EXPECT_THAT(config.error().what, HasSubstr("imap.login_timout"));
  EXPECT_THAT(config.error().remedy, HasSubstr("`imap.login_timeout`"));
}

TEST_F(ConfigTest, AnUnknownKeyThatResemblesNothingGetsNoSuggestion) {
  const auto config = load("zzzzzzzzzzzzzzzzzzzzzzzzz = 1\n");
  ASSERT_FALSE(config);
  EXPECT_THAT(config.error().remedy, testing::Not(HasSubstr("did you mean")));
}

TEST_F(ConfigTest, AValueOfTheWrongKindNamesFileLineAndKey) {
  for (const char* text :
       {"[imap]\nlisten = 143\n", "[imap]\nidle_timeout = \"soon\"\n", "[limits]\nmessage = -1\n",
        "[limits]\nconnections = 0\n", "[log]\nlevel = \"loud\"\n", "[lmtp]\nsocket_mode = \"0999\"\n",
        "[imap]\nlisten = [\"nowhere\"]\n"}) {
    const auto config = load(text);
    ASSERT_FALSE(config) << text;
    EXPECT_THAT(config.error().what, HasSubstr("muhur.toml:2")) << text;
  }
}

TEST_F(ConfigTest, BrokenTomlNamesTheLine) {
  const auto config = load("data = \".\"\nhost_name = \"unfinished\n");
  ASSERT_FALSE(config);
  EXPECT_THAT(config.error().what, HasSubstr("muhur.toml:2"));
}

TEST_F(ConfigTest, TheEnvironmentGoesBeforeTheFile) {
  const auto config = load("[imap]\nlisten = [\"127.0.0.1:1\"]\n[limits]\nconnections = 5\n",
                           {{"MUHUR_IMAP_LISTEN", "127.0.0.1:2, 127.0.0.1:3"}, {"MUHUR_LOG_LEVEL", "debug"}});
  ASSERT_TRUE(config) << config.error().text();
  EXPECT_THAT(config->imap_listen, ElementsAre("127.0.0.1:2", "127.0.0.1:3"));
  EXPECT_EQ(config->log_level, "debug");
  EXPECT_EQ(config->max_connections, 5u);
  EXPECT_EQ(config->set_by.at("imap.listen"), "environment variable MUHUR_IMAP_LISTEN");
}

TEST_F(ConfigTest, AnUnknownEnvironmentVariableIsRefusedWithTheNearestName) {
  const auto config = load("", {{"MUHUR_IMAP_LISTN", "127.0.0.1:2"}});
  ASSERT_FALSE(config);
  EXPECT_THAT(config.error().remedy, HasSubstr("`MUHUR_IMAP_LISTEN`"));
}

TEST_F(ConfigTest, AMissingFileIsNamed) {
  const auto config = load_config(directory_.path / "absent.toml", {});
  ASSERT_FALSE(config);
  EXPECT_EQ(config.error().code, Code::not_found);
  EXPECT_THAT(config.error().what, HasSubstr("absent.toml"));
  EXPECT_THAT(config.error().remedy, HasSubstr("muhur init"));
}

TEST_F(ConfigTest, RelativePathsLieBelowTheDataDirectoryWhichLiesBesideTheFile) {
  const auto config =
      load("data = \"inner/data\"\nserver_key = \"/etc/keys/server.key\"\n[tls]\nkey = \"k.pem\"\n");
  ASSERT_TRUE(config) << config.error().text();
  EXPECT_EQ(config->data, directory_.path / "inner/data");
  EXPECT_EQ(config->server_key, "/etc/keys/server.key");
  EXPECT_EQ(config->tls_key, directory_.path / "inner/data/k.pem");
}

TEST(ListenAddressTest, AddressesAreReadInEveryForm) {
  EXPECT_EQ(parse_listen("127.0.0.1:143")->port, 143);
  EXPECT_EQ(parse_listen("[::1]:993")->host, "::1");
  EXPECT_EQ(parse_listen("*:993")->host, "0.0.0.0");
  EXPECT_EQ(parse_listen("localhost:0")->host, "127.0.0.1");
  EXPECT_EQ(parse_listen("unix:run/lmtp.sock")->unix_path, "run/lmtp.sock");
  for (const char* wrong : {"", ":143", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:14x",
                            "::1:143", "unix:", "mail.example.org:143", "127.0.0.1:-1"})
    EXPECT_FALSE(parse_listen(wrong)) << wrong;
}

}  // namespace
}  // namespace muhur::server
