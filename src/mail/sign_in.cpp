#include "base/log.hpp"
#include "mail/post_office_impl.hpp"

namespace muhur::mail {
namespace {

// Moved before a sign-in returns; about what a client shows at first.
constexpr std::size_t kDrainedAtSignIn = 200;
// Hashes that wait per thread: beyond that an answer would come too late to be of use.
constexpr std::size_t kMaxWaitingPerThread = 64;

}  // namespace

net::Task<Result<accounts::SignedIn>> PostOffice::prove(std::string address, Secret password,
                                                        std::string peer) {
  if (auto* const verifier = impl_->options.verifier)
    co_return co_await accounts::sign_in(impl_->signing_in, *verifier, impl_->pools, std::move(address),
                                         std::move(password), std::move(peer));
  auto& hashes = impl_->pools.passwords;
  if (hashes.waiting() >= kMaxWaitingPerThread * hashes.threads())
    co_return fail(Code::busy, "too many sign-ins at once", "Try again in a few seconds");
  co_return co_await net::on(hashes,
                             [&] { return impl_->signing_in.with_password(address, password.view(), peer); });
}

net::Task<Result<Session>> PostOffice::sign_in(std::string address, Secret password, std::string peer) {
  auto signed_in = co_await prove(std::move(address), std::move(password), std::move(peer));
  if (!signed_in) co_return std::unexpected(std::move(signed_in).error());
  co_return co_await net::on(impl_->pools.storage, [&] { return open_session(std::move(*signed_in)); });
}

Result<Session> PostOffice::sign_in_blocking(std::string_view address, ByteView password,
                                             std::string_view peer) {
  MUHUR_TRY(auto signed_in, impl_->signing_in.with_password(address, password, peer));
  return open_session(std::move(signed_in));
}

Result<Session> PostOffice::open_session(accounts::SignedIn signed_in) {
  Session session;
  session.user = std::move(signed_in.user);
  const auto user = session.user.id;
  if (signed_in.dek.empty())
    return fail(Code::denied, "this user has no mailbox", "It is an account for signing in elsewhere");
  auto mailbox = impl_->mailboxes.open(session.user.mailbox_id, vault::Key::raw(signed_in.dek));
  if (!mailbox) {
    Error error = std::move(mailbox).error();
    // The key came out of a wrap that authenticates it: it is the file that is wrong. To the user this must
    // not look like a wrong password.
    if (error.code == Code::denied) {
      error.code = Code::corrupt;
      error.remedy = "The file is damaged or not this user's: restore it from a backup";
    }
    log::error("mail", "a mailbox does not open", {{"user", user}, {"error", error.text()}});
    return std::unexpected(std::move(error));
  }
  session.mailbox = impl_->note_size_at_the_end(user, std::move(*mailbox));
  // From here on a delivery finds the mailbox open and drains it itself; what came before is drained now.
  const auto drained = impl_->drain.up_to(kDrainedAtSignIn, user, *session.mailbox);
  if (!drained) {
    // The old mail can be read all the same, and what waits is safe where it is.
    log::warn("mail", "mail waits on: it could not be moved at sign-in",
              {{"user", user}, {"error", drained.error().what}});
  } else if (drained->more) {
    impl_->drain.in_background(user, session.mailbox);
  }
  return session;
}

// A quota has to know the size of a mailbox that is closed: it is noted when a session ends. The handle comes
// back as one whose end does that, on the pool, since sessions end on threads that must not block.
std::shared_ptr<mailbox::Mailbox> PostOffice::Impl::note_size_at_the_end(
    accounts::UserId user, std::shared_ptr<mailbox::Mailbox> mailbox) {
  mailbox::Mailbox* const plain = mailbox.get();
  return {plain, [user, kept = std::move(mailbox), weak = std::weak_ptr(background),
                  to = spool.get()](mailbox::Mailbox*) mutable {
            const auto alive = weak.lock();
            if (!alive) return;
            alive->post([user, kept = std::move(kept), to] {
              const auto bytes = kept->bytes_used();
              const auto noted = bytes ? to->set_used(user, *bytes) : std::unexpected(bytes.error());
              if (!noted)
                log::warn("mail", "the size of a mailbox was not noted", {{"error", noted.error().what}});
            });
          }};
}

Result<void> PostOffice::change_password(std::string_view address, ByteView old_password,
                                         const Secret& new_password, std::string_view peer) {
  MUHUR_TRY(const auto signed_in, impl_->signing_in.with_password(address, old_password, peer));
  MUHUR_CHECK(impl_->credentials.set_password(signed_in.user.id, new_password, signed_in.dek));
  impl_->watch.tell(signed_in.user.id, UserChange::credentials);
  return {};
}

}  // namespace muhur::mail
