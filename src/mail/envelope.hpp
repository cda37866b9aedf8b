#pragma once
// What a message looks like while it waits: a body sealed once under a random key, and for each recipient a
// head that only the recipient can open, with that key in it.

#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/secret.hpp"
#include "crypto/seal.hpp"

namespace muhur::mail {

// `headers` (whole lines) will stand before the message.
Result<Bytes> seal_head(ByteView public_half, const Secret& content_key, std::string_view headers);
Bytes seal_body(const Secret& content_key, std::string_view message);

// The message with its headers in front. denied or unsupported: it is damaged or for somebody else.
Result<std::string> open_letter(const crypto::SealingPair& pair, ByteView head, ByteView body);

}  // namespace muhur::mail
