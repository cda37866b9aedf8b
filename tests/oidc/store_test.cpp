// sessions.db itself: what is in it, and what kill -9 leaves of it.
//
// The crash test starts its own program again as a child that redeems codes and refreshes without end and
// tells through a pipe what it is about to use and what it was given. It is killed, and the rows are looked
// at.
#include "oidc/store.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "oidc/grants.hpp"
#include "oidc/provider_fixture.hpp"

namespace muhur::oidc {
namespace {

constexpr const char* kDirectory = "MUHUR_OIDC_CRASH_DIRECTORY";
constexpr const char* kKey = "MUHUR_OIDC_CRASH_KEY";
constexpr int kPipe = 5;  // the child's end
constexpr std::size_t kToken = 43;
constexpr std::int64_t kNow = 1'700'000'000;

class StoreTest : public testing::Test {
 protected:
  void SetUp() override {
    log::set_level(log::Level::off);
    data_ = std::filesystem::temp_directory_path() / ("muhur-oidc-" + random_hex(8));
    std::filesystem::create_directories(data_);
    open();
  }
  void TearDown() override {
    store_.reset();
    std::filesystem::remove_all(data_);
  }
  void open() {
    store_.reset();
    auto opened = Store::open(data_ / "sessions.db", key_, {});
    ASSERT_TRUE(opened) << opened.error().text();
    store_ = std::move(*opened);
  }
  template <class F>
  auto write(F f) {
    return store_->database().write(f);
  }
  std::filesystem::path data_;
  Secret raw_ = Secret::random(32);
  vault::Key key_ = vault::Key::raw(raw_);
  std::unique_ptr<Store> store_;
};

TEST_F(StoreTest, AKeyIsRememberedOnce) {
  const Once once{"key", kNow + 60};
  const auto remember = [&] {
    return write([&](vault::Connection& c) { return Store::remember_once(c, once); }).value();
  };
  EXPECT_TRUE(remember());
  EXPECT_FALSE(remember());
  open();
  EXPECT_FALSE(remember());
  EXPECT_EQ(store_->sweep(kNow).value(), 0);
  EXPECT_EQ(store_->sweep(kNow + 60).value(), 1);
  EXPECT_TRUE(remember());
}

TEST_F(StoreTest, ASweepGoesInBoundedSteps) {
  ASSERT_TRUE(write([&](vault::Connection& c) -> Result<void> {
    for (int i = 0; i < 25; ++i) MUHUR_CHECK(Store::remember_once(c, {std::to_string(i), kNow}));
    return {};
  }));
  EXPECT_EQ(store_->sweep(kNow, 10).value(), 10);
  EXPECT_EQ(store_->sweep(kNow, 10).value(), 10);
  EXPECT_EQ(store_->sweep(kNow, 10).value(), 5);
}

TEST_F(StoreTest, AGrantsIdIsNeverUsedTwice) {
  const auto add = [&] {
    return write([&](vault::Connection& c) { return insert_grant(c, {.client_id = "a", .ends_s = kNow}); })
        .value();
  };
  const auto first = add();
  EXPECT_EQ(store_->sweep(kNow).value(), 1);
  EXPECT_GT(add(), first);
}

TEST_F(StoreTest, NoSecretIsInTheRows) {
  const std::string code = random_token(), refresh = random_token(), access = random_token();
  ASSERT_TRUE(write([&](vault::Connection& c) -> Result<void> {
    MUHUR_CHECK(insert_code(c, code, {.ends_s = kNow}));
    MUHUR_CHECK(insert_refresh(c, refresh, {.ends_s = kNow}));
    return insert_access(c, access, {.ends_s = kNow});
  }));
  // The rows as whoever has server.key would see them.
  const auto holds = [&](const std::string& secret) {
    return store_->database()
        .read([&](vault::Connection& c) -> Result<std::int64_t> {
          std::int64_t found = 0;
          for (const auto* sql : {"SELECT COUNT(*) FROM codes WHERE instr(hash, ?) > 0",
                                  "SELECT COUNT(*) FROM refresh_tokens WHERE instr(hash, ?) > 0",
                                  "SELECT COUNT(*) FROM access_tokens WHERE instr(hash, ?) > 0"}) {
            MUHUR_TRY(auto st, c.prepare(sql));
            MUHUR_TRY(const bool row, st.bind(as_bytes(secret)).step());
            if (row) found += st.int64(0);
          }
          return found;
        })
        .value();
  };
  for (const auto& secret : {code, refresh, access}) EXPECT_EQ(holds(secret), 0);
  const auto hash = hash_of(code);
  EXPECT_EQ(holds(std::string(as_text(hash))), 1);
}

// Not a test but the child's program. It says: '?' and a token when it is about to use one, '!' and a token
// when it was given one.
TEST(StoreCrashChild, DISABLED_RefreshesUntilItIsKilled) {
  const char* directory = std::getenv(kDirectory);
  const char* hex = std::getenv(kKey);
  if (!directory || !hex) return;
  const vault::Key key = vault::Key::raw(Secret(ByteView(from_hex(hex).value())));
  const auto store = Store::open(directory, key, {}).value();
  const auto say = [](char what, const std::string& token) {
    const std::string line = what + token;
    if (write(kPipe, line.data(), line.size()) != static_cast<ssize_t>(line.size())) _exit(8);
  };
  std::string current = random_token();
  if (!store->database().write(
          [&](vault::Connection& c) { return insert_refresh(c, current, {.grant_id = 1, .ends_s = kNow}); }))
    _exit(9);
  say('!', current);
  while (true) {
    const std::string next = random_token();
    say('?', current);
    const auto used = store->database().write([&](vault::Connection& c) -> Result<bool> {
      MUHUR_CHECK(insert_refresh(c, next, {.grant_id = 1, .ends_s = kNow}));
      return use_refresh(c, current, {}, kNow);
    });
    if (!used || !*used) _exit(7);
    say('!', next);
    current = next;
  }
}

TEST_F(StoreTest, KilledUnderLoadItLosesNoTokenAndTakesNoneTwice) {
  for (int round = 0; round < 5; ++round) {
    store_.reset();
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    const std::string file = data_ / "sessions.db", hex = to_hex(raw_.view());
    const pid_t child = fork();
    if (child == 0) {
      setenv(kDirectory, file.c_str(), 1);
      setenv(kKey, hex.c_str(), 1);
      dup2(ends[1], kPipe);
      execl("/proc/self/exe", "oidc_tests", "--gtest_also_run_disabled_tests",
            "--gtest_filter=StoreCrashChild.*", "--gtest_brief=1", static_cast<char*>(nullptr));
      _exit(6);
    }
    close(ends[1]);
    std::vector<std::string> used, given;
    std::string last_asked;
    char line[kToken + 1];
    std::size_t have = 0;
    const auto read_line = [&] {
      for (have = 0; have < sizeof line;) {
        const auto got = read(ends[0], line + have, sizeof line - have);
        if (got <= 0) return false;
        have += static_cast<std::size_t>(got);
      }
      return true;
    };
    const auto note = [&] {
      const std::string token(line + 1, kToken);
      if (line[0] == '?') {
        last_asked = token;
      } else {
        if (!last_asked.empty()) used.push_back(last_asked);
        given.push_back(token);
      }
    };
    const std::size_t enough = 40 + static_cast<std::size_t>(round) * 17;
    while (given.size() < enough && read_line()) note();
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    while (read_line()) note();  // what it had said before
    close(ends[0]);
    ASSERT_GE(given.size(), enough);
    ASSERT_TRUE(WIFSIGNALED(status));
    open();
    for (const auto& token : given) {  // handed out, so there
      const auto row = write([&](vault::Connection& c) { return find_refresh(c, token); });
      ASSERT_TRUE(row && *row);
    }
    for (const auto& token : used) {  // acknowledged as used, so never again
      const auto again = write([&](vault::Connection& c) { return use_refresh(c, token, {}, kNow); });
      ASSERT_TRUE(again);
      EXPECT_FALSE(*again);
    }
  }
}

}  // namespace
}  // namespace muhur::oidc
