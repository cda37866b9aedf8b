#include "vault/migrate_cipher.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include "fixture.hpp"
#include "vault/check.hpp"
#include "vault/rekey.hpp"

namespace muhur::vault {
namespace {

class MigrateCipherTest : public VaultTest {
 protected:
  // sqleet encrypts the header that says it: 4096 is what it is taken to be.
  static int page_size_of(std::string_view cipher) { return cipher == "sqleet" ? 4096 : 1024; }
  // 200 rows with gaps in their rowids, under a cipher or none.
  void make(const char* cipher, const Key* key, const char* mode = "DELETE") const {
    auto made = Connection::open(
        {.path = file(), .key = key, .mode = OpenMode::create, .cipher = key ? cipher : "", .bare = true});
    ASSERT_TRUE(ok(made));
    Connection& db = **made;
    ASSERT_TRUE(
        ok(db.exec(fmt::format("PRAGMA page_size={}; PRAGMA auto_vacuum=INCREMENTAL; PRAGMA user_version=7;"
                               "PRAGMA journal_mode={}",
                               page_size_of(cipher), mode))));
    ASSERT_TRUE(ok(db.exec("CREATE TABLE item(text TEXT UNIQUE)")));
    for (int i = 1; i <= 200; ++i)
      ASSERT_TRUE(ok(db.run("INSERT INTO item(rowid, text) VALUES(?, ?)", 3 * i,
                            std::string(100, 'x') + std::to_string(i))));
  }
  void expect_migrated(const Key& with, int page_size = 1024) const {
    auto opened = Connection::open({.path = file(), .key = &with, .cipher = "chacha20", .bare = true});
    ASSERT_TRUE(ok(opened));
    Connection& db = **opened;
    EXPECT_EQ(db.cipher(), "chacha20");
    EXPECT_EQ(*db.query_int("SELECT count(*) FROM item WHERE rowid % 3 = 0"), 200);
    EXPECT_EQ(*db.query_int("PRAGMA user_version"), 7);
    EXPECT_EQ(*db.query_int("PRAGMA page_size"), page_size);
    EXPECT_EQ(*db.query_int("PRAGMA auto_vacuum"), 2);
    const auto report = check(db);
    ASSERT_TRUE(ok(report));
    EXPECT_TRUE(report->sound()) << report->summary();
    for (const char* suffix : {".migrating", "-journal", "-lock"})
      EXPECT_FALSE(std::filesystem::exists(file().string() + suffix)) << suffix;
  }
  const Key passphrase_ = Key::passphrase(as_bytes("test-password-123"));
};

TEST_F(MigrateCipherTest, OlderCiphersBecomeChacha20UnderTheSamePassphrase) {
  for (const char* cipher : {"aes256cbc", "sqleet"})
    for (const char* mode : {"DELETE", "WAL"}) {
      std::filesystem::remove(file());
      make(cipher, &passphrase_, mode);
      ::chmod(file().c_str(), 0640);
      std::uint64_t last = 0;
      const auto done = migrate_cipher({.path = file(),
                                        .key = &passphrase_,
                                        .cipher = std::string_view(cipher) == "sqleet" ? "sqleet" : "",
                                        .progress = [&](std::uint64_t at, std::uint64_t all) {
                                          EXPECT_LE(last, at);
                                          EXPECT_LE(at, all);
                                          last = at;
                                        }});
      ASSERT_TRUE(ok(done)) << cipher << mode;
      EXPECT_TRUE(done->changed);
      EXPECT_EQ(done->from, cipher);
      EXPECT_GT(last, 0u);
      expect_migrated(passphrase_, page_size_of(cipher));
      struct stat info{};
      ASSERT_EQ(::stat(file().c_str(), &info), 0);
      EXPECT_EQ(info.st_mode & 0777, 0640u);
      auto opened = Connection::open({.path = file(), .key = &passphrase_, .bare = true});
      ASSERT_TRUE(ok(opened));
      EXPECT_EQ(*(*opened)->query_text("PRAGMA journal_mode"),
                std::string_view(mode) == "WAL" ? "wal" : "delete");
    }
}

TEST_F(MigrateCipherTest, APlainDatabaseIsEncryptedUnderANewKeyAndNotWithoutOne) {
  make("", nullptr);
  EXPECT_TRUE(fails_with(Code::invalid, migrate_cipher({.path = file()})));
  const auto done = migrate_cipher({.path = file(), .new_key = &key()});
  ASSERT_TRUE(ok(done));
  EXPECT_EQ(done->from, "none");
  expect_migrated(key());
  const auto again = migrate_cipher({.path = file(), .key = &key()});
  ASSERT_TRUE(ok(again));
  EXPECT_FALSE(again->changed);
  expect_migrated(key());
}

TEST_F(MigrateCipherTest, WhatAnInterruptedRunLeftIsMadeAnew) {
  make("aes256cbc", &passphrase_);
  std::filesystem::copy_file(file(), file().string() + ".migrating");
  std::filesystem::resize_file(file().string() + ".migrating", 3000);
  ASSERT_TRUE(ok(migrate_cipher({.path = file(), .key = &passphrase_})));
  expect_migrated(passphrase_);
}

TEST_F(MigrateCipherTest, AFileInUseOrAWrongPassphraseChangesNothing) {
  make("aes256cbc", &passphrase_);
  const auto size = std::filesystem::file_size(file());
  const Key wrong = Key::passphrase(as_bytes("wrong"));
  EXPECT_TRUE(fails_with(Code::denied, migrate_cipher({.path = file(), .key = &wrong})));
  {
    auto other = Connection::open({.path = file(), .key = &passphrase_, .bare = true});
    ASSERT_TRUE(ok(other));
    EXPECT_EQ((*other)->cipher(), "aes256cbc");
    ASSERT_TRUE(ok((*other)->exec("BEGIN IMMEDIATE")));
    EXPECT_TRUE(fails_with(Code::busy, migrate_cipher({.path = file(), .key = &passphrase_})));
  }
  EXPECT_EQ(std::filesystem::file_size(file()), size);
  auto opened = Connection::open({.path = file(), .key = &passphrase_, .bare = true});
  ASSERT_TRUE(ok(opened));
  EXPECT_EQ((*opened)->cipher(), "aes256cbc");
  EXPECT_EQ(*(*opened)->query_int("SELECT count(*) FROM item"), 200);
}

TEST_F(MigrateCipherTest, AConnectionIsRekeyedAndAPlainOneIsNot) {
  make("chacha20", &passphrase_, "WAL");
  {
    auto db = Connection::open({.path = file(), .key = &passphrase_});
    ASSERT_TRUE(ok(db));
    ASSERT_TRUE(ok(rekey(**db, key())));
    EXPECT_EQ(*(*db)->query_int("SELECT count(*) FROM item"), 200);
  }
  expect_migrated(key());
  auto plain = Connection::open({.path = file("plain.db"), .mode = OpenMode::create, .bare = true});
  ASSERT_TRUE(ok(plain));
  EXPECT_EQ((*plain)->cipher(), "none");
  EXPECT_TRUE(fails_with(Code::invalid, rekey(**plain, key())));
}

}  // namespace
}  // namespace muhur::vault
