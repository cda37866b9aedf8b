// Credentials: users who come with a password record from elsewhere.
#include <unordered_set>

#include "accounts/audit.hpp"
#include "accounts/new_user.hpp"
#include "accounts/record_cost.hpp"
#include "base/random.hpp"

namespace muhur::accounts {
namespace {

struct Checked {
  AddressParts parts;
  crypto::Argon2Cost cost;
};

Result<Checked> check(vault::Connection& c, const Credentials::Imported& one,
                      std::unordered_set<std::string>& addresses) {
  Checked checked;
  MUHUR_TRY(checked.parts, split_address(one.address));
  MUHUR_TRY(const auto record, passwords::parse_record(one.record));
  checked.cost = cost_of(record);
  if (one.quota_bytes < 0) return fail(Code::invalid, "a quota cannot be negative");
  if (!addresses.insert(checked.parts.folded_local + "@" + checked.parts.domain).second)
    return fail(Code::exists, "the address " + one.address + " is there twice");
  MUHUR_CHECK(check_address(c, checked.parts));
  return checked;
}

// Errors of one user, and not of the database that was asked.
bool is_users_own(Code code) {
  return code == Code::invalid || code == Code::exists || code == Code::not_found ||
         code == Code::unsupported;
}

}  // namespace

Result<std::vector<Credentials::ImportProblem>> Credentials::check_import(
    const std::vector<Imported>& users) {
  return directory_.database().read([&](vault::Connection& c) -> Result<std::vector<ImportProblem>> {
    std::vector<ImportProblem> problems;
    std::unordered_set<std::string> addresses;
    for (std::size_t i = 0; i < users.size(); ++i) {
      const auto checked = check(c, users[i], addresses);
      if (checked) continue;
      if (!is_users_own(checked.error().code)) return std::unexpected(checked.error());
      problems.push_back({i, checked.error()});
    }
    return problems;
  });
}

Result<void> Credentials::import_users(const std::vector<Imported>& users) {
  const std::int64_t now = directory_.clock().now_ms();
  return directory_.database().write([&](vault::Connection& c) -> Result<void> {
    std::unordered_set<std::string> addresses;
    for (const auto& one : users) {
      MUHUR_TRY(const Checked checked, check(c, one, addresses));
      const NewUser wanted{.address = one.address,
                           .display_name = one.display_name,
                           .mailbox_id = random_hex(16),
                           .sealing_public = {},
                           .admin = one.admin,
                           .quota_bytes = one.quota_bytes,
                           .disabled = one.disabled,
                           .mailbox = one.with_mailbox ? MailboxState::at_first_sign_in : MailboxState::none};
      MUHUR_TRY(const User added, insert_user(c, wanted, checked.parts, now));
      MUHUR_CHECK(c.run(
          "INSERT INTO credentials(user_id, kind, name, record, wrap, memory_kib, passes, created_ms) "
          "VALUES (?, ?, '', ?, zeroblob(0), ?, ?, ?)",
          added.id, CredentialKind::password, one.record, checked.cost.memory_kib, checked.cost.passes, now));
      MUHUR_CHECK(append_audit(c, now, {.user = added.id, .action = "user-imported"}));
    }
    return {};
  });
}

}  // namespace muhur::accounts
