#pragma once
// The parts of a PostOffice. Private to mail/.

#include "mail/background.hpp"
#include "mail/data_lock.hpp"
#include "mail/deliver.hpp"
#include "mail/drain.hpp"
#include "mail/post_office.hpp"
#include "mail/provision.hpp"

namespace muhur::mail {

// What works in the background ends first; the rest goes from the last to the first.
struct PostOffice::Impl {
  ~Impl() { background->end(); }
  Impl(PostOfficeOptions o, std::unique_ptr<net::Pools> own, DataLock l, Secret digest,
       std::shared_ptr<accounts::Directory> d, std::unique_ptr<Spool> s);

  PostOfficeOptions options;
  std::unique_ptr<net::Pools> own_pools;
  net::Pools& pools;
  DataLock lock;
  Secret digest_key;
  std::shared_ptr<accounts::Directory> directory;
  accounts::Users users;
  accounts::Credentials credentials;
  accounts::SignIn signing_in;
  std::unique_ptr<Spool> spool;
  mailbox::OpenMailboxes mailboxes;
  Provision provision;
  UserWatch watch;
  std::shared_ptr<Background> background;  // weakly held by sessions, which may outlive it
  Drain drain;

  std::shared_ptr<mailbox::Mailbox> note_size_at_the_end(accounts::UserId user,
                                                         std::shared_ptr<mailbox::Mailbox> mailbox);
  Result<Recipient> resolve(const std::string& address);
  Result<Usage> used(const accounts::User& user);
  Incoming seal(const Letter& letter);
  void drain_where_open(const Incoming& incoming, std::span<const Recipient> recipients);
};

vault::Executor executor_on(net::Pool& pool);

}  // namespace muhur::mail
