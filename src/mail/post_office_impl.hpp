#pragma once
// The parts of a PostOffice. Private to mail/.

#include <unordered_map>

#include "mail/data_lock.hpp"
#include "mail/deliver.hpp"
#include "mail/drain.hpp"
#include "mail/post_office.hpp"
#include "mail/provision.hpp"

namespace muhur::mail {

// Destroyed from the last to the first: what works in the background goes before what it works on.
struct PostOffice::Impl {
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
  Mutex mutex;
  // Mailboxes that were opened, to note their sizes while they are.
  std::unordered_map<accounts::UserId, std::weak_ptr<mailbox::Mailbox>> opened MUHUR_GUARDED_BY(mutex);
  Drain drain;

  Result<Recipient> resolve(const std::string& address);
  Result<std::uint64_t> used(const accounts::User& user);
  Incoming seal(const Letter& letter);
  void drain_where_open(const Incoming& incoming, std::span<const Recipient> recipients);
};

vault::Executor executor_on(net::Pool& pool);

}  // namespace muhur::mail
