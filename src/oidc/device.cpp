#include "oidc/device.hpp"

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
                           DeviceCode row) {
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
                      "auth_time_s, dek, public_half, half, ends_s FROM device_codes WHERE hash = ?"));
  MUHUR_TRY(const bool row, st.bind(ByteView(hash)).step());
  if (!row) return std::optional<DeviceCode>();
  return std::optional(device_of(st));
}

Result<std::optional<DeviceCode>> find_device_by_user_code(vault::Connection& c, std::string_view user_code,
                                                           std::int64_t now_s) {
  const auto typed = hash_of(read_user_code(user_code));
  MUHUR_TRY(auto st,
            c.prepare("SELECT hash, client_id, scope, resource, state, wait_s, polled_s, user_id, sid, amr, "
                      "auth_time_s, dek, public_half, half, ends_s FROM device_codes "
                      "WHERE user_code = ? AND state = 0 AND ends_s > ?"));
  MUHUR_TRY(const bool row, st.bind(ByteView(typed), now_s).step());
  if (!row) return std::optional<DeviceCode>();
  return std::optional(device_of(st));
}

Result<bool> decide_device(vault::Connection& c, const DeviceCode& d, std::int64_t now_s) {
  MUHUR_TRY(auto st,
            c.prepare("UPDATE device_codes SET state = ?, user_id = ?, sid = ?, amr = ?, auth_time_s = ?, "
                      "dek = ? WHERE hash = ? AND state = 0 AND ends_s > ?"));
  MUHUR_TRY(const auto decided,
            st.bind(d.state, d.user, d.sid, d.amr, d.auth_time_s, d.dek, d.hash, now_s).run_counted());
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

Result<void> UserCodeGuard::admit(std::string_view peer, std::int64_t now_s) {
  const Lock lock(mutex_);
  forget(now_s);
  const auto at = count_.find(accounts::network_of(peer).name);
  if (wrong_.size() >= kInAll || (at != count_.end() && at->second >= kPerNetwork))
    return fail(Code::busy, "too many wrong codes lately", "Try again in ten minutes");
  return {};
}

void UserCodeGuard::wrong(std::string_view peer, std::int64_t now_s) {
  const Lock lock(mutex_);
  forget(now_s);
  if (wrong_.size() >= kInAll) return;
  std::string network = accounts::network_of(peer).name;
  ++count_[network];
  wrong_.emplace_back(now_s, std::move(network));
}

void UserCodeGuard::forget(std::int64_t now_s) {
  while (!wrong_.empty() && wrong_.front().first + kWindow_s <= now_s) {
    const auto at = count_.find(wrong_.front().second);
    if (--at->second == 0) count_.erase(at);
    wrong_.pop_front();
  }
}

}  // namespace muhur::oidc
