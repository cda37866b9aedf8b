#include "accounts/record_cost.hpp"

#include <gtest/gtest.h>

#include "base/random.hpp"
#include "passwords/verify.hpp"

namespace muhur::accounts {
namespace {

const std::string kHash43(43, 'a'), kHash86(86, 'a');

std::vector<std::string> records() {
  return {"$2b$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
          "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc",
          "$argon2i$v=19$m=64,t=3,p=1$c29tZXNhbHQ$wWKIMhR9lyDFvRz9YTZweHKfbftvj+qf+YFY4NeBbtA",
          "$6$salt$" + kHash86,
          "$6$rounds=1234$salt$" + kHash86,
          "$5$rounds=4321$salt$" + kHash43,
          "$1$salt$" + std::string(22, 'a'),
          "$y$j75$salt$" + kHash43};
}

TEST(RecordCost, EveryFormatHasACostOfItsOwn) {
  std::set<std::pair<std::uint32_t, std::uint32_t>> seen;
  for (const auto& text : records()) {
    const auto cost = cost_of(passwords::parse_record(text).value());
    EXPECT_TRUE(seen.insert({cost.memory_kib, cost.passes}).second) << text;
  }
  EXPECT_EQ(cost_of(*passwords::parse_record(records()[1])), (crypto::Argon2Cost{65536, 2}));
  EXPECT_EQ(cost_of(*passwords::parse_record(records()[0])), (crypto::Argon2Cost{0, 5}));
}

TEST(RecordCost, ARecordOfNobodysCostsTheSameAndIsNeverRight) {
  const Bytes salt = random_bytes(16);
  const Secret password = Secret::from_text("correct horse");
  for (const auto& text : records()) {
    const auto cost = cost_of(*passwords::parse_record(text));
    const auto nobody = record_of_nobody(cost, salt);
    const auto again = passwords::parse_record(passwords::to_text(nobody));
    ASSERT_TRUE(again) << passwords::to_text(nobody) << ": " << again.error().text();
    EXPECT_EQ(cost_of(*again), cost) << text;
    const auto verdict = passwords::verify_one(password, *again);
    ASSERT_TRUE(verdict) << passwords::to_text(nobody);
    EXPECT_FALSE(verdict->right);
  }
}

}  // namespace
}  // namespace muhur::accounts
