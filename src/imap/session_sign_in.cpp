// How a session comes to its mailbox, by password or by token, and what ends it from outside.
#include <boost/asio/post.hpp>

#include "base/log.hpp"
#include "base/metrics.hpp"
#include "imap/commands.hpp"
#include "imap/session.hpp"

namespace muhur::imap {
namespace {

Reply authentication_failed() { return no("Authentication failed.", "AUTHENTICATIONFAILED"); }

void count(bool good) {
  static auto& ok = metrics::counter("muhur_imap_logins_total", "IMAP logins", "result=\"ok\"");
  static auto& refused = metrics::counter("muhur_imap_logins_total", "IMAP logins", "result=\"refused\"");
  (good ? ok : refused).add();
}

}  // namespace

net::Task<Reply> Session::sign_in(std::string address, Secret password) {
  // Password checks take a while: what was answered before does not wait for them.
  co_await flush();
  co_return co_await enter(
      co_await office().sign_in(std::move(address), std::move(password), stream_->peer().address));
}

net::Task<Reply> Session::sign_in_with_token(std::string address, Secret token) {
  co_await flush();
  co_return co_await enter(
      co_await options().token_sign_in(std::move(token), std::move(address), stream_->peer().address));
}

net::Task<Reply> Session::enter(Result<mail::Session> signed_in) {
  if (!signed_in) {
    count(false);
    const Code code = signed_in.error().code;
    if (code == Code::denied) {
      ++failed_logins_;  // what could not be verified says nothing against the client
      co_return authentication_failed();
    }
    if (code == Code::busy || code == Code::no_space || code == Code::timed_out)
      co_return no("The server cannot check logins now: try again in a while.", "UNAVAILABLE");
    log::error("imap", "sign-in failed", {{"error", signed_in.error().text()}});
    co_return no("The server met an error of its own: tell your administrator.", "SERVERBUG");
  }
  seat_ = shared_->seats.take(signed_in->user.id);
  if (!seat_) co_return no("You have too many connections.", "LIMIT");
  mail_ = std::move(*signed_in);
  end_with_user();
  if (!co_await still_welcome()) {
    user_watch_ = {};
    mail_.reset();
    seat_.reset();
    co_return authentication_failed();
  }
  count(true);
  bad_commands_ = 0;
  reader_.take_from(seat_->appends(), shared_->appends);
  reader_.set_limits({options().max_command, kMaxLiterals, max_append(), kMaxSwallow});
  log::info("imap", "signed in", {{"user", mail_->user.id}, {"peer", stream_->peer().address}});
  co_return ok("Signed in.", "CAPABILITY " + capabilities(*this));
}

// Whoever is disabled or deleted is out at once, not at the next login.
void Session::end_with_user() {
  user_watch_ = office().on_user_changed().listen(
      [weak = weak_from_this(), id = mail_->user.id, executor = stream_->executor()](
          accounts::UserId changed, mail::UserChange change) {
        if (changed != id || change == mail::UserChange::credentials) return;
        boost::asio::post(executor, [weak] {
          if (const auto self = weak.lock()) self->stop("This account was closed.", true);
        });
      });
}

// Between the check of the password and the moment we listen the account may have been closed.
net::Task<bool> Session::still_welcome() {
  auto& users = office().users();
  const auto id = mail_->user.id;
  const auto now = co_await net::on(storage(), [&] { return users.by_id(id); });
  co_return now && !now->disabled;
}

}  // namespace muhur::imap
