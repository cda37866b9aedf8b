#pragma once
// co_await for the pool. The coroutine is suspended while the hash waits and runs, and goes on upon its own
// executor.

#include "net/stream.hpp"
#include "passwords/pool.hpp"

namespace muhur::passwords {

net::Task<Result<Verdict>> verify_on(HashPool& pool, Secret password, Record record,
                                     std::chrono::steady_clock::time_point deadline);
net::Task<Result<std::string>> hash_on(HashPool& pool, Secret password, crypto::Argon2Cost cost,
                                       std::chrono::steady_clock::time_point deadline);

}  // namespace muhur::passwords
