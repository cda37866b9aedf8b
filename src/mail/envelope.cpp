// A letter in the spool:
//   body = crypto/aead box under the content key, purpose "spool-body": the message, as it came
//   head = crypto/seal box to the recipient's public half of:
//            format       1 byte, 0x01
//            content key 32 bytes, random, used for this body and no other
//            headers      the rest: "Return-Path: …", "Delivered-To: …", "Received: …", CRLF line ends
#include "mail/envelope.hpp"

#include "crypto/aead.hpp"

namespace muhur::mail {
namespace {

constexpr Byte kFormat = 1;
constexpr std::string_view kPurpose = "spool-body";

}  // namespace

Result<Bytes> seal_head(ByteView public_half, const Secret& content_key, std::string_view headers) {
  Bytes plain;
  plain.reserve(1 + content_key.size() + headers.size());  // never moved: one place to wipe
  plain.push_back(kFormat);
  plain.insert(plain.end(), content_key.view().begin(), content_key.view().end());
  plain.insert(plain.end(), headers.begin(), headers.end());
  auto head = crypto::seal_to(public_half, plain);
  wipe(plain);
  return head;
}

Bytes seal_body(const Secret& content_key, std::string_view message) {
  return crypto::seal_box(content_key, as_bytes(message), kPurpose);
}

Result<std::string> open_letter(const crypto::SealingPair& pair, ByteView head, ByteView body) {
  MUHUR_TRY(Bytes plain, crypto::open_sealed(pair, head));
  if (plain.size() < 1 + crypto::kAeadKeySize || plain[0] != kFormat) {
    wipe(plain);
    return fail(Code::unsupported, "the head of a waiting message has an unknown form");
  }
  const Secret content_key(ByteView(plain).subspan(1, crypto::kAeadKeySize));
  wipe(MutableBytes(plain).first(1 + crypto::kAeadKeySize));
  const std::string_view headers = as_text(ByteView(plain).subspan(1 + crypto::kAeadKeySize));
  MUHUR_TRY(const Secret message, crypto::open_box(content_key, body, kPurpose));
  std::string letter;
  letter.reserve(headers.size() + message.size());
  letter += headers;
  letter += message.text();
  return letter;
}

}  // namespace muhur::mail
