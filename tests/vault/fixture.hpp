#pragma once
// What the vault's tests share: a directory that goes, and databases in it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "base/random.hpp"
#include "vault/database.hpp"

namespace muhur::vault {

class VaultTest : public testing::Test {
 protected:
  VaultTest() { std::filesystem::create_directories(directory_); }
  ~VaultTest() override {
    std::error_code ignored;
    std::filesystem::remove_all(directory_, ignored);
  }

  std::filesystem::path file(std::string_view name = "test.db") const { return directory_ / name; }
  const Key& key() const { return key_; }

  OpenOptions options(OpenMode mode = OpenMode::create) const {
    return {.path = file(), .key = &key_, .mode = mode};
  }
  std::unique_ptr<Connection> connect(OpenMode mode = OpenMode::create) const {
    auto connection = Connection::open(options(mode));
    if (!connection) {
      ADD_FAILURE() << connection.error().text();
      return nullptr;
    }
    return std::move(*connection);
  }

  static constexpr Migration kItems[] = {
      {1, "items", "CREATE TABLE item(id INTEGER PRIMARY KEY, text TEXT UNIQUE) STRICT"}};
  DatabaseOptions database_options() const { return {.open = options(), .migrations = kItems}; }
  std::shared_ptr<Database> open_database(DatabaseOptions with) const {
    auto database = Database::open(std::move(with));
    if (!database) {
      ADD_FAILURE() << database.error().text();
      return nullptr;
    }
    return std::move(*database);
  }
  std::shared_ptr<Database> open_database() const { return open_database(database_options()); }

  std::filesystem::path directory_ =
      std::filesystem::temp_directory_path() / ("muhur-vault-" + random_hex(8));
  Key key_ = Key::random();
};

inline Result<void> insert(Connection& connection, std::string_view text) {
  return connection.run("INSERT INTO item(text) VALUES(?)", text);
}
inline std::int64_t count(Connection& connection) {
  const auto n = connection.query_int("SELECT count(*) FROM item");
  return n ? *n : -1;
}

// For ASSERT_TRUE(ok(x)) << …: prints the error.
template <class T>
testing::AssertionResult ok(const Result<T>& result) {
  if (result) return testing::AssertionSuccess();
  return testing::AssertionFailure() << name_of(result.error().code) << ": " << result.error().text();
}
template <class T>
testing::AssertionResult fails_with(Code code, const Result<T>& result) {
  if (result) return testing::AssertionFailure() << "succeeded";
  if (result.error().code == code) return testing::AssertionSuccess();
  return testing::AssertionFailure() << name_of(result.error().code) << ": " << result.error().text();
}

}  // namespace muhur::vault
