// What is done by the clock or by hand, and not by mail or sign-ins.
#include "base/log.hpp"
#include "mail/post_office_impl.hpp"

namespace muhur::mail {

Result<void> PostOffice::release_held(std::span<const std::int64_t> ids) {
  for (const std::int64_t id : ids) {
    MUHUR_TRY(const auto user, impl_->spool->release_held(id));
    const auto owner = impl_->users.by_id(user);
    if (!owner) continue;  // deleted at this moment: what waited goes with it
    if (auto mailbox = impl_->mailboxes.find(owner->mailbox_id))
      impl_->drain.in_background(user, std::move(mailbox));
  }
  return {};
}

Result<void> PostOffice::sweep() {
  impl_->mailboxes.sweep();
  return impl_->spool->sweep();
}

void PostOffice::tidy(const std::atomic<bool>& stop) {
  const auto one = [&](const mailbox::OpenMailboxes::Open& open) -> Result<void> {
    MUHUR_TRY(const bool due, open.mailbox->tidy_due());
    if (!due) return {};
    MUHUR_TRY(const auto owner, impl_->users.by_mailbox(open.id));
    // What the spool still has may be offered to the mailbox once more, and has to be known there then.
    MUHUR_TRY(auto waiting, impl_->spool->delivery_ids(owner.id));
    return open.mailbox->tidy(std::move(waiting));
  };
  for (const auto& open : impl_->mailboxes.all()) {
    if (stop) return;
    if (const auto done = one(open); !done && done.error().code != Code::not_found)
      log::warn("mail", "a mailbox was not tidied", {{"mailbox", open.id}, {"error", done.error().what}});
  }
}

}  // namespace muhur::mail
