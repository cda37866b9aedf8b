// Signatures over OpenSSL's EVP. ES256 signatures are r || s, 32 bytes each, where OpenSSL has DER.
#include "crypto/signing.hpp"

#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/param_build.h>
#include <openssl/rsa.h>

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <cstdlib>

#include "base/encoding.hpp"
#include "crypto/mac.hpp"
#include "crypto/openssl.hpp"

namespace muhur::crypto {
namespace {

namespace json = boost::json;

using Context = std::unique_ptr<EVP_PKEY_CTX, Freed<EVP_PKEY_CTX_free>>;
using DigestContext = std::unique_ptr<EVP_MD_CTX, Freed<EVP_MD_CTX_free>>;
using Builder = std::unique_ptr<OSSL_PARAM_BLD, Freed<OSSL_PARAM_BLD_free>>;
using Parameters = std::unique_ptr<OSSL_PARAM, Freed<OSSL_PARAM_free>>;
using EcdsaSignature = std::unique_ptr<ECDSA_SIG, Freed<ECDSA_SIG_free>>;
using Pkcs8 = std::unique_ptr<PKCS8_PRIV_KEY_INFO, Freed<PKCS8_PRIV_KEY_INFO_free>>;

constexpr std::size_t kCoordinate = 32;  // of P-256, and the size of an Ed25519 key
constexpr int kRsaBits = 2048;
constexpr int kLargestRsaBits = 8192;  // a verification's cost grows with it
constexpr int kLargestExponentBits = 32;

// Signing with a sound key and reading a key's numbers fail only when memory is out.
void must(bool done) {
  if (!done) std::abort();
}

std::unexpected<Error> bad_key(std::string_view why) {
  return fail(Code::invalid, "not a usable key: " + std::string(why));
}

std::optional<std::string> text_member(const json::object& jwk, std::string_view name) {
  const auto* value = jwk.if_contains(name);
  if (!value || !value->is_string()) return std::nullopt;
  return std::string(value->get_string());
}

Result<Bytes> bytes_member(const json::object& jwk, std::string_view name) {
  const auto text = text_member(jwk, name);
  auto bytes = text ? from_base64url(*text) : std::nullopt;
  if (!bytes || bytes->empty()) return bad_key("no base64url in " + std::string(name));
  return std::move(*bytes);
}

Result<Pkey> ec_key(const json::object& jwk) {
  if (text_member(jwk, "crv") != "P-256") return bad_key("an unknown curve");
  MUHUR_TRY(const Bytes x, bytes_member(jwk, "x"));
  MUHUR_TRY(const Bytes y, bytes_member(jwk, "y"));
  if (x.size() != kCoordinate || y.size() != kCoordinate) return bad_key("a coordinate has not 32 bytes");
  Bytes point{0x04};
  point.insert(point.end(), x.begin(), x.end());
  point.insert(point.end(), y.begin(), y.end());
  const Builder builder(OSSL_PARAM_BLD_new());
  must(builder &&
       OSSL_PARAM_BLD_push_utf8_string(builder.get(), OSSL_PKEY_PARAM_GROUP_NAME, "P-256", 0) == 1 &&
       OSSL_PARAM_BLD_push_octet_string(builder.get(), OSSL_PKEY_PARAM_PUB_KEY, point.data(), point.size()) ==
           1);
  const Parameters parameters(OSSL_PARAM_BLD_to_param(builder.get()));
  const Context context(EVP_PKEY_CTX_new_from_name(nullptr, "EC", nullptr));
  EVP_PKEY* key = nullptr;
  if (!parameters || !context || EVP_PKEY_fromdata_init(context.get()) != 1 ||
      EVP_PKEY_fromdata(context.get(), &key, EVP_PKEY_PUBLIC_KEY, parameters.get()) != 1)
    return bad_key("a point that is not on the curve");
  Pkey made(key);
  const Context checking(EVP_PKEY_CTX_new_from_pkey(nullptr, key, nullptr));
  if (!checking || EVP_PKEY_public_check(checking.get()) != 1)
    return bad_key("a point that is not on the curve");
  return made;
}

Result<Pkey> rsa_key(const json::object& jwk) {
  MUHUR_TRY(const Bytes n_bytes, bytes_member(jwk, "n"));
  MUHUR_TRY(const Bytes e_bytes, bytes_member(jwk, "e"));
  const Number n(BN_bin2bn(n_bytes.data(), static_cast<int>(n_bytes.size()), nullptr));
  const Number e(BN_bin2bn(e_bytes.data(), static_cast<int>(e_bytes.size()), nullptr));
  must(n && e);
  const int bits = BN_num_bits(n.get());
  if (bits < kRsaBits || bits > kLargestRsaBits) return bad_key("RSA needs 2048 to 8192 bits");
  if (!BN_is_odd(n.get()) || !BN_is_odd(e.get()) || BN_is_one(e.get()) ||
      BN_num_bits(e.get()) > kLargestExponentBits)
    return bad_key("RSA numbers that make no key");
  const Builder builder(OSSL_PARAM_BLD_new());
  must(builder && OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_N, n.get()) == 1 &&
       OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_E, e.get()) == 1);
  const Parameters parameters(OSSL_PARAM_BLD_to_param(builder.get()));
  const Context context(EVP_PKEY_CTX_new_from_name(nullptr, "RSA", nullptr));
  EVP_PKEY* key = nullptr;
  if (!parameters || !context || EVP_PKEY_fromdata_init(context.get()) != 1 ||
      EVP_PKEY_fromdata(context.get(), &key, EVP_PKEY_PUBLIC_KEY, parameters.get()) != 1)
    return bad_key("RSA numbers that make no key");
  return Pkey(key);
}

