#include "accounts/first_sign_in.hpp"

#include "accounts/audit.hpp"
#include "accounts/rows.hpp"
#include "passwords/record.hpp"

namespace muhur::accounts {
namespace {

std::unexpected<Error> changed_meanwhile() {
  return fail(Code::denied, "the account was changed while it was signed in to");
}

struct Stored {
  std::string record;
  Bytes wrap;
};
Result<Stored> stored_password(vault::Connection& c, UserId user) {
  MUHUR_TRY(auto st, c.prepare("SELECT record, wrap FROM credentials WHERE user_id = ? AND kind = ?"));
  MUHUR_TRY(const bool row, st.bind(user, CredentialKind::password).step());
  if (!row) return changed_meanwhile();
  const ByteView wrap = st.blob(1);
  return Stored{std::string(st.text(0)), Bytes(wrap.begin(), wrap.end())};
}

// One row, or somebody else was there before.
Result<void> changed_one(Result<vault::Statement> prepared, const auto&... values) {
  if (!prepared) return std::unexpected(std::move(prepared).error());
  MUHUR_TRY(const std::int64_t changed, prepared->bind(values...).run_counted());
  if (changed != 1) return changed_meanwhile();
  return {};
}

}  // namespace

Result<FirstSignIn::Ready> FirstSignIn::finish(const Proved& proved, const Secret& password,
                                               const passwords::NewRecord& record, std::string_view peer) {
  const Lock turn(turns_[static_cast<std::size_t>(proved.user.id) % turns_.size()]);
  const auto now =
      directory_.database().read([&](vault::Connection& c) { return find_user(c, proved.user.id); });
  if (!now && now.error().code != Code::not_found) return std::unexpected(now.error());
  if (!now || now->disabled) return changed_meanwhile();
  return now->mailbox == MailboxState::at_first_sign_in ? make(proved, record, peer) : join(*now, password);
}

Result<FirstSignIn::Ready> FirstSignIn::make(const Proved& proved, const passwords::NewRecord& made,
                                             std::string_view peer) {
  const auto& [record, kek] = made;
  Ready ready{.user = proved.user, .dek = {}};
  MUHUR_CHECK(make_([&](const NewMailbox& box) -> Result<void> {
    const Bytes wrap = wrap_dek(kek, box.dek, wrap_purpose(CredentialKind::password), proved.user.id, box.id);
    const std::int64_t now = directory_.clock().now_ms();
    MUHUR_CHECK(directory_.database().write([&](vault::Connection& c) -> Result<void> {
      MUHUR_CHECK(changed_one(c.prepare("UPDATE users SET mailbox = ?, mailbox_id = ?, sealing_public = ? "
                                        "WHERE id = ? AND mailbox = ? AND disabled = 0"),
                              MailboxState::ready, box.id, box.sealing_public, proved.user.id,
                              MailboxState::at_first_sign_in));
      MUHUR_CHECK(changed_one(c.prepare("UPDATE credentials SET record = ?, wrap = ?, memory_kib = ?, "
                                        "passes = ? WHERE id = ? AND user_id = ? AND record = ?"),
                              passwords::to_text(record), wrap, record.cost.memory_kib, record.cost.passes,
                              proved.credential, proved.user.id, proved.record));
      return append_audit(
          c, now,
          {.user = proved.user.id, .actor = "user", .action = "mailbox-made", .peer = std::string(peer)});
    }));
    ready.user.mailbox = MailboxState::ready;
    ready.user.mailbox_id = box.id;
    ready.user.sealing_public = box.sealing_public;
    ready.dek = box.dek.copy();
    return {};
  }));
  return ready;
}

// Another sign-in of the same user made it while this one waited.
Result<FirstSignIn::Ready> FirstSignIn::join(const User& user, const Secret& password) {
  MUHUR_TRY(const Stored stored,
            directory_.database().read([&](vault::Connection& c) { return stored_password(c, user.id); }));
  const auto record = passwords::parse_argon2(stored.record);
  if (!record) return changed_meanwhile();
  MUHUR_TRY(const passwords::Derived derived, passwords::derive(password, record->salt, record->cost));
  if (!equal_constant_time(derived.verifier, record->verifier)) return changed_meanwhile();
  MUHUR_TRY(Secret dek, unwrap_dek(derived.kek, stored.wrap, wrap_purpose(CredentialKind::password), user.id,
                                   user.mailbox_id));
  return Ready{user, std::move(dek)};
}

}  // namespace muhur::accounts
