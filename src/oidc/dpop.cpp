#include "oidc/dpop.hpp"

#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include "base/encoding.hpp"
#include "base/unicode.hpp"
#include "crypto/mac.hpp"
#include "oidc/jose.hpp"
#include "oidc/json.hpp"

namespace muhur::oidc {
namespace {

constexpr std::int64_t kOldest = 300;  // of a proof, by its iat
constexpr std::int64_t kLeeway = 60;
constexpr std::int64_t kSlot = 300;  // a nonce is good in the slot that it was made in and in the next
constexpr std::size_t kMaxJti = 256;
constexpr std::size_t kNonceBytes = 16;

std::unexpected<OAuthError> refuse(std::string_view code, std::string_view why, bool at_resource) {
  OAuthError error{.code = std::string(code), .description = std::string(why)};
  if (at_resource) {
    error.status = 401;
    error.www_authenticate = "DPoP error=\"" + error.code + R"(", algs="ES256 Ed25519 EdDSA RS256 PS256")";
  }
  return std::unexpected(std::move(error));
}

struct Target {
  std::string origin;  // scheme and host in lower case, without the scheme's own port
  std::string_view path;
  bool operator==(const Target&) const = default;
};

// RFC 9449 §4.3: without query and fragment, compared after the normalisation of RFC 3986 §6.2.2 and §6.2.3.
std::optional<Target> target_of(std::string_view url) {
  url = url.substr(0, url.find_first_of("?#"));
  const auto authority = url.find("://");
  if (authority == url.npos) return std::nullopt;
  const auto path = std::min(url.find('/', authority + 3), url.size());
  Target target{to_lower_ascii(url.substr(0, path)), url.substr(path)};
  if (target.path.empty()) target.path = "/";
  for (const auto& [scheme, port] :
       {std::pair<std::string_view, std::string_view>{"https://", ":443"}, {"http://", ":80"}})
    if (target.origin.starts_with(scheme) && target.origin.ends_with(port))
      target.origin.resize(target.origin.size() - port.size());
  return target;
}

bool same_target(std::string_view claimed, std::string_view url) {
  const auto a = target_of(claimed);
  const auto b = target_of(url);
  return a && b && *a == *b;
}

std::string nonce_of(const Secret& key, std::int64_t slot) {
  constexpr std::string_view kPurpose = "dpop nonce";
  Bytes message = to_bytes(kPurpose);
  message.resize(kPurpose.size() + 8);
  store_be64(message.data() + kPurpose.size(), static_cast<std::uint64_t>(slot));
  return to_base64url(ByteView(crypto::hmac_sha256(key.view(), message)).first(kNonceBytes));
}

}  // namespace

std::string Dpop::nonce(std::int64_t now_s) const { return nonce_of(nonce_key_, now_s / kSlot); }

bool Dpop::is_nonce(std::string_view nonce, std::int64_t now_s) const {
  const std::int64_t slot = now_s / kSlot;
  const std::string current = nonce_of(nonce_key_, slot);
  const std::string previous = nonce_of(nonce_key_, slot - 1);
  return equal_constant_time(as_bytes(nonce), as_bytes(current)) ||
         equal_constant_time(as_bytes(nonce), as_bytes(previous));
}

std::expected<DpopProof, OAuthError> Dpop::check(std::string_view proof, std::string_view method,
                                                 std::string_view url, std::int64_t now_s,
                                                 std::optional<std::string_view> access_token,
                                                 bool require_nonce) const {
  const auto invalid = [&](std::string_view why) {
    return refuse("invalid_dpop_proof", why, access_token.has_value());
  };
  const auto jws = parse_jws(proof, true);
  if (!jws) return invalid("the proof is malformed");
  if (text_of(jws->header, "typ") != "dpop+jwt") return invalid("the proof's typ is not dpop+jwt");
  const auto* jwk = jws->header.if_contains("jwk");
  if (!jwk || !jwk->is_object()) return invalid("the proof has no jwk");
  const auto key = crypto::PublicKey::from_jwk(boost::json::serialize(*jwk));
  if (!key) return invalid("the proof's jwk is not a usable public key");
  if (!verify_jws(*jws, *key, kAccepted)) return invalid("the proof's signature is wrong");
  const auto& claims = jws->payload;
  if (text_of(claims, "htm") != method) return invalid("htm is not the request's method");
  if (!same_target(text_of(claims, "htu").value_or(""), url)) return invalid("htu is not the request's URL");
  const auto issued = time_of(claims, "iat");
  if (!issued || *issued > now_s + kLeeway || *issued + kOldest < now_s)
    return invalid("iat is missing or too far from now");
  const auto jti = text_of(claims, "jti");
  if (!jti || jti->empty() || jti->size() > kMaxJti) return invalid("jti is missing or too long");
  if (access_token) {
    const auto hash = to_base64url(crypto::sha256(as_bytes(*access_token)));
    if (text_of(claims, "ath") != hash) return invalid("ath is not the access token's hash");
  }
  const bool has_nonce = claims.contains("nonce");
  if (has_nonce ? !is_nonce(text_of(claims, "nonce").value_or(""), now_s) : require_nonce) {
    auto error =
        refuse("use_dpop_nonce", "a fresh nonce of the server's is needed", access_token.has_value());
    error.error().dpop_nonce = nonce(now_s);
    return error;
  }
  DpopProof checked{.jkt = key->thumbprint(), .jti = {}, .expires_s = *issued + kOldest + 1};
  checked.jti = checked.jkt + ' ' + std::string(*jti);
  return checked;
}

}  // namespace muhur::oidc
