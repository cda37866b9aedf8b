#pragma once
// A sign-in for coroutines: nothing blocks but on the storage pool, and the hash runs where the verifier
// finds room, on this machine or a worker.

#include "accounts/sign_in.hpp"
#include "net/pools.hpp"
#include "passwords/verifier.hpp"

namespace muhur::accounts {

// As SignIn::with_password; also busy when everything that hashes is full (nothing to wait for is in the
// remedy then) and timed_out: the verifier's deadline holds for waiting and hashing together. All four
// outlive the call, whose executor is a strand or a single thread's.
net::Task<Result<SignedIn>> sign_in(SignIn& signing_in, passwords::Verifier& verifier, net::Pools& pools,
                                    std::string address, Secret password, std::string peer);

}  // namespace muhur::accounts
