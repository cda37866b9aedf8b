// muhur client: add, change, list, show, rotate-secret, delete, initial-token.
#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <cstdio>
#include <fstream>
#include <iterator>

#include "cli/mail_system.hpp"
#include "cli/terminal.hpp"
#include "server/config_keys.hpp"

namespace muhur::cli {
namespace {

namespace json = boost::json;

struct Args {
  Where where;
  std::string id, name, auth, from_template, url, issuer, token_format, algorithm, jwks_file, backchannel,
      lifetime;
  std::vector<std::string> redirect_uris, post_logout_uris, scopes, grants, resources, groups, set;
  std::int64_t uses = 1;
  bool is_public = false, without_pkce = false, first_party = false, may_introspect = false, par = false;
  bool dpop = false, dpop_nonce = false, json = false, yes = false;
};

void print(const json::value& value) { std::printf("%s\n", json::serialize(value).c_str()); }

json::array list_of(const std::vector<std::string>& texts) { return json::array(texts.begin(), texts.end()); }

Result<std::string> read_text_file(const std::string& name) {
  std::ifstream in(name, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  if (in.bad() || text.empty()) return fail(Code::not_found, name + " cannot be read or is empty");
  return text;
}

// Only what was said: the rest is left to the template, to what is there, or to what is built in.
Result<json::object> members(const Args& args) {
  json::object client;
  const std::pair<const char*, const std::string*> texts[] = {{"name", &args.name},
                                                              {"auth", &args.auth},
                                                              {"access_token", &args.token_format},
                                                              {"id_token_algorithm", &args.algorithm},
                                                              {"backchannel_logout_uri", &args.backchannel}};
  for (const auto& [name, text] : texts)
    if (!text->empty()) client[name] = *text;
  const std::pair<const char*, const std::vector<std::string>*> lists[] = {
      {"redirect_uris", &args.redirect_uris},
      {"post_logout_redirect_uris", &args.post_logout_uris},
      {"scopes", &args.scopes},
      {"grant_types", &args.grants},
      {"resources", &args.resources},
      {"groups", &args.groups}};
  for (const auto& [name, list] : lists)
    if (!list->empty()) client[name] = list_of(*list);
  if (args.is_public) client["auth"] = "none";
  if (args.without_pkce) client["require_pkce"] = false;
  if (args.first_party) client["skip_consent"] = true;
  if (args.may_introspect) client["may_introspect"] = true;
  if (args.par) client["require_par"] = true;
  if (args.dpop) client["require_dpop"] = true;
  if (args.dpop_nonce) client["require_dpop_nonce"] = true;
  if (!args.jwks_file.empty()) {
    MUHUR_TRY(client["jwks"], read_text_file(args.jwks_file));
    client["auth"] = "private_key_jwt";
  }
  for (const auto& one : args.set) {
    const auto equals = one.find('=');
    if (equals == one.npos) return fail(Code::invalid, "--set " + one + ": not MEMBER=VALUE");
    const std::string value = one.substr(equals + 1);
    boost::system::error_code error;
    json::value parsed = json::parse(value, error);
    client[one.substr(0, equals)] = error ? json::value(json::string(value)) : std::move(parsed);
  }
  return client;
}

void print_client(const json::object& client) {
  std::vector<std::vector<std::string>> rows{{"MEMBER", "VALUE"}};
  for (const auto& member : client) {
    const auto& value = member.value();
    std::string shown;
    if (value.is_string()) {
      shown = std::string(value.get_string());
    } else if (value.is_array()) {
      for (const auto& item : value.get_array())
        shown += (shown.empty() ? "" : " ") + std::string(item.as_string());
    } else {
      shown = json::serialize(value);
    }
    if (!shown.empty()) rows.push_back({std::string(member.key()), std::move(shown)});
  }
  std::printf("%s", table(rows).c_str());
}

// The address that the instructions name where no server runs that knows its own.
std::string usual_issuer(const Args& args) {
  const auto config = args.where.load();
  if (config && !config->http_issuer.empty()) return config->http_issuer;
  return "https://" + (config && !config->host_name.empty() ? config->host_name : std::string("YOUR-ISSUER"));
}

int add(const Args& args) {
  auto client = members(args);
  if (!client) return report(client.error());
  if (!args.id.empty()) (*client)["id"] = args.id;
  json::object request{{"command", "client.add"}, {"client", std::move(*client)}};
  if (!args.from_template.empty()) {
    request["template"] = args.from_template;
    request["url"] = args.url;
    request["issuer"] = args.issuer;
    request["usual_issuer"] = usual_issuer(args);
  }
  const auto reply = ask(args.where, std::move(request));
  if (!reply) return report(reply.error());
  if (args.json) {
    json::object shown = *reply;
    shown.erase("ok");
    print(shown);
    return kDone;
  }
  const auto text = [&](const char* name) {
    const auto* value = reply->if_contains(name);
    return value ? std::string(value->as_string()) : std::string();
  };
  std::printf("Added the client %s.\n", reply->at("client").at("id").as_string().c_str());
  if (const auto secret = text("secret"); !secret.empty())
    std::printf("\n  Secret: %s\n\nThis is the only time it is shown: only a hash of it is stored.\n",
                secret.c_str());
  if (const auto how = text("instructions"); !how.empty()) std::printf("\n%s", how.c_str());
  return kDone;
}

int change(const Args& args) {
  auto client = members(args);
  if (!client) return report(client.error());
  if (client->empty()) return report({Code::invalid, "nothing is to be changed", "say what, see --help"});
  const auto reply =
      ask(args.where, {{"command", "client.change"}, {"id", args.id}, {"client", std::move(*client)}});
  if (!reply) return report(reply.error());
  args.json ? print(reply->at("client")) : print_client(reply->at("client").as_object());
  return kDone;
}

int list(const Args& args) {
  const auto reply = ask(args.where, {{"command", "client.list"}});
  if (!reply) return report(reply.error());
  if (args.json) {
    print(reply->at("clients"));
    return kDone;
  }
  std::vector<std::vector<std::string>> rows{{"ID", "NAME", "AUTHENTICATION", "PKCE", "SCOPES"}};
  for (const auto& client : reply->at("clients").as_array()) {
    std::string scopes;
    for (const auto& scope : client.at("scopes").as_array())
      scopes += (scopes.empty() ? "" : " ") + std::string(scope.as_string());
    rows.push_back({std::string(client.at("id").as_string()), std::string(client.at("name").as_string()),
                    std::string(client.at("auth").as_string()),
                    client.at("require_pkce").as_bool() ? "required" : "optional", std::move(scopes)});
  }
  std::printf("%s", table(rows).c_str());
  return kDone;
}

int show(const Args& args) {
  const auto reply = ask(args.where, {{"command", "client.show"}, {"id", args.id}});
  if (!reply) return report(reply.error());
  args.json ? print(reply->at("client")) : print_client(reply->at("client").as_object());
  return kDone;
}

int print_secret(const Args& args, const Result<json::object>& reply, const char* member, const char* said) {
  if (!reply) return report(reply.error());
  if (args.json)
    print(json::object{{member, reply->at(member)}});
  else
    std::printf("%s\n\n  %s\n\nThis is the only time it is shown: only a hash of it is stored.\n", said,
                reply->at(member).as_string().c_str());
  return kDone;
}

int rotate_secret(const Args& args) {
  return print_secret(args, ask(args.where, {{"command", "client.rotate-secret"}, {"id", args.id}}), "secret",
                      "The client's old secret is taken no longer. The new one:");
}

int initial_token(const Args& args) {
  const auto lifetime = server::parse_duration(args.lifetime.empty() ? "24h" : args.lifetime);
  if (!lifetime) return report(lifetime.error());
  return print_secret(args,
                      ask(args.where, {{"command", "client.initial-token"},
                                       {"lifetime_s", lifetime->count() / 1000},
                                       {"uses", args.uses}}),
                      "token", "With this initial access token a client can register itself (RFC 7591):");
}

int remove(const Args& args) {
  if (!args.yes && !confirmed("Delete the client " + args.id + "? Its users will be signed out there"))
    return report({Code::invalid, "nothing was deleted", at_terminal() ? "" : "say --yes"});
  const auto reply = ask(args.where, {{"command", "client.delete"}, {"id", args.id}});
  if (!reply) return report(reply.error());
  std::printf("%s\n", args.json ? R"({"ok":true})" : ("Deleted the client " + args.id + ".").c_str());
  return kDone;
}

Command& subcommand(Command& client, Args& args, const char* name, const char* description, bool id) {
  auto& command = stored_data_command(client, args.where, args.json, name, description);
  if (id) command.positional("ID", args.id, "The client's id.");
  return command;
}

void describe_members(Command& command, Args& args) {
  command.option("--name", "NAME", args.name, "As people see it when they are asked for consent.");
  command.options("--redirect-uri", "URI", args.redirect_uris,
                  "Where answers may go: compared whole. May be given several times.");
  command.options("--post-logout-uri", "URI", args.post_logout_uris, "Where a sign-out may lead back to.");
  command.option("--backchannel-logout", "URL", args.backchannel, "Is told when a session ends.");
  command.options("--scope", "SCOPE", args.scopes,
                  "What it may ask for: openid, profile, email, groups, offline_access, mail.");
  command.options("--grant", "TYPE", args.grants, "authorization_code, refresh_token, client_credentials …");
  command.options("--resource", "URI", args.resources, "An API that its tokens may be for (RFC 8707).");
  command.options("--group", "NAME", args.groups, "Who may sign in there. Default: everybody.");
  command.option("--auth", "METHOD", args.auth,
                 "client_secret_basic (default), client_secret_post, private_key_jwt or none.");
  command.flag("--public", args.is_public, "No secret (apps, single-page sites): the same as --auth none.");
  command.option("--jwks-file", "FILE", args.jwks_file,
                 "Its public keys: it proves itself by private_key_jwt.");
  command.option("--access-token", "FORMAT", args.token_format, "opaque (default) or jwt (RFC 9068).");
  command.option("--id-token-alg", "ALG", args.algorithm, "ES256 (default), EdDSA or RS256.");
  command.flag("--no-pkce", args.without_pkce, "For software that cannot do PKCE. Not for public clients.");
  command.flag("--first-party", args.first_party, "Its users are not asked for consent.");
  command.flag("--may-introspect", args.may_introspect, "It may look at tokens that are not its own.");
  command.flag("--require-par", args.par, "Its requests have to be pushed first (RFC 9126).");
  command.options("--set", "MEMBER=VALUE", args.set,
                  "Any member that `show --json` has, as JSON or text: --set access_token_s=300.");
  command.flag("--require-dpop", args.dpop, "Its tokens are bound to a key that it holds (RFC 9449).");
  command.flag("--require-dpop-nonce", args.dpop_nonce, "Its DPoP proofs need a nonce of this server's.");
}

}  // namespace

void describe_client(Command& root) {
  auto args = std::make_shared<Args>();
  auto& client = root.command(
      "client",
      "Clients of the single sign-on: add, change, list, show, rotate-secret, delete, initial-token.");
  client.manual("Works on a running server (through DATA/run/admin.sock) and without one.");

  auto& adding = subcommand(client, *args, "add", "Adds a client; prints its secret once.", false);
  adding.option("--id", "ID", args->id, "Its client_id. Default: a random one.");
  adding.option("--template", "SOFTWARE", args->from_template,
                "roundcube, grafana, nextcloud, oauth2-proxy or fapi2.");
  adding.option("--url", "URL", args->url, "With --template: where that software runs.");
  adding.option("--issuer", "URL", args->issuer,
                "With --template: this server's address in the instructions. Default: its own.");
  describe_members(adding, *args);
  adding.manual(
      "With a template only --url is needed; what else is given goes before it. It also prints what to "
      "write\n"
      "into the software's configuration.\n\n"
      "Example:  muhur client add --template grafana --url https://grafana.example.org --id grafana\n"
      "Example:  muhur client add --id app --public --redirect-uri https://app.example.org/callback");
  adding.run([args] { return add(*args); });

  auto& changing = subcommand(client, *args, "change", "Changes what is said and leaves the rest.", true);
  describe_members(changing, *args);
  changing.manual("Lists are replaced: name each URI and scope that is to be there.");
  changing.run([args] { return change(*args); });

  subcommand(client, *args, "list", "Lists the clients.", false).run([args] { return list(*args); });
  subcommand(client, *args, "show", "Shows all about a client but its secret.", true).run([args] {
    return show(*args);
  });
  subcommand(client, *args, "rotate-secret", "Makes a new secret; the old one is taken no longer.", true)
      .run([args] { return rotate_secret(*args); });

  auto& deleting = subcommand(client, *args, "delete", "Deletes a client.", true);
  deleting.flag("--yes", args->yes, "Does not ask.");
  deleting.run([args] { return remove(*args); });

  auto& opening =
      subcommand(client, *args, "initial-token", "Lets clients register themselves (RFC 7591).", false);
  opening.option("--uses", "N", args->uses, "How many clients. Default: 1.");
  opening.option("--lifetime", "TIME", args->lifetime, "For how long, such as 1h. Default: 24h.");
  opening.run([args] { return initial_token(*args); });
}

}  // namespace muhur::cli
