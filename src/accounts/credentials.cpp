#include "accounts/credentials.hpp"

#include "accounts/audit.hpp"
#include "accounts/key_wrap.hpp"
#include "accounts/new_user.hpp"
#include "accounts/quick_secret.hpp"
#include "accounts/rows.hpp"
#include "passwords/rules.hpp"

namespace muhur::accounts {
namespace {

constexpr std::size_t kDekSize = 32;
constexpr std::size_t kLongestName = 200;

// A record and the key beside it, before there is a row.
struct Prepared {
  CredentialKind kind;
  std::string name;
  std::string record;
  std::optional<crypto::Argon2Cost> cost;
  Secret kek;
};

Result<Prepared> prepare_password(const Secret& password, const crypto::Argon2Cost& cost) {
  MUHUR_TRY(const Secret normal, passwords::accept_new(password.view()));
  MUHUR_TRY(passwords::NewRecord made, passwords::new_record(normal, cost));
  return Prepared{CredentialKind::password, "", passwords::to_text(made.record), cost, std::move(made.kek)};
}

Prepared prepare_quick(CredentialKind kind, std::string_view name, MadeSecret& made) {
  return {kind, std::string(name), to_text(made.record), std::nullopt, std::move(made.kek)};
}

Result<void> insert(vault::Connection& c, const Prepared& credential, const User& user, const Secret& dek,
                    std::int64_t now) {
  Bytes wrap;
  if (!dek.empty())
    wrap = wrap_dek(credential.kek, dek, wrap_purpose(credential.kind), user.id, user.mailbox_id);
  else if (user.mailbox != MailboxState::none)
    return fail(Code::invalid, "a credential of a user with a mailbox needs the mailbox's key");
  std::optional<std::uint32_t> memory;
  std::optional<std::uint32_t> passes;
  if (credential.cost) {
    memory = credential.cost->memory_kib;
    passes = credential.cost->passes;
  }
  return c.run(
      "INSERT INTO credentials(user_id, kind, name, record, wrap, memory_kib, passes, created_ms) "
      "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
      user.id, credential.kind, credential.name, credential.record, wrap, memory, passes, now);
}

// In place of the one that was there.
Result<void> replace(Directory& directory, UserId id, const Prepared& credential, const Secret& dek,
                     std::string_view action) {
  const std::int64_t now = directory.clock().now_ms();
  return directory.database().write([&](vault::Connection& c) -> Result<void> {
    MUHUR_TRY(const User user, find_user(c, id));
    MUHUR_CHECK(c.run("DELETE FROM credentials WHERE user_id = ? AND kind = ? AND name = ?", id,
                      credential.kind, credential.name));
    MUHUR_CHECK(insert(c, credential, user, dek, now));
    if (credential.kind == CredentialKind::password)
      MUHUR_CHECK(c.run("UPDATE users SET epoch = epoch + 1 WHERE id = ?", id));
    return append_audit(c, now, {.user = id, .action = std::string(action)});
  });
}

Result<void> check_dek(const Secret& dek) {
  if (dek.size() == kDekSize) return {};
  return fail(Code::invalid, "a mailbox key must have 32 bytes");
}

}  // namespace

Result<Created> Credentials::create_user(const NewUser& given, const Secret& password, const Secret& dek) {
  MUHUR_CHECK(check_dek(dek));
  MUHUR_TRY(const AddressParts parts, split_address(given.address));
  if (given.mailbox_id.empty() || given.quota_bytes < 0)
    return fail(Code::invalid, "a new user needs a mailbox id, and a quota that is not negative");
  MUHUR_TRY(const Prepared first, prepare_password(password, cost_));
  MadeSecret made = make_secret(CredentialKind::recovery_key);
  const Prepared recovery = prepare_quick(CredentialKind::recovery_key, "", made);
  const std::int64_t now = directory_.clock().now_ms();
  MUHUR_TRY(User user, directory_.database().write([&](vault::Connection& c) -> Result<User> {
    MUHUR_TRY(User added, insert_user(c, given, parts, now));
    MUHUR_CHECK(insert(c, first, added, dek, now));
    MUHUR_CHECK(insert(c, recovery, added, dek, now));
    MUHUR_CHECK(append_audit(c, now, {.user = added.id, .action = "user-created"}));
    return added;
  }));
  return Created{std::move(user), std::move(made.shown)};
}

Result<void> Credentials::set_password(UserId user, const Secret& password, const Secret& dek) {
  if (!dek.empty()) MUHUR_CHECK(check_dek(dek));
  MUHUR_TRY(const Prepared prepared, prepare_password(password, cost_));
  return replace(directory_, user, prepared, dek, "password-set");
}

Result<std::string> Credentials::renew_recovery_key(UserId user, const Secret& dek) {
  MUHUR_CHECK(check_dek(dek));
  MadeSecret made = make_secret(CredentialKind::recovery_key);
  const Prepared prepared = prepare_quick(CredentialKind::recovery_key, "", made);
  MUHUR_CHECK(replace(directory_, user, prepared, dek, "recovery-key-renewed"));
  return std::move(made.shown);
}

Result<std::string> Credentials::add_app_password(UserId id, std::string_view name, const Secret& dek) {
  MUHUR_CHECK(check_dek(dek));
  if (name.empty() || name.size() > kLongestName)
    return fail(Code::invalid, "an app password needs a name of at most 200 bytes", "Name the device: phone");
  MadeSecret made = make_secret(CredentialKind::app_password);
  const Prepared prepared = prepare_quick(CredentialKind::app_password, name, made);
  const std::int64_t now = directory_.clock().now_ms();
  MUHUR_CHECK(directory_.database().write([&](vault::Connection& c) -> Result<void> {
    MUHUR_TRY(const User user, find_user(c, id));
    {
      MUHUR_TRY(auto st, c.prepare("SELECT count(*), count(*) FILTER (WHERE name = ?) FROM credentials "
                                   "WHERE user_id = ? AND kind = ?"));
      MUHUR_CHECK(st.bind(name, id, CredentialKind::app_password).step());
      if (st.int64(1) > 0)
        return fail(Code::exists, "there is an app password of that name",
                    "Remove it first or choose another name");
      if (st.int64(0) >= static_cast<std::int64_t>(kMostAppPasswords))
        return fail(Code::limit, "there are too many app passwords",
                    "Remove those that are not used any more");
    }
    MUHUR_CHECK(insert(c, prepared, user, dek, now));
    return append_audit(c, now, {.user = id, .action = "app-password-added", .detail = std::string(name)});
  }));
  return std::move(made.shown);
}

Result<void> Credentials::remove(UserId user, std::int64_t credential) {
  const std::int64_t now = directory_.clock().now_ms();
  return directory_.database().write([&](vault::Connection& c) -> Result<void> {
    AuditEvent event{.user = user, .action = "credential-removed"};
    {
      MUHUR_TRY(auto st, c.prepare("SELECT kind, name FROM credentials WHERE user_id = ? AND id = ?"));
      MUHUR_TRY(const bool found, st.bind(user, credential).step());
      if (!found) return fail(Code::not_found, "there is no such credential");
      if (st.as<CredentialKind>(0) == CredentialKind::app_password) event.action = "app-password-removed";
      event.detail = st.text(1);
    }
    MUHUR_CHECK(c.run("DELETE FROM credentials WHERE user_id = ? AND id = ?", user, credential));
    {
      MUHUR_TRY(auto st, c.prepare("SELECT EXISTS(SELECT 1 FROM credentials WHERE user_id = ?)"));
      MUHUR_CHECK(st.bind(user).step());
      // The error takes the deletion back.
      if (st.int64(0) == 0)
        return fail(Code::conflict,
                    "this is the user's last credential: without it the mail cannot be opened",
                    "Add another one first");
    }
    return append_audit(c, now, event);
  });
}

Result<std::vector<CredentialInfo>> Credentials::list(UserId user) {
  return directory_.database().read([&](vault::Connection& c) -> Result<std::vector<CredentialInfo>> {
    MUHUR_TRY(auto st, c.prepare("SELECT id, kind, name, created_ms, last_used_ms FROM credentials "
                                 "WHERE user_id = ? ORDER BY kind, id"));
    st.bind(user);
    std::vector<CredentialInfo> all;
    while (true) {
      MUHUR_TRY(const bool more, st.step());
      if (!more) return all;
      all.push_back(
          {st.int64(0), st.as<CredentialKind>(1), std::string(st.text(2)), st.int64(3), st.int64(4)});
    }
  });
}

}  // namespace muhur::accounts
