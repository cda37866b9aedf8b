#pragma once
// What is counted of hashing. Private to this folder.

#include <chrono>
#include <string_view>

#include "base/metrics.hpp"
#include "passwords/record.hpp"

namespace muhur::passwords {

// "argon2id" (our own records and PHC strings), "bcrypt", "crypt".
std::string_view kind_of(const Record& record);

// So that a scraper sees zeros before the first hash, and can tell how fast they grow.
void announce_hashing();

// Around what computes hashes on the calling thread, whoever it computes them for: counts them, and the CPU
// time that the thread used meanwhile.
class Hashing {
 public:
  // `kind` as kind_of() gives it; `count` hashes at once.
  explicit Hashing(std::string_view kind, std::size_t count = 1);
  ~Hashing();
  Hashing(const Hashing&) = delete;
  Hashing& operator=(const Hashing&) = delete;

 private:
  const std::string_view kind_;
  const std::size_t count_;
  const std::chrono::nanoseconds began_;
};

// A hash that a worker computed for us.
void count_remote_hash(std::string_view kind);

}  // namespace muhur::passwords
