#pragma once
// What is asked of a worker and what it answers, as bytes. Decoders are bounded and strict: nothing may
// follow. Private to this folder and its tests.

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "passwords/verify.hpp"

namespace muhur::passwords {

inline constexpr std::string_view kVerifyPath = "/v1/verify";
inline constexpr std::string_view kHashPath = "/v1/hash";
inline constexpr std::string_view kHealthPath = "/v1/health";

struct VerifyCall {
  std::chrono::milliseconds limit{0};  // from its arrival on
  std::string record;
  Secret password;
};
struct HashCall {
  std::chrono::milliseconds limit{0};
  crypto::Argon2Cost cost;
  Secret password;
};
struct Health {
  std::uint32_t threads = 0, waiting = 0, running = 0;
  std::uint64_t done = 0;
};

Secret encode(const VerifyCall& call);
Secret encode(const HashCall& call);
Secret encode_health_call();
Result<VerifyCall> decode_verify_call(ByteView bytes);
Result<HashCall> decode_hash_call(ByteView bytes);
Result<void> decode_health_call(ByteView bytes);

// Replies: what was asked for, or an error with its code.
Secret encode(const Verdict& verdict);
Secret encode_text(std::string_view text);
Secret encode(const Health& health);
Secret encode(const Error& error);

// An error of the worker's, told by itself, is apart from a reply that cannot be read.
template <class T>
struct Answer {
  T value{};
  std::optional<Error> error;
};
Result<Answer<Verdict>> decode_verdict(ByteView bytes);
Result<Answer<std::string>> decode_text(ByteView bytes);
Result<Answer<Health>> decode_health(ByteView bytes);

}  // namespace muhur::passwords