Result<Pkey> okp_key(const json::object& jwk) {
  if (text_member(jwk, "crv") != "Ed25519") return bad_key("an unknown curve");
  MUHUR_TRY(const Bytes x, bytes_member(jwk, "x"));
  if (x.size() != kCoordinate) return bad_key("an Ed25519 key has 32 bytes");
  Pkey key(EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, x.data(), x.size()));
  if (!key) return bad_key("not an Ed25519 key");
  return key;
}

int kind_of(SigningAlgorithm algorithm) {
  switch (algorithm) {
    case SigningAlgorithm::es256:
      return EVP_PKEY_EC;
    case SigningAlgorithm::eddsa:
      return EVP_PKEY_ED25519;
    case SigningAlgorithm::rs256:
    case SigningAlgorithm::ps256:
      return EVP_PKEY_RSA;
  }
  return EVP_PKEY_NONE;
}

const EVP_MD* digest_of(SigningAlgorithm algorithm) {
  static EVP_MD* const sha256 = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  return algorithm == SigningAlgorithm::eddsa ? nullptr : sha256;
}

Bytes to_der(ByteView raw) {
  const EcdsaSignature signature(ECDSA_SIG_new());
  Number r(BN_bin2bn(raw.data(), kCoordinate, nullptr));
  Number s(BN_bin2bn(raw.data() + kCoordinate, kCoordinate, nullptr));
  must(signature && r && s && ECDSA_SIG_set0(signature.get(), r.release(), s.release()) == 1);
  Byte* der = nullptr;
  const int size = i2d_ECDSA_SIG(signature.get(), &der);
  must(size > 0);
  Bytes out(der, der + size);
  OPENSSL_free(der);
  return out;
}

Bytes from_der_signature(ByteView der) {
  const Byte* at = der.data();
  const EcdsaSignature signature(d2i_ECDSA_SIG(nullptr, &at, static_cast<long>(der.size())));
  Bytes raw(2 * kCoordinate);
  must(signature && BN_bn2binpad(ECDSA_SIG_get0_r(signature.get()), raw.data(), kCoordinate) == kCoordinate &&
       BN_bn2binpad(ECDSA_SIG_get0_s(signature.get()), raw.data() + kCoordinate, kCoordinate) == kCoordinate);
  return raw;
}

std::string number_member(EVP_PKEY* key, const char* name) {
  BIGNUM* number = nullptr;
  must(EVP_PKEY_get_bn_param(key, name, &number) == 1);
  const Number owned(number);
  Bytes bytes(static_cast<std::size_t>(BN_num_bytes(number)));
  BN_bn2bin(number, bytes.data());
  return to_base64url(bytes);
}

std::string coordinate_member(EVP_PKEY* key, const char* name) {
  BIGNUM* number = nullptr;
  must(EVP_PKEY_get_bn_param(key, name, &number) == 1);
  const Number owned(number);
  Bytes bytes(kCoordinate);
  must(BN_bn2binpad(number, bytes.data(), kCoordinate) == static_cast<int>(kCoordinate));
  return to_base64url(bytes);
}

}  // namespace

