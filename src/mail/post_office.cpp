#include "mail/post_office.hpp"

#include <sys/stat.h>

#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cerrno>

#include "base/log.hpp"
#include "base/unicode.hpp"
#include "crypto/kdf.hpp"
#include "mail/post_office_impl.hpp"

namespace muhur::mail {
namespace asio = boost::asio;
namespace {

Result<void> private_directory(const std::filesystem::path& path) {
  if (::mkdir(path.c_str(), 0700) == 0 || errno == EEXIST) return {};
  return fail_errno(errno, "make the directory " + path.native());
}

mailbox::OpenMailboxesOptions mailbox_options(const PostOfficeOptions& options, net::Pools& pools) {
  mailbox::OpenMailboxesOptions result;
  result.directory = options.data / "mail";
  result.max_idle = options.max_idle_mailboxes;
  result.executor = executor_on(pools.storage);
  result.clock = options.clock;
  return result;
}

// Suspends until the group commit that holds the message is durable or has failed.
net::Task<void> committed(Spool& spool, std::shared_ptr<Incoming> incoming) {
  const auto executor =
      asio::prefer(co_await asio::this_coro::executor, asio::execution::outstanding_work.tracked);
  co_await asio::async_initiate<const asio::use_awaitable_t<>, void()>(
      [&](auto handler) {
        auto resume = std::make_shared<decltype(handler)>(std::move(handler));
        spool.put_async(incoming, [executor, resume = std::move(resume)]() mutable {
          asio::post(executor, [resume = std::move(resume)] { std::move (*resume)(); });
        });
      },
      asio::use_awaitable);
}

std::vector<Result<Receipt>> outcomes_of(Incoming& incoming) {
  std::vector<Result<Receipt>> outcomes;
  for (auto& to : incoming.to) outcomes.push_back(std::move(to.outcome));
  return outcomes;
}

}  // namespace

vault::Executor executor_on(net::Pool& pool) {
  return [&pool](std::function<void()> job) { pool.post(std::move(job)); };
}

PostOffice::Impl::Impl(PostOfficeOptions o, std::unique_ptr<net::Pools> own, DataLock l, Secret digest,
                       std::shared_ptr<accounts::Directory> d, std::unique_ptr<Spool> s)
    : options(std::move(o)),
      own_pools(std::move(own)),
      pools(*options.pools),
      lock(std::move(l)),
      digest_key(std::move(digest)),
      directory(std::move(d)),
      users(*directory),
      credentials(*directory, options.argon2),
      signing_in(*directory, options.argon2, options.lockout, options.upgrade_passwords),
      spool(std::move(s)),
      mailboxes(mailbox_options(options, pools)),
      provision(users, credentials, mailboxes, *spool, MailboxFiles(options.data / "mail")),
      background(std::make_shared<Background>(pools.storage)),
      drain(*spool, *background) {
  signing_in.make_mailboxes_with([this](const auto& give) { return provision.make_mailbox(give); });
}

PostOffice::PostOffice(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
PostOffice::~PostOffice() = default;

Result<std::unique_ptr<PostOffice>> PostOffice::open(PostOfficeOptions options) {
  if (options.server_key.empty()) options.server_key = options.data / "server.key";
  MUHUR_TRY(auto lock, DataLock::take(options.data));
  MUHUR_TRY(const Secret server_key, accounts::read_server_key(options.server_key));
  for (const char* name : {"mail", "tmp"}) MUHUR_CHECK(private_directory(options.data / name));
  std::unique_ptr<net::Pools> own;
  if (!options.pools) {
    own.reset(new net::Pools{{"storage", 2}, {"passwords", 1}, {"heavy", 1, 10}});
    options.pools = own.get();
  }
  MUHUR_TRY(auto directory, accounts::Directory::open(options.data, server_key, false, *options.clock));
  const vault::Key spool_key = accounts::database_key(server_key, "spool");
  SpoolOptions spool_options;
  spool_options.path = options.data / "spool.db";
  spool_options.key = &spool_key;
  spool_options.executor = executor_on(options.pools->storage);
  spool_options.clock = options.clock;
  MUHUR_TRY(auto spool, Spool::open(std::move(spool_options)));
  Secret digest_key = crypto::hkdf(server_key.view(), {}, "muhur spool digest", 32);
  auto impl = std::make_unique<Impl>(std::move(options), std::move(own), std::move(lock),
                                     std::move(digest_key), std::move(directory), std::move(spool));
  MUHUR_CHECK(impl->provision.finish_interrupted());
  return std::unique_ptr<PostOffice>(new PostOffice(std::move(impl)));
}

// ---- recipients

Result<Recipient> PostOffice::Impl::resolve(const std::string& address) {
  Recipient recipient;
  recipient.address = address;
  auto found = users.recipient(address, &recipient.tag);
  if (found) {
    recipient.user = std::move(*found);
    return recipient;
  }
  const auto at = address.rfind('@');
  const std::string local = address.substr(0, at);
  const bool nobody = found.error().code == Code::not_found || found.error().code == Code::invalid;
  if (!nobody || !equals_ignoring_case(local, "postmaster")) return std::unexpected(found.error());
  if (at != std::string::npos) {
    MUHUR_TRY(const auto domains, users.domains());
    const std::string_view domain = std::string_view(address).substr(at + 1);
    if (std::ranges::none_of(domains, [&](const auto& ours) { return equals_ignoring_case(ours, domain); }))
      return std::unexpected(found.error());
  }
  MUHUR_TRY(auto everybody, users.list());
  const auto admin = std::ranges::find_if(everybody, [](const auto& u) {
    return u.admin && !u.disabled && u.mailbox == accounts::MailboxState::ready;
  });
  if (admin == everybody.end()) return std::unexpected(found.error());
  recipient.user = std::move(*admin);
  return recipient;
}

Result<Usage> PostOffice::Impl::used(const accounts::User& user) {
  Usage usage;
  MUHUR_TRY(usage.noted, spool->last_used(user.id));
  usage.seen = usage.noted;
  if (const auto mailbox = mailboxes.find(user.mailbox_id)) {
    MUHUR_TRY(usage.seen, mailbox->bytes_used());
  }
  return usage;
}

Result<Recipient> PostOffice::accept_recipient_blocking(const std::string& address, std::uint64_t size) {
  MUHUR_TRY(auto recipient, impl_->resolve(address));
  switch (recipient.user.mailbox) {
    case accounts::MailboxState::ready:
      break;
    case accounts::MailboxState::none:
      return fail(Code::not_found, "this user has no mailbox");
    // There is no key yet that mail could be sealed to. The sender's queue keeps it meanwhile.
    case accounts::MailboxState::at_first_sign_in:
      return fail(Code::busy, "the mailbox is made when its owner first signs in", "Deliver it again later");
  }
  if (recipient.user.quota_bytes > 0) {
    MUHUR_TRY(const auto used, impl_->used(recipient.user));
    MUHUR_TRY(const auto waiting, impl_->spool->bytes_waiting(recipient.user.id));
    if (used.seen + waiting + std::max<std::uint64_t>(size, 1) >
        static_cast<std::uint64_t>(recipient.user.quota_bytes))
      return fail(Code::quota, "the mailbox is full");
  }
  return recipient;
}

net::Task<Result<Recipient>> PostOffice::accept_recipient(std::string address, std::uint64_t size) {
  co_return co_await net::on(impl_->pools.storage, [&] { return accept_recipient_blocking(address, size); });
}

// ---- delivery

Incoming PostOffice::Impl::seal(const Letter& letter) {
  return seal_letter(letter, digest_key, [this](const accounts::User& user) { return used(user); });
}

void PostOffice::Impl::drain_where_open(const Incoming& incoming, std::span<const Recipient> recipients) {
  for (std::size_t i = 0; i < recipients.size(); ++i) {
    if (!incoming.to[i].stored) continue;
    if (auto mailbox = mailboxes.find(recipients[i].user.mailbox_id))
      drain.in_background(recipients[i].user.id, std::move(mailbox));
  }
}

net::Task<std::vector<Result<Receipt>>> PostOffice::deliver(std::string sender,
                                                            std::vector<Recipient> recipients,
                                                            std::shared_ptr<const std::string> message,
                                                            std::string trace) {
  auto incoming = std::make_shared<Incoming>(co_await net::on(
      impl_->pools.storage, [&] { return impl_->seal({sender, recipients, *message, trace}); }));
  co_await committed(*impl_->spool, incoming);
  impl_->drain_where_open(*incoming, recipients);
  co_return outcomes_of(*incoming);
}

std::vector<Result<Receipt>> PostOffice::deliver_blocking(std::string_view sender,
                                                          std::span<const Recipient> recipients,
                                                          std::string_view message, std::string_view trace) {
  Incoming incoming = impl_->seal({sender, recipients, message, trace});
  impl_->spool->put(incoming);
  impl_->drain_where_open(incoming, recipients);
  return outcomes_of(incoming);
}

void PostOffice::confirm(std::span<const Receipt> receipts) { impl_->spool->confirm(receipts); }

// ---- users

Result<accounts::Created> PostOffice::add_user(std::string_view address, const Secret& password,
                                               std::string_view display_name, bool admin,
                                               std::int64_t quota_bytes) {
  return impl_->provision.add({address, display_name, admin, quota_bytes}, password);
}

Result<void> PostOffice::delete_user(accounts::UserId id) {
  MUHUR_TRY(const auto user, impl_->users.by_id(id));
  auto removed = impl_->provision.remove(user);
  if (!impl_->users.by_id(id)) impl_->watch.tell(id, UserChange::deleted);
  return removed;
}

Result<void> PostOffice::set_disabled(accounts::UserId id, bool disabled) {
  MUHUR_TRY(const auto user, impl_->users.by_id(id));
  MUHUR_CHECK(impl_->users.set_disabled(id, disabled));
  if (disabled) {
    impl_->mailboxes.forget(user.mailbox_id);
    impl_->watch.tell(id, UserChange::disabled);
  }
  return {};
}

UserWatch& PostOffice::on_user_changed() { return impl_->watch; }

accounts::Directory& PostOffice::directory() { return *impl_->directory; }
accounts::Users& PostOffice::users() { return impl_->users; }
accounts::Credentials& PostOffice::credentials() { return impl_->credentials; }
accounts::SignIn& PostOffice::signing_in() { return impl_->signing_in; }
mailbox::OpenMailboxes& PostOffice::mailboxes() { return impl_->mailboxes; }
Spool& PostOffice::spool() { return *impl_->spool; }
net::Pools& PostOffice::pools() { return impl_->pools; }
const PostOfficeOptions& PostOffice::options() const { return impl_->options; }

}  // namespace muhur::mail
