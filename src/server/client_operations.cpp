#include "server/client_operations.hpp"

#include <fmt/format.h>

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>

#include "base/random.hpp"
#include "oidc/client_document.hpp"
#include "oidc/client_templates.hpp"
#include "oidc/registration.hpp"

namespace muhur::server {
namespace json = boost::json;
namespace {

using Reply = Result<json::object>;

std::string text(const json::object& request, std::string_view name) {
  const auto* value = request.if_contains(name);
  return value && value->is_string() ? std::string(value->get_string()) : std::string();
}
std::int64_t number(const json::object& request, std::string_view name) {
  const auto* value = request.if_contains(name);
  return value && value->is_int64() ? value->get_int64() : 0;
}
json::object members(const json::object& request) {
  const auto* value = request.if_contains("client");
  return value && value->is_object() ? value->get_object() : json::object();
}

Result<oidc::Client> named(oidc::Clients& clients, const json::object& request) {
  const auto id = text(request, "id");
  const auto client = clients.find(id);
  if (!client)
    return fail(Code::not_found, fmt::format("no client {}", id), "`muhur client list` names them");
  return *client;
}

Reply add(oidc::Clients& clients, const json::object& request) {
  json::object given = members(request);
  if (!given.contains("id")) given["id"] = random_token(12);
  const auto pattern = text(request, "template");
  const auto url = text(request, "url");
  oidc::Client base;
  if (!pattern.empty()) {
    MUHUR_TRY(base, oidc::client_from_template(pattern, text(given, "id"), url));
  }
  MUHUR_TRY(const auto client, oidc::client_of(given, std::move(base)));
  MUHUR_TRY(const auto secret, clients.add(client));
  const auto added = clients.find(client.id);
  json::object reply{{"client", oidc::document_of(added ? *added : client)}};
  if (!secret.empty()) reply["secret"] = secret;
  if (!pattern.empty()) {
    const auto issuer = text(request, "issuer");
    reply["instructions"] = oidc::instructions(
        pattern, client, url, issuer.empty() ? text(request, "usual_issuer") : issuer, secret);
  }
  return reply;
}

Reply change(oidc::Clients& clients, const json::object& request) {
  MUHUR_TRY(const auto client, named(clients, request));
  MUHUR_TRY(const auto changed, oidc::client_of(members(request), client));
  if (changed.id != client.id)
    return fail(Code::invalid, "a client keeps its id", "Add another one, and delete this one");
  MUHUR_CHECK(clients.update(changed));
  return json::object{{"client", oidc::document_of(changed)}};
}

Reply list(oidc::Clients& clients, const json::object&) {
  json::array all;
  for (const auto& client : clients.list()) all.push_back(oidc::document_of(*client));
  return json::object{{"clients", std::move(all)}};
}

Reply show(oidc::Clients& clients, const json::object& request) {
  MUHUR_TRY(const auto client, named(clients, request));
  return json::object{{"client", oidc::document_of(client)}};
}

Reply rotate_secret(oidc::Clients& clients, const json::object& request) {
  MUHUR_TRY(const auto client, named(clients, request));
  MUHUR_TRY(const auto secret, clients.rotate_secret(client.id));
  return json::object{{"secret", secret}};
}

Reply remove(oidc::Clients& clients, const json::object& request) {
  MUHUR_TRY(const auto client, named(clients, request));
  MUHUR_CHECK(clients.remove(client.id));
  return json::object{};
}

struct Operation {
  std::string_view name;
  Reply (*run)(oidc::Clients&, const json::object&);
};
constexpr Operation kOperations[] = {{"client.add", add},
                                     {"client.change", change},
                                     {"client.list", list},
                                     {"client.show", show},
                                     {"client.rotate-secret", rotate_secret},
                                     {"client.delete", remove}};

}  // namespace

Reply run_client_operation(accounts::Directory& directory, oidc::Clients* clients,
                           const json::object& request) {
  const auto command = text(request, "command");
  if (command == "client.initial-token") {
    MUHUR_TRY(const auto token, oidc::Registration::make_initial_token(
                                    directory, number(request, "lifetime_s"), number(request, "uses")));
    return json::object{{"token", token}};
  }
  std::unique_ptr<oidc::Clients> own;
  if (!clients) {
    MUHUR_TRY(own, oidc::Clients::open(directory));
    clients = own.get();
  }
  for (const Operation& operation : kOperations)
    if (operation.name == command) return operation.run(*clients, request);
  return fail(Code::unsupported, fmt::format("no command `{}` here", command),
              "server and command line are of different versions: restart the server");
}

}  // namespace muhur::server
