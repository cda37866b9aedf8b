#pragma once
// Where accounts and mailboxes meet: everything that a protocol server or a command needs of the mail
// system, wired once. Owns the directory, the spool and the open mailboxes of one data directory.
// Thread-safe; methods that return Result block, those that return a Task do not.

#include <atomic>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "accounts/sign_in_async.hpp"
#include "mail/recipient.hpp"
#include "mail/spool.hpp"
#include "mail/user_watch.hpp"
#include "mailbox/open_mailboxes.hpp"
#include "net/pools.hpp"

namespace muhur::mail {

struct PostOfficeOptions {
  std::filesystem::path data;
  std::filesystem::path server_key;  // default DATA/server.key
  net::Pools* pools = nullptr;       // outlives the post office; null: a few threads of its own
  crypto::Argon2Cost argon2;
  accounts::LockoutLimits lockout;
  bool upgrade_passwords = true;            // records of another kind or cost are made anew at a sign-in
  passwords::Verifier* verifier = nullptr;  // outlives the post office; null: hashes on the password pool
  std::uint64_t max_message = 50ull << 20;
  std::size_t max_idle_mailboxes = 200;
  const Clock* clock = &Clock::system();
};

// A signed-in user with the mailbox open.
struct Session {
  accounts::User user;
  std::shared_ptr<mailbox::Mailbox> mailbox;
};

class PostOffice {
 public:
  // busy: another process has the data directory. Finishes what a crash had interrupted.
  static Result<std::unique_ptr<PostOffice>> open(PostOfficeOptions options);
  ~PostOffice();

  // Who it is, and no mailbox. busy: too many wrong guesses (the remedy says how long to wait), or too many
  // wait for a hash.
  net::Task<Result<accounts::SignedIn>> prove(std::string address, Secret password, std::string peer);
  // prove(), then opens the mailbox on the storage pool, drains the spool into it: up to
  // 200 messages before it returns, so that a login after a month away is quick, the rest in the background.
  // The first sign-in of an imported user makes the mailbox. denied: one same refusal for wrong, unknown and
  // disabled, and for who has no mailbox.
  net::Task<Result<Session>> sign_in(std::string address, Secret password, std::string peer);
  // The same for a caller that may block (commands of the CLI).
  Result<Session> sign_in_blocking(std::string_view address, ByteView password, std::string_view peer);
  // For who has proved already who they are (a token with a wrapped key). Blocks.
  Result<Session> open_session(accounts::SignedIn signed_in);

  // not_found: no such user here, or one without mail. busy: an imported user who has not signed in yet, so
  // that there is no key to seal to. quota: the mailbox is full for a message of that size (also counts what
  // waits in the spool). A disabled user still receives. "postmaster", with or without one of our domains,
  // reaches the first administrator unless there is a user of that name (RFC 5321 §4.5.1).
  net::Task<Result<Recipient>> accept_recipient(std::string address, std::uint64_t size);
  Result<Recipient> accept_recipient_blocking(const std::string& address, std::uint64_t size);

  // Seals the message to each recipient and writes it to the spool; returns after the commit is durable,
  // one outcome per recipient in order, each with a receipt. Adds Return-Path, Delivered-To and `trace`
  // (whole header lines, CRLF: Received). Then, for each mailbox that is open, drains at once (not waited
  // for). `message`: any line ends.
  // The caller confirms the receipts once its reply is written. A delivery that was never confirmed (the
  // server died before it could answer) is recognised when the same bytes come again from the same sender
  // to the same recipient: the answer is a receipt and nothing is stored twice.
  net::Task<std::vector<Result<Receipt>>> deliver(std::string sender, std::vector<Recipient> recipients,
                                                  std::shared_ptr<const std::string> message,
                                                  std::string trace = {});
  std::vector<Result<Receipt>> deliver_blocking(std::string_view sender,
                                                std::span<const Recipient> recipients,
                                                std::string_view message, std::string_view trace = {});
  void confirm(std::span<const Receipt> receipts);  // not waited for

  // A user with an empty mailbox file, keys, standard folders: all or nothing.
  Result<accounts::Created> add_user(std::string_view address, const Secret& password,
                                     std::string_view display_name = {}, bool admin = false,
                                     std::int64_t quota_bytes = 0);
  // Removes the account, its credentials, what waits for it in the spool, and its mailbox file.
  Result<void> delete_user(accounts::UserId id);
  // Disabling closes the user's idle mailbox and tells the listeners, who end the sessions.
  Result<void> set_disabled(accounts::UserId id, bool disabled);
  // denied: the old one is wrong.
  Result<void> change_password(std::string_view address, ByteView old_password, const Secret& new_password,
                               std::string_view peer);
  // Sessions listen here to end when their user is disabled or deleted.
  UserWatch& on_user_changed();

  // Tries held deliveries again (mail/spool.hpp): now where the mailbox is open, else at the next sign-in.
  // not_found: one is not held; those before it are released.
  Result<void> release_held(std::span<const std::int64_t> ids);

  // Closes idle mailboxes, forgets old receipts. Every minute or so.
  Result<void> sweep();
  // Has each open mailbox forget what it need not remember any more, once a day (Mailbox::tidy). Blocks for
  // long; ends early once `stop` is set. What fails is logged.
  void tidy(const std::atomic<bool>& stop);

  accounts::Directory& directory();
  accounts::Users& users();
  accounts::Credentials& credentials();
  accounts::SignIn& signing_in();
  mailbox::OpenMailboxes& mailboxes();
  Spool& spool();
  net::Pools& pools();
  const PostOfficeOptions& options() const;

 private:
  struct Impl;
  explicit PostOffice(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace muhur::mail