std::string_view name_of(SigningAlgorithm algorithm) {
  switch (algorithm) {
    case SigningAlgorithm::es256:
      return "ES256";
    case SigningAlgorithm::eddsa:
      return "EdDSA";
    case SigningAlgorithm::rs256:
      return "RS256";
    case SigningAlgorithm::ps256:
      return "PS256";
  }
  return "";
}

std::optional<SigningAlgorithm> signing_algorithm(std::string_view name) {
  if (name == "Ed25519") return SigningAlgorithm::eddsa;
  for (const auto algorithm :
       {SigningAlgorithm::es256, SigningAlgorithm::eddsa, SigningAlgorithm::rs256, SigningAlgorithm::ps256})
    if (name_of(algorithm) == name) return algorithm;
  return std::nullopt;
}

struct PublicKey::Held {
  Pkey key;
  std::optional<SigningAlgorithm> only;
};

Result<PublicKey> PublicKey::from_jwk(std::string_view text) {
  boost::system::error_code error;
  const json::value value = json::parse(text, error);
  if (error || !value.is_object()) return bad_key("not a JSON object");
  const json::object& jwk = value.get_object();
  // Whoever sends a private key here has lost it: better told than used.
  for (const auto* name : {"d", "p", "q", "dp", "dq", "qi", "oth", "k"})
    if (jwk.contains(name)) return bad_key("it has private members");
  if (jwk.contains("use") && text_member(jwk, "use") != "sig") return bad_key("it is not for signatures");
  auto held = std::make_shared<Held>();
  if (jwk.contains("alg")) {
    held->only = signing_algorithm(text_member(jwk, "alg").value_or(""));
    if (!held->only) return bad_key("an unknown alg");
  }
  const auto kind = text_member(jwk, "kty");
  auto made = kind == "EC"    ? ec_key(jwk)
              : kind == "RSA" ? rsa_key(jwk)
              : kind == "OKP" ? okp_key(jwk)
                              : Result<Pkey>(bad_key("an unknown kty"));
  if (!made) return std::unexpected(std::move(made).error());
  held->key = std::move(*made);
  if (held->only && EVP_PKEY_get_base_id(held->key.get()) != kind_of(*held->only))
    return bad_key("its alg is of another kty");
  PublicKey key;
  key.held_ = std::move(held);
  return key;
}

bool PublicKey::fits(SigningAlgorithm algorithm) const {
  return held_ && (!held_->only || held_->only == algorithm) &&
         EVP_PKEY_get_base_id(held_->key.get()) == kind_of(algorithm);
}

bool PublicKey::verify(SigningAlgorithm algorithm, ByteView message, ByteView signature) const {
  if (!fits(algorithm)) return false;
  Bytes der;
  if (algorithm == SigningAlgorithm::es256) {
    if (signature.size() != 2 * kCoordinate) return false;
    der = to_der(signature);
    signature = der;
  }
  const DigestContext context(EVP_MD_CTX_new());
  EVP_PKEY_CTX* how = nullptr;
  must(context &&
       EVP_DigestVerifyInit(context.get(), &how, digest_of(algorithm), nullptr, held_->key.get()) == 1);
  if (algorithm == SigningAlgorithm::ps256)
    must(EVP_PKEY_CTX_set_rsa_padding(how, RSA_PKCS1_PSS_PADDING) == 1 &&
         EVP_PKEY_CTX_set_rsa_pss_saltlen(how, RSA_PSS_SALTLEN_DIGEST) == 1);
  return EVP_DigestVerify(context.get(), signature.data(), signature.size(), message.data(),
                          message.size()) == 1;
}

