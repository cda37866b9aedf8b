#include "oidc/device.hpp"

#include <algorithm>
#include <utility>

#include "accounts/network.hpp"
#include "base/random.hpp"
#include "crypto/seal.hpp"
#include "oidc/custody.hpp"

namespace muhur::oidc {
namespace {

constexpr std::string_view kLetters = "BCDFGHJKLMNPQRSTVWXZ";
constexpr std::size_t kUserCode = 8;

Bytes copy(ByteView bytes) { return {bytes.begin(), bytes.end()}; }

DeviceCode device_of(const vault::Statement& row) {
  DeviceCode code{.hash = copy(row.blob(0)),
                  .client_id = std::string(row.text(1)),
                  .scope = std::string(row.text(2)),
                  .resource = std::string(row.text(3)),
                  .state = row.as<DeviceState>(4),
                  .wait_s = row.int64(5),
                  .polled_s = row.int64(6),
                  .user = row.int64(7),
                  .sid = std::string(row.text(8)),
                  .amr = std::string(row.text(9)),
                  .auth_time_s = row.int64(10),
                  .epoch = row.int64(15),
                  .public_half = copy(row.blob(12)),
                  .half = copy(row.blob(13)),
                  .ends_s = row.int64(14)};
  if (!row.is_null(11)) code.dek = copy(row.blob(11));
  return code;
}

}  // namespace

std::string make_user_code() {
  std::string code;
  for (std::size_t i = 0; i < kUserCode; ++i) {
    if (i == kUserCode / 2) code += '-';
    code += kLetters[random_below(kLetters.size())];
  }
  return code;
}

std::string read_user_code(std::string_view typed) {
  if (typed.size() > 64) return {};
  std::string code;
  for (char letter : typed) {
    if (letter >= 'a' && letter <= 'z') letter = static_cast<char>(letter - 'a' + 'A');
    if (kLetters.contains(letter)) code += letter;
  }
  return code.size() == kUserCode ? code : std::string();
}

std::string show_user_code(std::string_view typed) {
  std::string code = read_user_code(typed);
  if (!code.empty()) code.insert(kUserCode / 2, 1, '-');
  return code;
}

Result<bool> insert_device(vault::Connection& c, std::string_view device_code, std::string_view user_code,
                           const DeviceCode& row) {
  const auto hash = hash_of(device_code);
  const auto typed = hash_of(read_user_code(user_code));
  const auto pair = crypto::SealingPair::generate();
  MUHUR_TRY(auto st, c.prepare("INSERT INTO device_codes(hash, user_code, client_id, scope, resource, state, "
                               "wait_s, polled_s, public_half, half, ends_s) "
                               "VALUES (?, ?, ?, ?, ?, 0, ?, 0, ?, ?, ?) ON CONFLICT DO NOTHING"));
  const Bytes half = wrap_under(device_code, Custody::device_code, 0, pair.private_half);
  MUHUR_TRY(const auto added, st.bind(ByteView(hash), ByteView(typed), row.client_id, row.scope, row.resource,
                                      row.wait_s, pair.public_half, half, row.ends_s)
                                  .run_counted());
  return added == 1;
}

Result<std::optional<DeviceCode>> find_device(vault::Connection& c, std::string_view device_code) {
  const auto hash = hash_of(device_code);
  MUHUR_TRY(auto st,
            c.prepare("SELECT hash, client_id, scope, resource, state, wait_s, polled_s, user_id, sid, amr, "
                      "auth_time_s, dek, public_half, half, ends_s, epoch FROM device_codes WHERE hash = ?"));
  MUHUR_TRY(const bool row, st.bind(ByteView(hash)).step());
  if (!row) return std::optional<DeviceCode>();
  return std::optional(device_of(st));
}

Result<std::optional<DeviceCode>> find_device_by_user_code(vault::Connection& c, std::string_view user_code,
                                                           std::int64_t now_s) {
  const auto typed = hash_of(read_user_code(user_code));
  MUHUR_TRY(auto st,
            c.prepare("SELECT hash, client_id, scope, resource, state, wait_s, polled_s, user_id, sid, amr, "
                      "auth_time_s, dek, public_half, half, ends_s, epoch FROM device_codes "
                      "WHERE user_code = ? AND state = 0 AND ends_s > ?"));
  MUHUR_TRY(const bool row, st.bind(ByteView(typed), now_s).step());
  if (!row) return std::optional<DeviceCode>();
  return std::optional(device_of(st));
}

Result<bool> decide_device(vault::Connection& c, const DeviceCode& d, std::int64_t now_s) {
  MUHUR_TRY(auto st,
            c.prepare("UPDATE device_codes SET state = ?, user_id = ?, sid = ?, amr = ?, auth_time_s = ?, "
                      "dek = ?, epoch = ? WHERE hash = ? AND state = 0 AND ends_s > ?"));
  MUHUR_TRY(
      const auto decided,
      st.bind(d.state, d.user, d.sid, d.amr, d.auth_time_s, d.dek, d.epoch, d.hash, now_s).run_counted());
  return decided == 1;
}

Result<void> note_poll(vault::Connection& c, const DeviceCode& code, std::int64_t now_s, bool hasty) {
  return c.run("UPDATE device_codes SET polled_s = ?, wait_s = ? WHERE hash = ?", now_s,
               code.wait_s + (hasty ? kDeviceInterval_s : 0), code.hash);
}

Result<bool> redeem_device(vault::Connection& c, const DeviceCode& code) {
  MUHUR_TRY(auto st, c.prepare("UPDATE device_codes SET state = 3, dek = NULL WHERE hash = ? AND state = 1"));
  MUHUR_TRY(const auto redeemed, st.bind(code.hash).run_counted());
  return redeemed == 1;
}

Result<Secret> device_dek(std::string_view device_code, const DeviceCode& code) {
  if (!code.dek) return Secret();
  MUHUR_TRY(auto half, unwrap_with(device_code, Custody::device_code, 0, code.half));
  MUHUR_TRY(auto dek, crypto::open_sealed({code.public_half, std::move(half)}, *code.dek));
  Secret secret{ByteView(dek)};
  wipe(dek);
  return secret;
}

UserCodeGuard::Look::Look(Look&& other) noexcept
    : guard_(std::exchange(other.guard_, nullptr)), network_(std::move(other.network_)) {}

UserCodeGuard::Look::~Look() {
  if (!guard_) return;
  const Lock lock(guard_->mutex_);
  --guard_->looking_;
  guard_->count_down(network_);
}

void UserCodeGuard::Look::wrong(std::int64_t now_s) {
  UserCodeGuard* const guard = std::exchange(guard_, nullptr);
  if (!guard) return;
  const Lock lock(guard->mutex_);
  --guard->looking_;
  guard->wrong_.emplace_back(now_s, std::move(network_));
}

Result<UserCodeGuard::Look> UserCodeGuard::admit(std::string_view peer, std::int64_t now_s) {
  std::string network = accounts::network_of(peer).name;
  const Lock lock(mutex_);
  forget(now_s);
  const auto at = count_.find(network);
  if (wrong_.size() + looking_ >= kInAll || (at != count_.end() && at->second >= kPerNetwork))
    return fail(Code::busy, "too many wrong codes lately",
                fmt::format("Wait {} s and try again", wait_of(network, now_s)));
  ++looking_;
  ++count_[network];
  return Look(*this, std::move(network));
}

// Until the network's oldest wrong one is forgotten, or the oldest of all.
std::int64_t UserCodeGuard::wait_of(std::string_view network, std::int64_t now_s) const {
  const auto own =
      std::ranges::find(wrong_, network, [](const auto& one) { return std::string_view(one.second); });
  const auto oldest = own != wrong_.end() ? own : wrong_.begin();
  return oldest != wrong_.end() ? std::max<std::int64_t>(oldest->first + kWindow_s - now_s, 1) : 1;
}

void UserCodeGuard::count_down(const std::string& network) {
  const auto at = count_.find(network);
  if (--at->second == 0) count_.erase(at);
}

void UserCodeGuard::forget(std::int64_t now_s) {
  while (!wrong_.empty() && wrong_.front().first + kWindow_s <= now_s) {
    count_down(wrong_.front().second);
    wrong_.pop_front();
  }
}

}  // namespace muhur::oidc
