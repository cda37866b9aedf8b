#pragma once
// `muhur bench passwords`: what one core verifies, libxcrypt's crypt_r and our lanes in turn so that both see
// the same machine:
//   crypt_r_per_s        bcrypt by libxcrypt, one after the other
//   lanes_N_per_s        by our core, N at once (1 to 4)
//   lanes_4_batch_ms     how long four at once take
//   ratio                lanes_4_per_s to crypt_r_per_s, round by round
//   argon2id_per_s       our own records (19 MiB, two passes)

#include <functional>

#include "bench/report.hpp"

namespace muhur::bench {

struct PasswordsOptions {
  int cost = 10;
  std::size_t rounds = 9;
  std::function<void(std::size_t rounds_done)> progress;
};

// Keeps its thread on one core meanwhile. internal: the two do not agree.
Result<Report> run_passwords(const PasswordsOptions& options);

}  // namespace muhur::bench
