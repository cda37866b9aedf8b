#include "accounts/new_user.hpp"

#include "accounts/look_alike.hpp"

namespace muhur::accounts {
namespace {

Result<bool> exists(vault::Connection& c, std::string_view sql, std::string_view value) {
  MUHUR_TRY(auto st, c.prepare(sql));
  return st.bind(value).step();
}

std::string shown(const AddressParts& parts) { return parts.local + "@" + parts.domain; }
std::string compared(const AddressParts& parts) { return parts.folded_local + "@" + parts.domain; }

}  // namespace

Result<void> check_address(vault::Connection& c, const AddressParts& parts) {
  MUHUR_TRY(const bool here, exists(c, "SELECT 1 FROM domains WHERE name = ?", parts.domain));
  if (!here)
    return fail(Code::not_found, "the domain " + parts.domain + " is not here", "Add the domain first");
  MUHUR_TRY(const bool taken, exists(c, "SELECT 1 FROM users WHERE canonical = ?", compared(parts)));
  if (taken) return fail(Code::exists, "the address " + shown(parts) + " is taken", "Choose another one");
  return check_look_alikes(c, parts);
}

Result<User> insert_user(vault::Connection& c, const NewUser& given, const AddressParts& parts,
                         std::int64_t now_ms) {
  MUHUR_CHECK(check_address(c, parts));
  User user{.address = shown(parts),
            .display_name = given.display_name,
            .mailbox_id = given.mailbox_id,
            .sealing_public = given.sealing_public,
            .disabled = given.disabled,
            .admin = given.admin,
            .quota_bytes = given.quota_bytes,
            .created_ms = now_ms,
            .mailbox = given.mailbox};
  MUHUR_CHECK(c.run(
      "INSERT INTO users(canonical, address, domain_id, display_name, mailbox_id, sealing_public, disabled, "
      "admin, quota_bytes, created_ms, mailbox, looks_like) "
      "VALUES (?, ?, (SELECT id FROM domains WHERE name = ?), ?, ?, ?, ?, ?, ?, ?, ?, ?)",
      compared(parts), user.address, parts.domain, user.display_name, user.mailbox_id, user.sealing_public,
      user.disabled, user.admin, user.quota_bytes, now_ms, user.mailbox, look_of(parts.folded_local)));
  user.id = c.last_insert_id();
  return user;
}

}  // namespace muhur::accounts
