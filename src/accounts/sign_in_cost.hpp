#pragma once
// What hashing an address pays that has no password record: unknown ones, above all.
//
// Records keep the cost they were made with, so right after the configured cost was raised most users still
// take the old time. Had unknown addresses the configured cost, time would tell them from users. So an
// unknown address takes a cost that users have, as often as users have it: a keyed hash of the address picks
// one out of the users' costs in proportion. The same address picks the same one each time, and moves to the
// configured cost, once, as users do when their records are made anew.

#include <memory>
#include <string_view>

#include "accounts/directory.hpp"
#include "crypto/kdf.hpp"

namespace muhur::accounts {

struct MadeUpRecord {
  crypto::Argon2Cost cost;  // in the numbers of accounts/record_cost.hpp
  Bytes salt;  // 16
};

class SignInCost {
 public:
  SignInCost(Directory& directory, crypto::Argon2Cost configured);
  ~SignInCost();

  // Counts the users' costs again when the last count is a minute old. Called for every sign-in, before the
  // address is looked up, so that the time it takes falls on known and unknown ones alike.
  void refresh();
  MadeUpRecord made_up(std::string_view account) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace muhur::accounts
