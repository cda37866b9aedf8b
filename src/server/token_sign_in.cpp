#include "server/token_sign_in.hpp"

#include "accounts/audit.hpp"
#include "accounts/network.hpp"
#include "base/log.hpp"
#include "base/lru.hpp"
#include "base/metrics.hpp"
#include "base/sync.hpp"
#include "oidc/scope.hpp"

namespace muhur::server {
namespace {

constexpr std::string_view kMailScope = "mail";
constexpr std::int64_t kRepeatAfter = 3'600'000;
constexpr std::size_t kRemembered = 4'096;
constexpr std::size_t kLongestPeer = 100;

class TokenDoor {
 public:
  TokenDoor(mail::PostOffice& office, oidc::Provider& provider) : office_(office), provider_(provider) {}

  net::Task<Result<mail::Session>> open(Secret token, std::string address, std::string peer) {
    auto info = co_await provider_.token_info(std::string(token.text()));
    token.wipe();
    if (!info) {
      if (info.error().code == Code::denied) refuse({}, peer);
      co_return std::unexpected(std::move(info).error());
    }
    if (info->user == 0 || info->dek.empty() || !oidc::has_word(info->scope, kMailScope)) {
      refuse(info->user, peer);
      co_return fail(Code::denied, "the access token is not for mail");
    }
    auto opened = co_await net::on(office_.pools().storage, [&] { return open_mailbox(*info, address); });
    if (opened)
      accept(*info, peer);
    else if (opened.error().code == Code::denied)
      refuse(info->user, peer);
    co_return opened;
  }

 private:
  Result<mail::Session> open_mailbox(oidc::TokenInfo& info, const std::string& address) {
    auto user = office_.users().by_id(info.user);
    if (!user || user->disabled) return denied_if_unknown(user, "the token's user is gone");
    if (!address.empty()) {
      const auto named = office_.users().by_address(address);
      if (!named || named->id != info.user) return denied_if_unknown(named, "the token is another user's");
    }
    return office_.open_session({.user = std::move(*user), .dek = std::move(info.dek)});
  }

  // What the directory could not be asked is no refusal.
  static std::unexpected<Error> denied_if_unknown(const Result<accounts::User>& asked, std::string_view why) {
    if (!asked && asked.error().code != Code::not_found && asked.error().code != Code::invalid)
      return std::unexpected(asked.error());
    return fail(Code::denied, std::string(why));
  }

  void refuse(accounts::UserId user, std::string_view peer) {
    static auto& denied = metrics::counter("muhur_sign_ins_total", "Sign-ins by result", "result=\"denied\"");
    denied.add();
    log::info("server", "sign-in by token refused",
              {{"user", user ? std::to_string(user) : "unknown"}, {"peer", peer}});
    accounts::AuditEvent event;
    if (user) event.user = user;
    event.actor = "user";
    event.action = "sign-in";
    event.outcome = "denied";
    event.peer = peer.substr(0, kLongestPeer);
    event.detail = "access token";
    accounts::Audit(office_.directory()).record(std::move(event));
  }

  // Mail clients sign in again and again.
  void accept(const oidc::TokenInfo& info, std::string_view peer) {
    static auto& ok = metrics::counter("muhur_sign_ins_total", "Sign-ins by result", "result=\"ok\"");
    ok.add();
    const std::int64_t now = office_.directory().clock().now_ms();
    {
      const std::string what =
          std::to_string(info.user) + '/' + info.client_id + '/' + accounts::network_of(peer).name;
      const Lock lock(mutex_);
      const std::int64_t* last = recent_.get(what);
      if (last != nullptr && now - *last < kRepeatAfter) return;
      recent_.put(what, now);
    }
    accounts::Audit(office_.directory())
        .record({.user = info.user,
                 .actor = "user",
                 .action = "sign-in",
                 .peer = std::string(peer.substr(0, kLongestPeer)),
                 .detail = "access token of " + info.client_id});
  }

  mail::PostOffice& office_;
  oidc::Provider& provider_;
  Mutex mutex_;
  Lru<std::string, std::int64_t> recent_ MUHUR_GUARDED_BY(mutex_){kRemembered, SIZE_MAX};
};

}  // namespace

imap::TokenSignIn token_sign_in(mail::PostOffice& office, oidc::Provider& provider) {
  return [door = std::make_shared<TokenDoor>(office, provider)](Secret token, std::string address,
                                                                std::string peer) {
    return door->open(std::move(token), std::move(address), std::move(peer));
  };
}

}  // namespace muhur::server
