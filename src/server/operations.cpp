#include "server/operations.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>

#include "server/app_password_operations.hpp"
#include "server/client_operations.hpp"
#include "server/doctor.hpp"
#include "server/held_operations.hpp"
#include "server/housekeeping.hpp"
#include "server/key_operations.hpp"
#include "server/stats.hpp"
#include "server/user_operations.hpp"

namespace muhur::server {
namespace json = boost::json;
namespace {

using Reply = Result<json::object>;
using Body = std::shared_ptr<const std::string>;

std::string_view text(const json::object& request, std::string_view name) {
  const auto* value = request.if_contains(name);
  return value && value->is_string() ? std::string_view(value->get_string()) : std::string_view();
}
std::int64_t number(const json::object& request, std::string_view name) {
  const auto* value = request.if_contains(name);
  return value && value->is_int64() ? value->get_int64() : 0;
}
bool flag(const json::object& request, std::string_view name) {
  const auto* value = request.if_contains(name);
  return value && value->is_bool() && value->get_bool();
}

Result<accounts::User> named_user(mail::PostOffice& office, const json::object& request) {
  const auto address = text(request, "address");
  auto user = office.users().by_address(address);
  if (!user && user.error().code == Code::not_found)
    return fail(Code::not_found, fmt::format("no user {}", address), "`muhur user list` names them");
  return user;
}

std::string_view state_of(const accounts::User& user) {
  switch (user.mailbox) {
    case accounts::MailboxState::none:
      return "none";
    case accounts::MailboxState::ready:
      return "ready";
    case accounts::MailboxState::at_first_sign_in:
      return "at first sign-in";
  }
  return "none";
}

json::object shown(const accounts::User& user) {
  return {{"address", user.address},
          {"name", user.display_name},
          {"admin", user.admin},
          {"disabled", user.disabled},
          {"quota", user.quota_bytes},
          {"mailbox", user.mailbox == accounts::MailboxState::ready ? json::value(user.mailbox_id + ".db")
                                                                    : json::value(nullptr)},
          {"mailbox_state", state_of(user)},
          {"created", format_time(user.created_ms)}};
}

Reply list_users(mail::PostOffice& office, const json::object&) {
  MUHUR_TRY(const auto users, office.users().list());
  json::array list;
  for (const auto& user : users) list.push_back(shown(user));
  return json::object{{"users", std::move(list)}};
}

Reply add_user(mail::PostOffice& office, const json::object& request) {
  const Secret password = Secret::from_text(text(request, "password"));
  MUHUR_TRY(const auto created, office.add_user(text(request, "address"), password, text(request, "name"),
                                                flag(request, "admin"), number(request, "quota")));
  json::object reply{{"user", shown(created.user)}};
  reply["recovery_key"] = created.recovery_key;
  return reply;
}

// The mailbox's key is wrapped under what the user knows: without it a new password would open nothing.
Reply set_password(mail::PostOffice& office, const json::object& request) {
  MUHUR_TRY(const auto user, named_user(office, request));
  const auto recovery = text(request, "recovery_key");
  const auto old = text(request, "old_password");
  if (recovery.empty() && old.empty())
    return fail(
        Code::denied, "the old password or the recovery key is needed",
        "without either the mailbox's key is out of reach: nobody can set a password and keep the mail");
  MUHUR_TRY(const auto signed_in, prove_owner(office, user.address, request, "old_password"));
  const Secret password = Secret::from_text(text(request, "password"));
  MUHUR_CHECK(office.credentials().set_password(user.id, password, signed_in.dek));
  office.on_user_changed().tell(user.id, mail::UserChange::credentials);
  return json::object{};
}

Reply set_disabled(mail::PostOffice& office, const json::object& request) {
  MUHUR_TRY(const auto user, named_user(office, request));
  const bool disabled = text(request, "command") == "user.disable";
  MUHUR_CHECK(office.set_disabled(user.id, disabled));
  return json::object{};
}

Reply set_quota(mail::PostOffice& office, const json::object& request) {
  MUHUR_TRY(const auto user, named_user(office, request));
  const auto quota = number(request, "quota");
  if (quota < 0) return fail(Code::invalid, "a quota cannot be negative");
  MUHUR_CHECK(office.users().set_quota(user.id, quota));
  return json::object{};
}

Reply delete_user(mail::PostOffice& office, const json::object& request) {
  MUHUR_TRY(const auto user, named_user(office, request));
  MUHUR_CHECK(office.delete_user(user.id));
  return json::object{};
}

Reply add_domain(mail::PostOffice& office, const json::object& request) {
  MUHUR_CHECK(office.users().add_domain(text(request, "domain")));
  return json::object{};
}

Reply ping(mail::PostOffice&, const json::object&) { return json::object{}; }

struct Operation {
  std::string_view name;
  Reply (*run)(mail::PostOffice&, const json::object&);
  net::Pool net::Pools::* pool;
};
constexpr Operation kOperations[] = {
    {"ping", ping, &net::Pools::storage},
    {"user.list", list_users, &net::Pools::storage},
    {"user.add", add_user, &net::Pools::passwords},
    {"user.passwd", set_password, &net::Pools::passwords},
    {"user.import", import_users, &net::Pools::storage},
    {"user.recovery-key", renew_recovery_key, &net::Pools::passwords},
    {"user.app-password.add", add_app_password, &net::Pools::passwords},
    {"user.app-password.list", list_app_passwords, &net::Pools::storage},
    {"user.app-password.remove", remove_app_password, &net::Pools::storage},
    {"user.disable", set_disabled, &net::Pools::storage},
    {"user.enable", set_disabled, &net::Pools::storage},
    {"user.delete", delete_user, &net::Pools::storage},
    {"user.quota", set_quota, &net::Pools::storage},
    {"domain.add", add_domain, &net::Pools::storage},
    {"held.list", list_held, &net::Pools::storage},
    {"held.release", release_held, &net::Pools::storage},
    {"held.discard", discard_held, &net::Pools::storage},
    {"doctor", check_health, &net::Pools::passwords},
    {"maintain", maintain, &net::Pools::heavy},
    {"stats", statistics, &net::Pools::storage},
};

// Each recipient as LMTP would take it: quota and sub-addressing included.
net::Task<Reply> deliver(mail::PostOffice& office, const json::object& request, Body body) {
  if (!body || body->empty()) co_return fail(Code::invalid, "the message is empty");
  std::vector<mail::Recipient> recipients;
  const auto* names = request.if_contains("recipients");
  if (!names || !names->is_array() || names->get_array().empty())
    co_return fail(Code::invalid, "no recipient is named");
  for (const auto& name : names->get_array()) {
    if (!name.is_string()) co_return fail(Code::invalid, "a recipient is not a text");
    const std::string address(name.get_string());
    auto recipient = co_await office.accept_recipient(address, body->size());
    if (!recipient) {
      Error error = std::move(recipient).error();
      if (error.what.find(address) == std::string::npos) error.what = address + ": " + error.what;
      co_return std::unexpected(std::move(error));
    }
    recipients.push_back(std::move(*recipient));
  }
  const std::string sender(text(request, "sender"));
  auto outcomes = co_await office.deliver(sender, std::move(recipients), std::move(body));
  std::vector<mail::Receipt> receipts;
  std::optional<Error> failed;
  for (auto& outcome : outcomes) {
    if (outcome)
      receipts.push_back(*outcome);
    else if (!failed)
      failed = std::move(outcome).error();
  }
  office.confirm(receipts);
  if (failed) co_return std::unexpected(std::move(*failed));
  co_return json::object{{"delivered", receipts.size()}};
}

}  // namespace

Result<std::unique_ptr<mail::PostOffice>> open_post_office(mail::PostOfficeOptions options) {
  const std::string key = options.server_key.string();
  auto office = mail::PostOffice::open(std::move(options));
  if (!office && office.error().code == Code::denied &&
      office.error().remedy.find(key) == std::string::npos) {
    Error error = std::move(office).error();
    error.remedy =
        fmt::format("The key was read from {}: put the server.key that belongs to this data there. {}", key,
                    error.remedy);
    return std::unexpected(std::move(error));
  }
  return office;
}

net::Task<json::object> run_operation(mail::PostOffice& office, json::object request, Body body,
                                      oidc::Provider* provider) {
  const std::string command(text(request, "command"));
  Reply reply = fail(Code::unsupported, fmt::format("no command `{}` here", command),
                     "server and command line are of different versions: restart the server");
  if (command == "deliver") {
    reply = co_await deliver(office, request, std::move(body));
  } else if (command.starts_with("client.")) {
    auto* const clients = provider ? &provider->clients() : nullptr;
    if (provider && text(request, "issuer").empty()) request["issuer"] = provider->options().issuer;
    reply = co_await net::on(office.pools().storage,
                             [&] { return run_client_operation(office.directory(), clients, request); });
  } else if (command.starts_with("keys.")) {
    auto* const keys = provider ? &provider->keys() : nullptr;
    reply = co_await net::on(office.pools().heavy,
                             [&] { return run_key_operation(office.directory(), keys, request); });
  } else {
    for (const Operation& operation : kOperations) {
      if (operation.name != command) continue;
      net::Pool& pool = office.pools().*operation.pool;
      reply = co_await net::on(pool, [&] { return operation.run(office, request); });
    }
  }
  wipe(request);
  if (!reply) co_return error_reply(reply.error());
  (*reply)["ok"] = true;
  co_return std::move(*reply);
}

json::object error_reply(const Error& error) {
  return {{"ok", false},
          {"error", {{"code", name_of(error.code)}, {"what", error.what}, {"remedy", error.remedy}}}};
}

Error error_of_reply(const json::object& reply) {
  const auto* inside = reply.if_contains("error");
  if (!inside || !inside->is_object()) return {Code::internal, "a reply that makes no sense", ""};
  const auto& error = inside->get_object();
  Error out{Code::internal, std::string(text(error, "what")), std::string(text(error, "remedy"))};
  for (int code = 0; code <= static_cast<int>(Code::internal); ++code)
    if (name_of(static_cast<Code>(code)) == text(error, "code")) out.code = static_cast<Code>(code);
  return out;
}

void wipe(json::object& object) {
  for (auto& [name, value] : object) {
    if (value.is_string()) {
      auto& held = value.get_string();
      muhur::wipe({reinterpret_cast<Byte*>(held.data()), held.size()});
    } else if (value.is_object()) {
      wipe(value.get_object());
    } else if (value.is_array()) {
      for (auto& item : value.get_array())
        if (item.is_object()) wipe(item.get_object());
    }
  }
}

std::string format_time(std::int64_t ms) {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(static_cast<std::time_t>(ms / 1000)));
}

}  // namespace muhur::server
