#include "accounts/sign_in_cost.hpp"

#include <algorithm>
#include <tuple>
#include <vector>

#include "base/log.hpp"
#include "base/random.hpp"
#include "base/sync.hpp"
#include "crypto/mac.hpp"

namespace muhur::accounts {
namespace {

constexpr std::chrono::minutes kFresh{1};

struct Share {
  crypto::Argon2Cost cost;
  std::uint64_t users;
};

// The configured cost comes last: as users move to it, its share grows downwards and an address moves once.
Result<std::vector<Share>> count_costs(vault::Connection& c, const crypto::Argon2Cost& configured) {
  MUHUR_TRY(auto st, c.prepare("SELECT memory_kib, passes, count(*) FROM credentials "
                               "WHERE memory_kib IS NOT NULL GROUP BY memory_kib, passes"));
  std::vector<Share> shares;
  while (true) {
    MUHUR_TRY(const bool more, st.step());
    if (!more) break;
    shares.push_back({{st.as<std::uint32_t>(0), st.as<std::uint32_t>(1)}, st.as<std::uint64_t>(2)});
  }
  std::ranges::sort(shares, {}, [&](const Share& share) {
    return std::tuple(share.cost == configured, share.cost.memory_kib, share.cost.passes);
  });
  return shares;
}

}  // namespace

struct SignInCost::Impl {
  Directory& directory;
  const crypto::Argon2Cost configured;
  Bytes key;
  mutable Mutex mutex;
  std::vector<Share> shares MUHUR_GUARDED_BY(mutex);
  bool counted MUHUR_GUARDED_BY(mutex) = false;
  std::chrono::steady_clock::time_point counted_at MUHUR_GUARDED_BY(mutex){};
};

SignInCost::SignInCost(Directory& directory, crypto::Argon2Cost configured)
    : impl_(new Impl{.directory = directory, .configured = configured}) {
  auto setting = directory.setting("sign-in-key");
  if (setting && *setting && (*setting)->size() == 32)
    impl_->key = std::move(**setting);
  else
    impl_->key = random_bytes(32);
}
SignInCost::~SignInCost() = default;

void SignInCost::refresh() {
  const auto now = impl_->directory.clock().steady();
  {
    const Lock lock(impl_->mutex);
    if (impl_->counted && now - impl_->counted_at < kFresh) return;
    impl_->counted = true;  // others go on with the last count meanwhile
    impl_->counted_at = now;
  }
  auto shares = impl_->directory.database().read(
      [&](vault::Connection& c) { return count_costs(c, impl_->configured); });
  if (!shares) {
    log::warn("accounts", "the costs of passwords could not be counted", {{"error", shares.error().text()}});
    return;
  }
  const Lock lock(impl_->mutex);
  impl_->shares = std::move(*shares);
}

MadeUpRecord SignInCost::made_up(std::string_view account) const {
  const crypto::Digest digest = crypto::blake2b(as_bytes(account), impl_->key);
  MadeUpRecord record{impl_->configured, Bytes(digest.begin(), digest.begin() + 16)};
  const Lock lock(impl_->mutex);
  std::uint64_t users = 0;
  for (const Share& share : impl_->shares) users += share.users;
  if (users == 0) return record;
  // A 32-bit fraction of them: in [0, users), for fewer than 2^32 users.
  std::uint64_t pick = load_be32(digest.data() + 16) * users >> 32;
  for (const Share& share : impl_->shares) {
    if (pick < share.users) {
      record.cost = share.cost;
      break;
    }
    pick -= share.users;
  }
  return record;
}

}  // namespace muhur::accounts