std::string PublicKey::jwk() const {
  EVP_PKEY* const key = held_->key.get();
  switch (EVP_PKEY_get_base_id(key)) {
    case EVP_PKEY_EC:
      return R"({"crv":"P-256","kty":"EC","x":")" + coordinate_member(key, OSSL_PKEY_PARAM_EC_PUB_X) +
             R"(","y":")" + coordinate_member(key, OSSL_PKEY_PARAM_EC_PUB_Y) + R"("})";
    case EVP_PKEY_RSA:
      return R"({"e":")" + number_member(key, OSSL_PKEY_PARAM_RSA_E) + R"(","kty":"RSA","n":")" +
             number_member(key, OSSL_PKEY_PARAM_RSA_N) + R"("})";
    default: {
      Bytes raw(kCoordinate);
      std::size_t size = raw.size();
      must(EVP_PKEY_get_raw_public_key(key, raw.data(), &size) == 1 && size == kCoordinate);
      return R"({"crv":"Ed25519","kty":"OKP","x":")" + to_base64url(raw) + R"("})";
    }
  }
}

std::string PublicKey::thumbprint() const { return to_base64url(sha256(as_bytes(jwk()))); }

Result<SigningKey> SigningKey::generate(SigningAlgorithm algorithm) {
  Pkey key;
  switch (algorithm) {
    case SigningAlgorithm::es256:
      key.reset(EVP_EC_gen("P-256"));
      break;
    case SigningAlgorithm::eddsa:
      key.reset(EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519"));
      break;
    case SigningAlgorithm::rs256:
      key.reset(EVP_RSA_gen(kRsaBits));
      break;
    case SigningAlgorithm::ps256:
      return fail(Code::unsupported, "PS256 keys are for verifying only");
  }
  if (!key) return fail(Code::internal, "making a signing key failed");
  SigningKey made;
  made.algorithm_ = algorithm;
  made.key_.held_ = std::make_shared<PublicKey::Held>(std::move(key), algorithm);
  return made;
}

Result<SigningKey> SigningKey::from_der(SigningAlgorithm algorithm, const Secret& pkcs8) {
  if (algorithm == SigningAlgorithm::ps256)
    return fail(Code::unsupported, "PS256 keys are for verifying only");
  const auto broken = [] { return fail(Code::corrupt, "not a private key of that algorithm"); };
  const Byte* at = pkcs8.data();
  const Pkcs8 parsed(d2i_PKCS8_PRIV_KEY_INFO(nullptr, &at, static_cast<long>(pkcs8.size())));
  if (!parsed || at != pkcs8.data() + pkcs8.size()) return broken();
  Pkey key(EVP_PKCS82PKEY(parsed.get()));
  if (!key || EVP_PKEY_get_base_id(key.get()) != kind_of(algorithm)) return broken();
  const int bits = EVP_PKEY_get_bits(key.get());
  if (algorithm == SigningAlgorithm::rs256 && (bits < kRsaBits || bits > kLargestRsaBits)) return broken();
  char group[32] = "";
  if (algorithm == SigningAlgorithm::es256 &&
      (EVP_PKEY_get_group_name(key.get(), group, sizeof group, nullptr) != 1 ||
       std::string_view(group) != "prime256v1"))
    return broken();
  SigningKey made;
  made.algorithm_ = algorithm;
  made.key_.held_ = std::make_shared<PublicKey::Held>(std::move(key), algorithm);
  const ByteView probe = as_bytes("do the halves fit");
  const Bytes signature = made.sign(probe);
  if (signature.empty() || !made.key_.verify(algorithm, probe, signature)) return broken();
  return made;
}

Secret SigningKey::der() const {
  const Pkcs8 parsed(EVP_PKEY2PKCS8(key_.held_->key.get()));
  Byte* der = nullptr;
  const int size = i2d_PKCS8_PRIV_KEY_INFO(parsed.get(), &der);
  must(size > 0);
  const auto length = static_cast<std::size_t>(size);
  Secret out(ByteView(der, length));
  OPENSSL_clear_free(der, length);
  return out;
}

Bytes SigningKey::sign(ByteView message) const {
  const DigestContext context(EVP_MD_CTX_new());
  std::size_t size = static_cast<std::size_t>(EVP_PKEY_get_size(key_.held_->key.get()));
  Bytes signature(size);
  must(context != nullptr);
  if (EVP_DigestSignInit(context.get(), nullptr, digest_of(algorithm_), nullptr, key_.held_->key.get()) !=
          1 ||
      EVP_DigestSign(context.get(), signature.data(), &size, message.data(), message.size()) != 1)
    return {};
  signature.resize(size);
  return algorithm_ == SigningAlgorithm::es256 ? from_der_signature(signature) : signature;
}

PublicKey SigningKey::public_key() const { return key_; }

}  // namespace muhur::crypto
