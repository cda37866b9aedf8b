#include "mail/deliver.hpp"

#include "crypto/aead.hpp"
#include "mail/envelope.hpp"

namespace muhur::mail {
namespace {

// An address stands in a header of its own line; one with a line break in it could forge others.
bool fits_in_a_header(std::string_view address) {
  return std::ranges::none_of(address,
                              [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; });
}

std::string headers_for(const Letter& letter, const Recipient& recipient) {
  std::string headers =
      fmt::format("Return-Path: <{}>\r\nDelivered-To: {}\r\n", letter.sender, recipient.address);
  headers += letter.trace;
  return headers;
}

// What makes a delivery the same as another one. Each part's length goes before it, so that no two lists of
// parts run together.
crypto::Digest identify(const Letter& letter, const Recipient& recipient, const crypto::Digest& message,
                        const Secret& key) {
  Bytes parts;
  const auto add = [&](std::string_view part) {
    Byte size[8];
    store_be64(size, part.size());
    parts.insert(parts.end(), size, size + 8);
    parts.insert(parts.end(), part.begin(), part.end());
  };
  add(letter.sender);
  add(recipient.address);
  add(std::to_string(recipient.user.id));
  add(as_text(message));
  return crypto::blake2b(parts, key.view());
}

}  // namespace

Incoming seal_letter(const Letter& letter, const Secret& digest_key,
                     const std::function<Result<Usage>(const accounts::User&)>& used) {
  Incoming incoming;
  incoming.size = letter.message.size();
  const Secret content_key = Secret::random(crypto::kAeadKeySize);
  const crypto::Digest message = crypto::sha256(as_bytes(letter.message));
  const bool sender_fits = fits_in_a_header(letter.sender);
  bool any = false;
  for (const auto& recipient : letter.recipients) {
    Incoming::To to;
    to.user = recipient.user.id;
    to.digest = identify(letter, recipient, message, digest_key);
    if (!sender_fits || !fits_in_a_header(recipient.address)) {
      to.outcome = fail(Code::invalid, "an address holds a control character");
    } else if (auto head =
                   seal_head(recipient.user.sealing_public, content_key, headers_for(letter, recipient))) {
      to.head = std::move(*head);
    } else {
      to.outcome = std::unexpected(std::move(head).error());
    }
    if (to.outcome && recipient.user.quota_bytes > 0) {
      to.quota = static_cast<std::uint64_t>(recipient.user.quota_bytes);
      if (const auto bytes = used(recipient.user))
        to.used = *bytes;
      else
        to.outcome = std::unexpected(bytes.error());
    }
    any = any || to.outcome.has_value();
    incoming.to.push_back(std::move(to));
  }
  if (any) incoming.body = seal_body(content_key, letter.message);
  return incoming;
}

}  // namespace muhur::mail
