#pragma once
// Large parts, stored once in the mailbox by a keyed 256-bit hash of their bytes (BLAKE2b-256 under a
// random key that never leaves the mailbox). Equal hashes are taken for equal bytes: nobody can make two
// that collide without the key, and by chance it takes 2^128 attachments.

#include "mailbox/layout.hpp"
#include "mailbox/prepared.hpp"
#include "vault/connection.hpp"

namespace muhur::mailbox {

class Attachments {
 public:
  explicit Attachments(vault::Connection& connection) : connection_(connection) {}

  Result<bool> knows(const crypto::Digest& hash);
  // One holder more: shares what is there or stores it.
  Result<AttachmentId> hold(const PreparedAttachment& attachment);
  // One holder less: the last one takes the bytes along.
  Result<void> release(AttachmentId id);

 private:
  vault::Connection& connection_;
};

}  // namespace muhur::mailbox
