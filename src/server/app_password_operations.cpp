#include "server/app_password_operations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/value.hpp>

#include "base/unicode.hpp"
#include "oidc/json.hpp"
#include "server/operations.hpp"
#include "server/user_operations.hpp"

namespace muhur::server {
namespace json = boost::json;
namespace {

using accounts::CredentialInfo;

std::string text(const json::object& object, std::string_view name) {
  return std::string(oidc::text_of(object, name).value_or(""));
}

Result<accounts::User> named_user(mail::PostOffice& office, const std::string& address) {
  auto user = office.users().by_address(address);
  if (!user && user.error().code == Code::not_found)
    return fail(Code::not_found, "no user " + address, "`muhur user list` names them");
  return user;
}

// Names are shown on terminals and kept in the audit log.
Result<void> check_name(std::string_view name) {
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  if (is_utf8(name) && std::ranges::none_of(name, is_control)) return {};
  return fail(Code::invalid, "the name of an app password has to be printable UTF-8",
              "Name the device: phone");
}

// What can be told before anybody proves anything.
Result<void> check_user(const accounts::User& user, bool by_recovery_key) {
  if (user.disabled)
    return fail(Code::conflict, user.address + " is disabled",
                fmt::format("`muhur user enable {}` lets the user in again", user.address));
  if (user.mailbox == accounts::MailboxState::none)
    return fail(Code::conflict, user.address + " has no mailbox, and an app password opens nothing else",
                "Such a user signs in elsewhere with the password, on the sign-in page");
  if (user.mailbox == accounts::MailboxState::at_first_sign_in && by_recovery_key)
    return fail(Code::conflict,
                user.address + " has not signed in yet, and has neither mailbox nor recovery key",
                "Prove it by the password: that is the first sign-in, and makes the mailbox");
  return {};
}

Result<std::vector<CredentialInfo>> app_passwords(mail::PostOffice& office, accounts::UserId user) {
  MUHUR_TRY(auto all, office.credentials().list(user));
  std::erase_if(all,
                [](const CredentialInfo& one) { return one.kind != accounts::CredentialKind::app_password; });
  return all;
}

}  // namespace

Result<json::object> add_app_password(mail::PostOffice& office, const json::object& request) {
  const auto name = text(request, "name");
  MUHUR_CHECK(check_name(name));
  MUHUR_TRY(const auto user, named_user(office, text(request, "address")));
  MUHUR_CHECK(check_user(user, oidc::text_of(request, "recovery_key").has_value()));
  MUHUR_TRY(const auto in, prove_owner(office, user.address, request));
  auto made = office.credentials().add_app_password(in.user.id, name, in.dek);
  if (!made) {
    Error error = std::move(made).error();
    if (error.code == Code::exists)
      error = {Code::exists, fmt::format("{} has an app password named {}", user.address, name),
               "Choose another name, or remove that one with `muhur user app-password remove`"};
    else if (error.code == Code::limit)
      error = {Code::limit,
               fmt::format("{} has {} app passwords, which is the most", user.address,
                           accounts::kMostAppPasswords),
               "`muhur user app-password list` tells when each was last used: remove what is not in use"};
    return std::unexpected(std::move(error));
  }
  MUHUR_TRY(const auto all, app_passwords(office, in.user.id));
  const auto one = std::ranges::find(all, name, &CredentialInfo::name);
  json::object reply{{"id", one == all.end() ? json::value(nullptr) : json::value(one->id)}, {"name", name}};
  reply["app_password"] = *made;
  return reply;
}

Result<json::object> list_app_passwords(mail::PostOffice& office, const json::object& request) {
  MUHUR_TRY(const auto user, named_user(office, text(request, "address")));
  MUHUR_TRY(const auto all, app_passwords(office, user.id));
  json::array list;
  for (const CredentialInfo& one : all)
    list.push_back({{"id", one.id},
                    {"name", one.name},
                    {"created", format_time(one.created_ms)},
                    {"last_used", one.last_used_ms == 0 ? json::value(nullptr)
                                                        : json::value(format_time(one.last_used_ms))}});
  return json::object{{"app_passwords", std::move(list)}};
}

Result<json::object> remove_app_password(mail::PostOffice& office, const json::object& request) {
  MUHUR_TRY(const auto user, named_user(office, text(request, "address")));
  MUHUR_TRY(const auto all, app_passwords(office, user.id));
  const auto which = text(request, "which");
  auto one = std::ranges::find(all, which, &CredentialInfo::name);
  if (one == all.end())
    one = std::ranges::find(all, which, [](const CredentialInfo& info) { return std::to_string(info.id); });
  if (one == all.end())
    return fail(Code::not_found, fmt::format("{} has no app password {}", user.address, which),
                "`muhur user app-password list` names them");
  MUHUR_CHECK(office.credentials().remove(user.id, one->id));
  return json::object{{"id", one->id}, {"name", one->name}};
}

}  // namespace muhur::server
