#include "oidc/jose.hpp"

#include <openssl/sha.h>

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <cmath>

#include "base/encoding.hpp"
#include "base/unicode.hpp"
#include "crypto/mac.hpp"
#include "oidc/json.hpp"

namespace muhur::oidc {
namespace json = boost::json;
namespace {

constexpr std::size_t kMaxToken = 16 * 1024;
constexpr std::size_t kMaxJwks = 64 * 1024;
constexpr std::size_t kMaxKeys = 64;
constexpr double kLargestTime = 253'402'300'799;  // the end of the year 9999

// Ways for a token to bring its own key or its own rules.
constexpr std::string_view kRefusedInHeader[] = {"jku", "x5u", "x5c", "crit", "zip"};

std::unexpected<Error> malformed(std::string_view why) {
  return fail(Code::invalid, "the token is malformed: " + std::string(why));
}

Result<json::object> part_of(std::string_view encoded, std::string_view name) {
  const auto bytes = from_base64url(encoded);
  if (!bytes) return malformed(std::string(name) + " is not base64url");
  auto object = parse_object(as_text(*bytes));
  if (!object) return malformed(std::string(name) + ": " + object.error().what);
  return object;
}

Result<void> check_header(const json::object& header, bool allow_jwk) {
  const auto algorithm = text_of(header, "alg");
  if (!algorithm || algorithm->empty() || equals_ignoring_case(*algorithm, "none"))
    return malformed("it is not signed");
  for (const auto name : kRefusedInHeader)
    if (header.contains(name)) return malformed(std::string(name) + " in its header");
  if (!allow_jwk && header.contains("jwk")) return malformed("a key in its header");
  if (header.contains("kid") && !text_of(header, "kid")) return malformed("its kid is not a text");
  return {};
}

bool to_pass_over(const json::object& jwk) {
  const auto kind = text_of(jwk, "kty").value_or("");
  const auto curve = text_of(jwk, "crv").value_or("");
  const bool known = kind == "RSA" || kind == "oct" || (kind == "EC" && curve == "P-256") ||
                     (kind == "OKP" && curve == "Ed25519");
  if (!known || text_of(jwk, "use").value_or("sig") != "sig") return true;
  const auto algorithm = text_of(jwk, "alg");
  return kind != "oct" && algorithm && !crypto::signing_algorithm(*algorithm);
}

}  // namespace

Result<Jws> parse_jws(std::string_view token, bool allow_jwk) {
  if (token.size() > kMaxToken) return malformed("it is too long");
  const auto first = token.find('.');
  const auto second = first == token.npos ? token.npos : token.find('.', first + 1);
  if (second == token.npos || token.find('.', second + 1) != token.npos)
    return malformed("it has not three parts");
  Jws jws;
  MUHUR_TRY(jws.header, part_of(token.substr(0, first), "the header"));
  MUHUR_CHECK(check_header(jws.header, allow_jwk));
  MUHUR_TRY(jws.payload, part_of(token.substr(first + 1, second - first - 1), "the payload"));
  auto signature = from_base64url(token.substr(second + 1));
  if (!signature || signature->empty()) return malformed("it has no signature");
  jws.signature = std::move(*signature);
  jws.signing_input = token.substr(0, second);
  return jws;
}

std::string sign_jwt(const json::object& payload, std::string_view type, std::string_view kid,
                     const crypto::SigningKey& key) {
  json::object header{{"alg", crypto::name_of(key.algorithm())}};
  if (!type.empty()) header["typ"] = type;
  if (!kid.empty()) header["kid"] = kid;
  std::string token = to_base64url(as_bytes(json::serialize(header))) + '.' +
                      to_base64url(as_bytes(json::serialize(payload)));
  const Bytes signature = key.sign(as_bytes(token));
  token += '.';
  token += to_base64url(signature);
  return token;
}

Result<void> verify_jws(const Jws& jws, const crypto::PublicKey& key,
                        std::span<const crypto::SigningAlgorithm> allowed) {
  const auto named = crypto::signing_algorithm(text_of(jws.header, "alg").value_or(""));
  for (const auto algorithm : allowed) {
    if (!key.fits(algorithm) || named != algorithm) continue;
    if (key.verify(algorithm, as_bytes(jws.signing_input), jws.signature)) return {};
  }
  return fail(Code::denied, "no key verifies the token's signature");
}

std::optional<std::int64_t> time_of(const json::object& payload, std::string_view name) {
  const auto* value = payload.if_contains(name);
  if (!value || !value->is_number()) return std::nullopt;
  const double seconds = value->to_number<double>();
  if (!(seconds >= 0 && seconds <= kLargestTime)) return std::nullopt;
  return static_cast<std::int64_t>(std::floor(seconds));
}

Result<void> check_times(const json::object& payload, std::int64_t now_s, long leeway_s) {
  const auto expires = time_of(payload, "exp");
  if (!expires) return fail(Code::denied, "the token has no exp");
  if (*expires + leeway_s <= now_s) return fail(Code::denied, "the token has expired");
  for (const auto* name : {"nbf", "iat"}) {
    if (!payload.contains(name)) continue;
    const auto time = time_of(payload, name);
    if (!time || *time - leeway_s > now_s)
      return fail(Code::denied, std::string("the token's ") + name + " is in the future");
  }
  return {};
}

Result<JwkSet> JwkSet::parse(std::string_view text) {
  if (text.size() > kMaxJwks) return fail(Code::invalid, "the JWK Set is too long");
  MUHUR_TRY(const auto document, parse_object(text));
  const auto* keys = document.if_contains("keys");
  if (!keys || !keys->is_array()) return fail(Code::invalid, "a JWK Set has a list `keys`");
  if (keys->get_array().size() > kMaxKeys) return fail(Code::invalid, "the JWK Set has too many keys");
  JwkSet set;
  for (const auto& item : keys->get_array()) {
    if (!item.is_object()) return fail(Code::invalid, "a key of the JWK Set is not an object");
    if (to_pass_over(item.get_object())) continue;
    MUHUR_TRY(auto key, crypto::PublicKey::from_jwk(json::serialize(item)));
    set.keys_.emplace_back(text_of(item.get_object(), "kid").value_or(""), std::move(key));
  }
  return set;
}

Result<void> JwkSet::verify(const Jws& jws, std::span<const crypto::SigningAlgorithm> allowed) const {
  const auto kid = text_of(jws.header, "kid");
  for (const auto& [name, key] : keys_)
    if ((!kid || name.empty() || name == *kid) && verify_jws(jws, key, allowed)) return {};
  return fail(Code::denied, "no key verifies the token's signature");
}

std::string half_hash(std::string_view value, crypto::SigningAlgorithm algorithm) {
  if (algorithm == crypto::SigningAlgorithm::eddsa) {
    Byte digest[SHA512_DIGEST_LENGTH];
    SHA512(as_bytes(value).data(), value.size(), digest);
    return to_base64url(ByteView(digest).first(sizeof digest / 2));
  }
  const auto digest = crypto::sha256(as_bytes(value));
  return to_base64url(ByteView(digest).first(digest.size() / 2));
}

}  // namespace muhur::oidc
