#include "mail/provision.hpp"

#include <unordered_set>

#include "base/log.hpp"
#include "base/random.hpp"

namespace muhur::mail {

Result<accounts::Created> Provision::add(const Wanted& wanted, const Secret& password) {
  // Refused before the mailbox is made where it can be; create_user() is who decides.
  MUHUR_TRY(const std::string canonical, accounts::canonical_address(wanted.address));
  if (users_.by_address(canonical))
    return fail(Code::exists, fmt::format("there is a user {} already", canonical));

  accounts::NewUser user;
  user.address = wanted.address;
  user.display_name = wanted.display_name;
  user.admin = wanted.admin;
  user.quota_bytes = wanted.quota_bytes;
  Result<accounts::Created> created;
  MUHUR_CHECK(make_mailbox([&](const accounts::NewMailbox& box) -> Result<void> {
    user.mailbox_id = box.id;
    user.sealing_public = box.sealing_public;
    created = credentials_.create_user(user, password, box.dek);
    if (!created) return std::unexpected(created.error());
    return {};
  }));
  return created;
}

Result<void> Provision::make_mailbox(const accounts::GiveMailbox& give) {
  accounts::NewMailbox box{random_hex(16), {}, Secret::random(vault::kKeySize)};
  MUHUR_CHECK(files_.mark_adding(box.id));
  const auto given = [&]() -> Result<void> {
    MUHUR_TRY(const auto mailbox, mailboxes_.open(box.id, vault::Key::raw(box.dek), true));
    MUHUR_TRY(box.sealing_public, mailbox->sealing_public_half());
    return give(box);
  }();
  mailboxes_.forget(box.id);  // closed: the key belongs to the user from now on
  if (!given) {
    const auto removed = files_.remove(box.id);
    if (!removed) {
      log::error("mail", "a mailbox without a user is left until the next start",
                 {{"error", removed.error().what}});
      return given;  // the mark stays
    }
  }
  files_.unmark(box.id);
  return given;
}

Result<void> Provision::remove(const accounts::User& user) {
  MUHUR_CHECK(files_.mark_deleting(user.mailbox_id, user.id));
  if (auto removed = users_.remove(user.id); !removed) {
    files_.unmark(user.mailbox_id);
    return removed;
  }
  // From here on the user is gone. What fails now is finished at the next start.
  mailboxes_.forget(user.mailbox_id);
  MUHUR_CHECK(spool_.remove_user(user.id));
  MUHUR_CHECK(files_.remove(user.mailbox_id));
  files_.unmark(user.mailbox_id);
  return {};
}

Result<void> Provision::finish_interrupted() {
  std::optional<std::unordered_set<std::string>> known;  // read only if there is a mark
  return files_.finish(
      [&](const std::string& id) -> Result<bool> {
        if (!known) {
          MUHUR_TRY(const auto users, users_.list());
          known.emplace();
          for (const auto& user : users) known->insert(user.mailbox_id);
        }
        return known->contains(id);
      },
      [&](std::int64_t user) -> Result<void> {
        if (user == 0) return {};
        // An id that was given to somebody else meanwhile is not ours to clear.
        const auto now = users_.by_id(user);
        if (now) return {};
        if (now.error().code != Code::not_found) return std::unexpected(now.error());
        return spool_.remove_user(user);
      });
}

}  // namespace muhur::mail
