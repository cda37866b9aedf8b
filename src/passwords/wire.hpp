#pragma once
// Requests to a worker and its replies, sealed and signed with a secret that both share. Plain HTTP will do:
// nobody on the way reads a password or a key, makes up a request or a reply, or uses one twice.
// Private to this folder and its tests. Thread-safe.

#include <memory>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/secret.hpp"

namespace muhur::passwords {

inline constexpr std::size_t kLeastWorkerSecret = 32;  // bytes
inline constexpr std::string_view kTimeField = "Muhur-Time";
inline constexpr std::string_view kNonceField = "Muhur-Nonce";
inline constexpr std::string_view kMacField = "Muhur-Mac";

struct SealedRequest {
  std::string time, nonce, mac;  // header fields
  std::string body;
};
struct SealedReply {
  std::string mac;
  std::string body;
};

class Wire {
 public:
  explicit Wire(const Secret& shared);

  // A POST to `path`, with a nonce of its own.
  SealedRequest seal_request(std::string_view path, const Secret& plain, std::int64_t now_ms) const;
  // What the worker reads, or denied. Says nothing of age and repetition: `time_ms` and the nonce are those
  // that were signed.
  struct Opened {
    Secret plain;
    std::int64_t time_ms = 0;
  };
  Result<Opened> open_request(std::string_view path, std::string_view time, std::string_view nonce,
                              std::string_view mac, std::string_view body) const;

  // A reply to the request with that nonce and to no other.
  SealedReply seal_reply(std::string_view nonce, int status, const Secret& plain) const;
  Result<Secret> open_reply(std::string_view nonce, int status, std::string_view mac,
                            std::string_view body) const;

 private:
  std::string mac_of(std::string_view text) const;
  Secret body_key(std::string_view nonce, std::string_view purpose) const;
  Secret shared_;
  Secret mac_key_;
};

}  // namespace muhur::passwords
