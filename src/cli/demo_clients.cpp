#include "cli/demo_clients.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <fstream>
#include <sstream>

#include "server/data_directory.hpp"

namespace muhur::cli {
namespace {

namespace json = boost::json;
constexpr const char* kFile = "demo-clients.json";
constexpr std::string_view kCallback = "http://127.0.0.1/callback";  // loopback: any port
constexpr std::string_view kDevice = "urn:ietf:params:oauth:grant-type:device_code";

oidc::Client client_of(std::string id, std::string name, oidc::ClientAuth auth) {
  oidc::Client client;
  client.id = std::move(id);
  client.name = std::move(name);
  client.auth = auth;
  client.redirect_uris = {std::string(kCallback), "http://[::1]/callback"};
  client.scopes = {"openid", "profile", "email", "groups", "offline_access", "mail"};
  return client;
}

std::vector<oidc::Client> all_clients() {
  auto demo = client_of("demo", "Demonstration", oidc::ClientAuth::none);
  demo.grant_types.emplace_back(kDevice);
  demo.post_logout_redirect_uris = {"http://127.0.0.1:8765/signed-out"};
  auto confidential = client_of("confidential", "Confidential demonstration", oidc::ClientAuth::basic);
  confidential.grant_types.emplace_back(kDevice);
  confidential.grant_types.emplace_back("client_credentials");
  confidential.may_introspect = true;
  confidential.post_logout_redirect_uris = demo.post_logout_redirect_uris;
  auto bench = client_of("bench", "Load test", oidc::ClientAuth::none);
  bench.skip_consent = true;
  return {demo, confidential, bench};
}

Result<json::object> read_file(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::stringstream text;
  text << in.rdbuf();
  boost::system::error_code error;
  const json::value parsed = json::parse(text.str(), error);
  if (error || !parsed.is_object())
    return fail(Code::corrupt, file.string() + " is damaged",
                "remove the demo's data directory to start anew");
  return parsed.get_object();
}

}  // namespace

Result<json::object> prepare_demo_clients(server::App& app) {
  auto* const provider = app.provider();
  if (provider == nullptr) return json::object();
  const auto file = app.config().data / kFile;
  if (std::filesystem::exists(file)) return read_file(file);
  json::object made;
  for (const auto& client : all_clients()) {
    // Left over from a set-up that was interrupted, with a secret that nobody knows.
    if (provider->clients().find(client.id)) MUHUR_CHECK(provider->clients().remove(client.id));
    MUHUR_TRY(const std::string secret, provider->clients().add(client));
    json::object shown{{"client_id", client.id},
                       {"redirect_uri", kCallback},
                       {"token_endpoint_auth_method", oidc::name_of(client.auth)}};
    if (!secret.empty()) shown["client_secret"] = secret;
    made[client.id] = std::move(shown);
  }
  MUHUR_CHECK(server::write_new_file(file, json::serialize(made) + "\n", 0600));
  return made;
}

}  // namespace muhur::cli
