#include "accounts/rows.hpp"

namespace muhur::accounts {
namespace {

Result<User> only_user(Result<vault::Statement> prepared, auto value) {
  if (!prepared) return std::unexpected(std::move(prepared).error());
  MUHUR_TRY(const bool row, prepared->bind(value).step());
  if (!row) return no_such_user();
  return user_of(*prepared);
}

}  // namespace

User user_of(const vault::Statement& row) {
  User user;
  user.id = row.int64(0);
  user.address = row.text(1);
  user.display_name = row.text(2);
  user.mailbox_id = row.text(3);
  const ByteView sealing = row.blob(4);
  user.sealing_public.assign(sealing.begin(), sealing.end());
  user.disabled = row.int64(5) != 0;
  user.admin = row.int64(6) != 0;
  user.quota_bytes = row.int64(7);
  user.created_ms = row.int64(8);
  user.mailbox = row.as<MailboxState>(9);
  user.epoch = row.int64(10);
  return user;
}

Result<User> find_user(vault::Connection& connection, std::string_view canonical) {
  return only_user(connection.prepare("SELECT " MUHUR_USER_COLUMNS " FROM users WHERE canonical = ?"),
                   canonical);
}

Result<User> find_user(vault::Connection& connection, UserId id) {
  return only_user(connection.prepare("SELECT " MUHUR_USER_COLUMNS " FROM users WHERE id = ?"), id);
}

Result<User> find_user_of_mailbox(vault::Connection& connection, std::string_view mailbox_id) {
  return only_user(connection.prepare("SELECT " MUHUR_USER_COLUMNS " FROM users WHERE mailbox_id = ?"),
                   mailbox_id);
}

std::unexpected<Error> no_such_user() {
  return fail(Code::not_found, "there is no such user", "List the users with: muhur user list");
}

}  // namespace muhur::accounts
