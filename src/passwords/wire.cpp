// A request, over HTTP/1.1 with or without TLS:
//   POST /v1/verify
//   Muhur-Time: milliseconds since 1970, decimal
//   Muhur-Nonce: 16 random bytes, base64url
//   Muhur-Mac: base64url of HMAC-SHA256(M, "muhur worker request 1\nPOST\n" path \n time \n nonce \n body)
//   body: an AEAD box (crypto/aead.hpp) under HKDF(secret, salt = nonce, "muhur worker request 1")
// and its reply:
//   status
//   Muhur-Mac: base64url of HMAC-SHA256(M, "muhur worker reply 1\n" nonce \n status \n body)
//   body: a box under HKDF(secret, salt = nonce, "muhur worker reply 1")
// M = HKDF(secret, "muhur worker mac 1"). The body comes last and no other part has a line end in it, so
// that one text is one request. What the boxes hold is drawn in passwords/messages.cpp.
#include "passwords/wire.hpp"

#include <fmt/format.h>

#include <charconv>

#include "base/encoding.hpp"
#include "base/random.hpp"
#include "crypto/aead.hpp"
#include "crypto/kdf.hpp"
#include "crypto/mac.hpp"

namespace muhur::passwords {
namespace {

constexpr std::string_view kRequest = "muhur worker request 1";
constexpr std::string_view kReply = "muhur worker reply 1";
constexpr std::size_t kNonceSize = 16;
constexpr std::size_t kMacSize = 32;

std::string request_text(std::string_view path, std::string_view time, std::string_view nonce,
                         std::string_view body) {
  return fmt::format("{}\nPOST\n{}\n{}\n{}\n{}", kRequest, path, time, nonce, body);
}
std::string reply_text(std::string_view nonce, int status, std::string_view body) {
  return fmt::format("{}\n{}\n{}\n{}", kReply, nonce, status, body);
}

bool is_base64url_of(std::string_view text, std::size_t size) {
  const auto bytes = from_base64url(text);
  return bytes && bytes->size() == size;
}

std::unexpected<Error> not_signed() {
  return fail(Code::denied, "the signature does not fit the shared secret",
              "Give server and worker the same secret file");
}

}  // namespace

Wire::Wire(const Secret& shared)
    : shared_(shared.copy()), mac_key_(crypto::hkdf(shared.view(), {}, "muhur worker mac 1", 32)) {}

std::string Wire::mac_of(std::string_view text) const {
  return to_base64url(crypto::hmac_sha256(mac_key_.view(), as_bytes(text)));
}

Secret Wire::body_key(std::string_view nonce, std::string_view purpose) const {
  return crypto::hkdf(shared_.view(), as_bytes(nonce), purpose, crypto::kAeadKeySize);
}

SealedRequest Wire::seal_request(std::string_view path, const Secret& plain, std::int64_t now_ms) const {
  SealedRequest request{std::to_string(now_ms), random_token(kNonceSize), {}, {}};
  request.body = to_string(crypto::seal_box(body_key(request.nonce, kRequest), plain.view(), kRequest));
  request.mac = mac_of(request_text(path, request.time, request.nonce, request.body));
  return request;
}

Result<Wire::Opened> Wire::open_request(std::string_view path, std::string_view time, std::string_view nonce,
                                        std::string_view mac, std::string_view body) const {
  Opened opened;
  const auto [end, error] = std::from_chars(time.data(), time.data() + time.size(), opened.time_ms);
  if (error != std::errc() || end != time.data() + time.size() || opened.time_ms < 0) return not_signed();
  if (!is_base64url_of(nonce, kNonceSize) || !is_base64url_of(mac, kMacSize)) return not_signed();
  if (!equal_constant_time(as_bytes(mac), as_bytes(mac_of(request_text(path, time, nonce, body)))))
    return not_signed();
  auto plain = crypto::open_box(body_key(nonce, kRequest), as_bytes(body), kRequest);
  if (!plain) return not_signed();
  opened.plain = std::move(*plain);
  return opened;
}

SealedReply Wire::seal_reply(std::string_view nonce, int status, const Secret& plain) const {
  SealedReply reply;
  reply.body = to_string(crypto::seal_box(body_key(nonce, kReply), plain.view(), kReply));
  reply.mac = mac_of(reply_text(nonce, status, reply.body));
  return reply;
}

Result<Secret> Wire::open_reply(std::string_view nonce, int status, std::string_view mac,
                                std::string_view body) const {
  if (!equal_constant_time(as_bytes(mac), as_bytes(mac_of(reply_text(nonce, status, body)))))
    return not_signed();
  auto plain = crypto::open_box(body_key(nonce, kReply), as_bytes(body), kReply);
  if (!plain) return not_signed();
  return plain;
}

}  // namespace muhur::passwords
