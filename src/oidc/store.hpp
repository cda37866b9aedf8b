#pragma once
// sessions.db: what the provider remembers of sessions, grants and tokens. Rows are read and written by the
// functions of sso.hpp, grants.hpp, device.hpp and par.hpp over a Connection, so that one request's changes
// are one transaction. Private to oidc/.

#include <filesystem>
#include <memory>
#include <string_view>

#include "crypto/mac.hpp"
#include "vault/database.hpp"

namespace muhur::oidc {

// Under which a secret that was handed out is stored and found. All secrets have 256 random bits: a plain
// hash gives nothing away.
crypto::Digest hash_of(std::string_view secret);

// Something that may be seen once until it expires: the jti of an assertion or a proof, a used page.
struct Once {
  std::string key;
  std::int64_t ends_s = 0;
};

class Store {
 public:
  // Created when absent. denied: another key.
  static Result<std::unique_ptr<Store>> open(const std::filesystem::path& file, const vault::Key& key,
                                             vault::Executor executor);
  vault::Database& database() { return *database_; }
  std::weak_ptr<vault::Database> held() const { return database_; }

  // false: it was remembered before.
  static Result<bool> remember_once(vault::Connection& c, const Once& once);

  // Removes up to `most` expired rows of each kind, in one transaction. Returns how many went. Blocks.
  Result<std::int64_t> sweep(std::int64_t now_s, std::int64_t most = kSweepStep);
  static constexpr std::int64_t kSweepStep = 500;

 private:
  explicit Store(std::shared_ptr<vault::Database> database) : database_(std::move(database)) {}
  std::shared_ptr<vault::Database> database_;
};

// Used codes stay for so long, so that a second use is known as one and takes the family back.
inline constexpr std::int64_t kRememberCodes_s = 600;

}  // namespace muhur::oidc
