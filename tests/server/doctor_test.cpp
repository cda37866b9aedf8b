#include "server/doctor.hpp"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "server/backup_record.hpp"
#include "server/house_fixture.hpp"

namespace muhur::server {
namespace {

using testing::HasSubstr;

class DoctorTest : public HouseTest {
 protected:
  boost::json::array inside(boost::json::object request = {}) {
    const auto got = check_health(*office_, request);
    EXPECT_TRUE(got) << got.error().text();
    return got ? got->at("checks").as_array() : boost::json::array();
  }
  Config config() const {
    auto loaded = load_config(data() / "muhur.toml", {});
    EXPECT_TRUE(loaded) << loaded.error().text();
    loaded->imap_listen.clear();
    loaded->imap_listen_tls.clear();
    return std::move(*loaded);
  }
  static std::string verdict(const boost::json::array& checks, std::string_view name) {
    return std::string(named(checks, name).at("verdict").as_string());
  }
};

TEST_F(DoctorTest, AFreshInstallationIsSound) {
  const auto checks = inside();
  for (const auto& check : checks) EXPECT_TRUE(check.at("ok").as_bool()) << boost::json::serialize(check);
  for (const char* name : {"directory.db", "spool.db", "disk", "write-ahead logs", "long readers", "cipher",
                           "temp directory", "slow statements", "housekeeping"})
    EXPECT_EQ(verdict(checks, name), "ok") << name;
  for (const Check& check : check_installation(config(), false))
    EXPECT_EQ(check.verdict, Verdict::ok) << check.name << ": " << check.detail;
}

TEST_F(DoctorTest, EveryFindingSaysWhatToDo) {
  for (const auto& check : inside())
    EXPECT_EQ(check.at("verdict").as_string() == "ok", check.at("remedy").as_string().empty())
        << boost::json::serialize(check);
}

TEST_F(DoctorTest, AUsersMailboxIsLookedInto) {
  (void)alice();
  const auto checks = inside(
      {{"users", boost::json::array{{{"address", "alice@example.org"}, {"password", "correct horse battery"}},
                                    {{"address", "bob@example.org"}, {"password", "wrong"}}}}});
  EXPECT_EQ(verdict(checks, "alice@example.org"), "ok");
  EXPECT_EQ(verdict(checks, "bob@example.org"), "fail");
  EXPECT_FALSE(check_health(*office_, {{"users", 1}}));
}

TEST_F(DoctorTest, AVerifiedBackupIsKnownUntilItIsOld) {
  EXPECT_EQ(verdict(inside(), "backups"), "warn");
  ASSERT_TRUE(note_backup(data(), {.database = "spool.db", .at_ms = clock_.now_ms(), .verified = false}));
  EXPECT_EQ(verdict(inside(), "backups"), "warn") << "it was not read back";
  ASSERT_TRUE(note_backup(data(), {.database = "directory.db", .at_ms = clock_.now_ms(), .verified = true}));
  EXPECT_EQ(verdict(inside(), "backups"), "ok");
  clock_.advance(Millis(8LL * 24 * 3600 * 1000));
  EXPECT_EQ(verdict(inside(), "backups"), "warn");
}

TEST_F(DoctorTest, ADamagedDirectoryIsAFailure) {
  leave_holes(directory(), 50);
  ASSERT_TRUE(directory().write([](vault::Connection& db) {
    return db.exec("INSERT INTO holes SELECT zeroblob(4000) FROM (VALUES(1),(2),(3))");
  }));
  ASSERT_TRUE(directory().exclusive(
      [](vault::Connection& db) { return db.exec("PRAGMA wal_checkpoint(TRUNCATE)"); }));
  {
    std::fstream file(data() / "directory.db", std::ios::binary | std::ios::in | std::ios::out);
    const auto size = static_cast<std::streamoff>(std::filesystem::file_size(data() / "directory.db"));
    for (std::streamoff at = 4096 * 3 + 100; at < size; at += 4096) {
      file.seekp(at);
      file.put('x');
    }
  }
  (void)directory().close_idle_readers(Millis(0));
  const auto checks = inside();
  EXPECT_EQ(verdict(checks, "directory.db"), "fail");
  EXPECT_FALSE(named(checks, "directory.db").at("remedy").as_string().empty());
}

TEST_F(DoctorTest, AKeyThatOthersCanReadIsAFailure) {
  ::chmod((data() / "server.key").c_str(), 0644);
  for (const Check& check : check_installation(config(), false)) {
    if (check.name == "server.key") {
      EXPECT_EQ(check.verdict, Verdict::fail);
      EXPECT_THAT(check.remedy, HasSubstr("chmod 0600"));
    }
  }
}

TEST_F(DoctorTest, ASocketThatIsTakenOrDoesNotAnswerIsSeen) {
  const auto lmtp = [&](bool serving) {
    for (Check& check : check_installation(config(), serving))
      if (check.name == "lmtp") return check.verdict;
    return Verdict::warn;
  };
  EXPECT_EQ(lmtp(false), Verdict::ok);
  EXPECT_NE(lmtp(true), Verdict::ok);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  (data() / "run/lmtp.sock").string().copy(address.sun_path, sizeof address.sun_path - 1);
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  ASSERT_EQ(::bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  ASSERT_EQ(::listen(fd, 4), 0);
  EXPECT_EQ(lmtp(true), Verdict::ok);
  EXPECT_EQ(lmtp(false), Verdict::fail);
  ::close(fd);
}

TEST_F(DoctorTest, BackupRecordsAreKeptByDatabase) {
  ASSERT_TRUE(
      note_backup(data(), {.database = "a.db", .at_ms = 1, .pages = 2, .bytes = 3, .verified = true}));
  ASSERT_TRUE(note_backup(data(), {.database = "b.db", .at_ms = 4}));
  ASSERT_TRUE(
      note_backup(data(), {.database = "a.db", .at_ms = 5, .pages = 6, .bytes = 7, .verified = false}));
  const auto records = read_backup_records(data());
  ASSERT_TRUE(records);
  ASSERT_EQ(records->size(), 2U);
  EXPECT_EQ((*records)[1].database, "a.db");
  EXPECT_EQ((*records)[1].at_ms, 5);
  EXPECT_EQ((*records)[1].bytes, 7U);
  EXPECT_FALSE((*records)[1].verified);
  write_file(data() / "backup.json", "{\"backups\":[{}]}");
  EXPECT_FALSE(read_backup_records(data()));
  EXPECT_TRUE(note_backup(data(), {.database = "c.db", .at_ms = 8})) << "a damaged record is replaced";
}

}  // namespace
}  // namespace muhur::server
