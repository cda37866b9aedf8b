#pragma once
// The device authorization grant (RFC 8628), as rows and as the codes that people type. Private to oidc/.
//
// The mailbox's key reaches the device although the server keeps only the device code's hash: a sealing pair
// is made with the code, its private half wrapped under the code. Whoever approves seals the key to the
// public half.

#include <deque>
#include <map>
#include <optional>

#include "base/sync.hpp"
#include "oidc/grants.hpp"

namespace muhur::oidc {

enum class DeviceState { waiting = 0, approved = 1, denied = 2, redeemed = 3 };
inline constexpr std::int64_t kDeviceInterval_s = 5;

// Eight letters without vowels, "WDJB-MJHT": nothing to be misread, no words.
std::string make_user_code();
// As it is compared: upper case, letters only. Empty when it cannot be one.
std::string read_user_code(std::string_view typed);
std::string show_user_code(std::string_view typed);  // "wdjbmjht" as "WDJB-MJHT"

struct DeviceCode {
  Bytes hash;
  std::string client_id, scope, resource;
  DeviceState state = DeviceState::waiting;
  std::int64_t wait_s = kDeviceInterval_s, polled_s = 0;
  accounts::UserId user = 0;
  std::string sid, amr;
  std::int64_t auth_time_s = 0, epoch = 0;
  std::optional<Bytes> dek;  // sealed to public_half
  Bytes public_half, half;
  std::int64_t ends_s = 0;
};

// false: the user code is taken.
Result<bool> insert_device(vault::Connection& c, std::string_view device_code, std::string_view user_code,
                           const DeviceCode& row);
Result<std::optional<DeviceCode>> find_device(vault::Connection& c, std::string_view device_code);
// Those that wait for a decision.
Result<std::optional<DeviceCode>> find_device_by_user_code(vault::Connection& c, std::string_view user_code,
                                                           std::int64_t now_s);
// Who decided, and what. false: it was decided meanwhile, or is over.
Result<bool> decide_device(vault::Connection& c, const DeviceCode& decided, std::int64_t now_s);
// Notes a poll; `hasty` lengthens the wait by another interval.
Result<void> note_poll(vault::Connection& c, const DeviceCode& code, std::int64_t now_s, bool hasty);
// false: another request was first.
Result<bool> redeem_device(vault::Connection& c, const DeviceCode& code);
// The mailbox's key that came along; empty: none.
Result<Secret> device_dek(std::string_view device_code, const DeviceCode& code);

// Slows the guessing of user codes: wrong ones per network and in all. Thread-safe.
class UserCodeGuard {
 public:
  static constexpr int kPerNetwork = 10;  // wrong ones in a window
  static constexpr std::size_t kInAll = 1'000;
  static constexpr std::int64_t kWindow_s = 600;

  // A look at one code. It counts as a wrong one until it ends, so that many at once are not admitted where
  // one after the other would not be. Must not outlive its guard.
  class Look {
   public:
    Look(Look&& other) noexcept;
    Look& operator=(Look&&) = delete;
    ~Look();
    void wrong(std::int64_t now_s);

   private:
    friend class UserCodeGuard;
    Look(UserCodeGuard& guard, std::string network) : guard_(&guard), network_(std::move(network)) {}
    UserCodeGuard* guard_;
    std::string network_;
  };
  // busy: too many wrong ones lately, the remedy says how many seconds to wait.
  Result<Look> admit(std::string_view peer, std::int64_t now_s);

 private:
  void forget(std::int64_t now_s) MUHUR_REQUIRES(mutex_);
  void count_down(const std::string& network) MUHUR_REQUIRES(mutex_);
  std::int64_t wait_of(std::string_view network, std::int64_t now_s) const MUHUR_REQUIRES(mutex_);
  Mutex mutex_;
  std::deque<std::pair<std::int64_t, std::string>> wrong_ MUHUR_GUARDED_BY(mutex_);  // at most kInAll
  std::size_t looking_ MUHUR_GUARDED_BY(mutex_) = 0;
  std::map<std::string, int, std::less<>> count_ MUHUR_GUARDED_BY(mutex_);  // of both, by network
};

}  // namespace muhur::oidc
