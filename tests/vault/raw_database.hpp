#pragma once
// SQLite itself through the vault's VFS, for tests that are about files: no profile, no statement cache.

#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "vault/key_registry.hpp"
#include "vault/vfs.hpp"

namespace muhur::vault::testing {

// A directory of its own that goes when the test ends.
class Directory {
 public:
  Directory() : path_(std::filesystem::temp_directory_path() / ("muhur-vault-" + random_hex(8))) {
    std::filesystem::create_directories(path_);
  }
  ~Directory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::string file(const std::string& name) const { return (path_ / name).string(); }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

inline Key test_key(Byte fill = 7) { return Key::raw(Secret(Bytes(32, fill))); }
inline Key test_passphrase() { return Key::passphrase(as_bytes("test-password-123")); }

// A URI through `vfs` for a key that is registered as long as `registered` lives.
inline std::string uri(const std::string& path, const RegisteredKey& registered, const std::string& more = "",
                       const std::string& vfs = kVfsName) {
  return "file:" + path + "?vfs=" + vfs + "&keyid=" + registered.id() + more;
}

struct How {
  std::string more;  // "&cipher=…"
  std::string vfs = kVfsName;
  int reserve = kReservedBytes;  // -1: forgotten
};

class RawDatabase {
 public:
  // The key is registered while opening only, as a Connection does.
  explicit RawDatabase(const std::string& path, const Key& key, const How& how = {}) {
    EXPECT_TRUE(register_vfs());
    const RegisteredKey registered(key);
    open(uri(path, registered, how.more, how.vfs), how);
  }
  RawDatabase() { EXPECT_TRUE(register_vfs()); }
  ~RawDatabase() {
    if (dies_) ::kill(::getpid(), SIGKILL);
    close();
  }
  RawDatabase(const RawDatabase&) = delete;
  RawDatabase& operator=(const RawDatabase&) = delete;

  void open(const std::string& name, const How& how = {}) {
    opened_ = sqlite3_open_v2(
        name.c_str(), &handle_,
        SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI | SQLITE_OPEN_EXRESCODE, nullptr);
    int reserve = how.reserve;
    if (opened_ == SQLITE_OK) sqlite3_file_control(handle_, "main", SQLITE_FCNTL_RESERVE_BYTES, &reserve);
  }
  int opened() const { return opened_; }
  void close() {
    sqlite3_close(handle_);
    handle_ = nullptr;
  }
  sqlite3* handle() { return handle_; }
  // From now on in this process none is closed: the first to be would take the process with it.
  static void die_instead_of_closing() { dies_ = true; }

  // The result code of running all statements in `sql`.
  int run(const std::string& sql) { return sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr); }
  void must(const std::string& sql) {
    ASSERT_EQ(run(sql), SQLITE_OK) << sql << ": " << sqlite3_errmsg(handle_);
  }
  // First column of all rows, joined by ','; the error's text when it fails.
  std::string ask(const std::string& sql) {
    sqlite3_stmt* statement = nullptr;
    std::string out;
    int rc = sqlite3_prepare_v2(handle_, sql.c_str(), -1, &statement, nullptr);
    while (rc == SQLITE_OK || rc == SQLITE_ROW) {
      rc = sqlite3_step(statement);
      if (rc != SQLITE_ROW) break;
      const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement, 0));
      if (!out.empty()) out += ',';
      out += text ? text : "NULL";
    }
    if (rc != SQLITE_DONE) out = std::string("error: ") + sqlite3_errmsg(handle_);
    sqlite3_finalize(statement);
    return out;
  }

 private:
  sqlite3* handle_ = nullptr;
  int opened_ = SQLITE_ERROR;
  inline static bool dies_ = false;
};

// Runs `work` in a child that dies as by kill -9 when it comes to close its first database.
inline void in_killed_child(const std::function<void()>& work) {
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    RawDatabase::die_instead_of_closing();
    work();
    ::_exit(1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

// Rows from..to (inclusive) of `size` bytes, the same every time.
inline std::string insert_rows(int from, int to, int size, const std::string& table = "t") {
  return "WITH RECURSIVE c(x) AS (SELECT " + std::to_string(from) + " UNION ALL SELECT x+1 FROM c WHERE x<" +
         std::to_string(to) + ") INSERT INTO " + table +
         " SELECT x, 'row '||x||' '||substr(replace(hex(zeroblob(" + std::to_string(size / 8 + 1) +
         ")),'00','markmark'),1," + std::to_string(size) + ") FROM c;";
}
inline constexpr const char* kMarker = "markmarkmark";
inline constexpr const char* kTable = "CREATE TABLE t(id INTEGER PRIMARY KEY, body TEXT);";

inline Bytes read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}
inline void write_file(const std::string& path, const Bytes& bytes) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}
inline bool contains(const Bytes& bytes, std::string_view text) {
  return as_text(bytes).find(text) != std::string_view::npos;
}

}  // namespace muhur::vault::testing
