#include "server/key_operations.hpp"

#include <fmt/format.h>

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>

#include "accounts/audit.hpp"
#include "server/operations.hpp"

namespace muhur::server {
namespace json = boost::json;
namespace {

using Reply = Result<json::object>;

std::string text(const json::object& request, std::string_view name) {
  const auto* value = request.if_contains(name);
  return value && value->is_string() ? std::string(value->get_string()) : std::string();
}

std::string_view name_of(oidc::KeyInfo::State state) {
  using State = oidc::KeyInfo::State;
  if (state == State::next) return "next";
  return state == State::signs ? "signs" : "kept";
}

Reply list(const oidc::SigningKeys& keys) {
  json::array all;
  for (const auto& key : keys.list())
    all.push_back({{"kid", key.kid},
                   {"algorithm", crypto::name_of(key.algorithm)},
                   {"state", name_of(key.state)},
                   {"created", format_time(key.created_s * 1000)},
                   {"signs_from", format_time(key.active_s * 1000)}});
  return json::object{{"keys", std::move(all)}};
}

Result<void> note(accounts::Directory& directory, std::string action, std::string detail) {
  return directory.database().write([&](vault::Connection& c) {
    return accounts::append_audit(c, directory.clock().now_ms(),
                                  {.action = std::move(action), .detail = std::move(detail)});
  });
}

Reply rotate(accounts::Directory& directory, oidc::SigningKeys& keys, const json::object& request) {
  const auto only = text(request, "algorithm");
  const auto* now = request.if_contains("now");
  const bool at_once = now && now->is_bool() && now->get_bool();
  bool any = false;
  MUHUR_CHECK(keys.publish_all());
  for (const auto algorithm :
       {crypto::SigningAlgorithm::es256, crypto::SigningAlgorithm::eddsa, crypto::SigningAlgorithm::rs256}) {
    const std::string name(crypto::name_of(algorithm));
    if (!only.empty() && only != name) continue;
    any = true;
    const auto done = at_once ? keys.rotate_now(algorithm) : keys.rotate_soon(algorithm);
    // Asked for all of them, those that have a next key already are as they should be.
    if (!done && (!only.empty() || done.error().code != Code::exists)) return std::unexpected(done.error());
    if (done) MUHUR_CHECK(note(directory, at_once ? "signing-key-replaced" : "signing-key-made", name));
  }
  if (!any) return fail(Code::invalid, "no key signs with " + only, "One of ES256, EdDSA, RS256");
  return list(keys);
}

Reply remove(accounts::Directory& directory, oidc::SigningKeys& keys, const json::object& request) {
  const auto kid = text(request, "kid");
  MUHUR_CHECK(keys.remove(kid));
  MUHUR_CHECK(note(directory, "signing-key-deleted", kid));
  return json::object{};
}

}  // namespace

Reply run_key_operation(accounts::Directory& directory, oidc::SigningKeys* keys,
                        const json::object& request) {
  std::unique_ptr<oidc::SigningKeys> own;
  if (!keys) {
    MUHUR_TRY(own, oidc::SigningKeys::open(directory));
    keys = own.get();
  }
  const auto command = text(request, "command");
  if (command == "keys.list") return list(*keys);
  if (command == "keys.rotate") return rotate(directory, *keys, request);
  if (command == "keys.delete") return remove(directory, *keys, request);
  return fail(Code::unsupported, fmt::format("no command `{}` here", command),
              "server and command line are of different versions: restart the server");
}

}  // namespace muhur::server
