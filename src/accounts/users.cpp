#include "accounts/users.hpp"

#include "accounts/audit.hpp"
#include "accounts/rows.hpp"

namespace muhur::accounts {
namespace {

// One column of one user, with its audit row.
template <class T>
Result<void> set_column(Directory& directory, std::string_view sql, UserId id, const T& value,
                        std::string_view action) {
  const std::int64_t now = directory.clock().now_ms();
  return directory.database().write([&](vault::Connection& c) -> Result<void> {
    MUHUR_TRY(auto st, c.prepare(sql));
    MUHUR_TRY(const std::int64_t changed, st.bind(value, id).run_counted());
    if (changed == 0) return no_such_user();
    return append_audit(c, now, {.user = id, .action = std::string(action)});
  });
}

}  // namespace

Result<void> Users::add_domain(std::string_view domain) {
  MUHUR_TRY(const std::string name, canonical_domain(domain));
  const std::int64_t now = directory_.clock().now_ms();
  return directory_.database().write([&](vault::Connection& c) -> Result<void> {
    MUHUR_TRY(auto st,
              c.prepare("INSERT INTO domains(name, created_ms) VALUES (?, ?) ON CONFLICT DO NOTHING"));
    MUHUR_TRY(const std::int64_t added, st.bind(name, now).run_counted());
    if (added == 0) return fail(Code::exists, "the domain " + name + " is here already");
    return append_audit(c, now, {.action = "domain-added", .detail = name});
  });
}

Result<void> Users::remove_domain(std::string_view domain) {
  MUHUR_TRY(const std::string name, canonical_domain(domain));
  const std::int64_t now = directory_.clock().now_ms();
  return directory_.database().write([&](vault::Connection& c) -> Result<void> {
    {
      MUHUR_TRY(auto st, c.prepare("SELECT EXISTS(SELECT 1 FROM users WHERE domain_id = domains.id) "
                                   "FROM domains WHERE name = ?"));
      MUHUR_TRY(const bool row, st.bind(name).step());
      if (!row) return fail(Code::not_found, "the domain " + name + " is not here");
      if (st.int64(0) != 0)
        return fail(Code::conflict, "users have addresses in " + name, "Remove those users first");
    }
    MUHUR_CHECK(c.run("DELETE FROM domains WHERE name = ?", name));
    return append_audit(c, now, {.action = "domain-removed", .detail = name});
  });
}

Result<std::vector<std::string>> Users::domains() {
  return directory_.database().read([](vault::Connection& c) -> Result<std::vector<std::string>> {
    MUHUR_TRY(auto st, c.prepare("SELECT name FROM domains ORDER BY name"));
    std::vector<std::string> names;
    while (true) {
      MUHUR_TRY(const bool more, st.step());
      if (!more) return names;
      names.emplace_back(st.text(0));
    }
  });
}

Result<User> Users::by_address(std::string_view address) {
  const auto canonical = canonical_address(address);
  if (!canonical) return no_such_user();
  return directory_.database().read([&](vault::Connection& c) { return find_user(c, *canonical); });
}

Result<User> Users::by_id(UserId id) {
  return directory_.database().read([&](vault::Connection& c) { return find_user(c, id); });
}

Result<User> Users::by_mailbox(std::string_view mailbox_id) {
  return directory_.database().read(
      [&](vault::Connection& c) { return find_user_of_mailbox(c, mailbox_id); });
}

Result<User> Users::recipient(std::string_view address, std::string* tag) {
  if (tag != nullptr) tag->clear();
  const auto parts = split_address(address);
  if (!parts) return no_such_user();
  return directory_.database().read([&](vault::Connection& c) -> Result<User> {
    auto exact = find_user(c, parts->folded_local + "@" + parts->domain);
    const std::size_t plus = parts->folded_local.find('+');
    if (exact || exact.error().code != Code::not_found || plus == std::string::npos || plus == 0)
      return exact;
    auto base = find_user(c, parts->folded_local.substr(0, plus) + "@" + parts->domain);
    if (base && tag != nullptr) *tag = parts->local.substr(parts->local.find('+') + 1);
    return base;
  });
}

Result<std::vector<User>> Users::list() {
  return directory_.database().read([](vault::Connection& c) -> Result<std::vector<User>> {
    MUHUR_TRY(auto st, c.prepare("SELECT " MUHUR_USER_COLUMNS " FROM users ORDER BY canonical"));
    std::vector<User> users;
    while (true) {
      MUHUR_TRY(const bool more, st.step());
      if (!more) return users;
      users.push_back(user_of(st));
    }
  });
}

Result<void> Users::set_disabled(UserId id, bool disabled) {
  return set_column(directory_, "UPDATE users SET disabled = ?1, epoch = epoch + ?1 WHERE id = ?2", id,
                    disabled, disabled ? "user-disabled" : "user-enabled");
}

Result<void> Users::set_admin(UserId id, bool admin) {
  return set_column(directory_, "UPDATE users SET admin = ? WHERE id = ?", id, admin,
                    admin ? "admin-granted" : "admin-revoked");
}

Result<void> Users::set_quota(UserId id, std::int64_t bytes) {
  if (bytes < 0) return fail(Code::invalid, "a quota cannot be negative", "Give 0 for none");
  return set_column(directory_, "UPDATE users SET quota_bytes = ? WHERE id = ?", id, bytes, "quota-set");
}

Result<void> Users::set_display_name(UserId id, std::string_view name) {
  return set_column(directory_, "UPDATE users SET display_name = ? WHERE id = ?", id, name,
                    "display-name-set");
}

Result<void> Users::remove(UserId id) {
  const std::int64_t now = directory_.clock().now_ms();
  return directory_.database().write([&](vault::Connection& c) -> Result<void> {
    // By hand, whatever PRAGMA foreign_keys says.
    MUHUR_CHECK(c.run("DELETE FROM credentials WHERE user_id = ?", id));
    MUHUR_TRY(auto st, c.prepare("DELETE FROM users WHERE id = ?"));
    MUHUR_TRY(const std::int64_t removed, st.bind(id).run_counted());
    if (removed == 0) return no_such_user();
    return append_audit(c, now, {.user = id, .action = "user-removed"});
  });
}

}  // namespace muhur::accounts
