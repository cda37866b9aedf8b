#include "passwords/foreign_record.hpp"

#include <gtest/gtest.h>

#include <utility>

namespace muhur::passwords {
namespace {

constexpr std::string_view kBcrypt = "$2y$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW";
constexpr std::string_view kArgon2id =
    "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc";
constexpr std::string_view kArgon2i =
    "$argon2i$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$wWKIMhR9lyDFvRz9YTZweHKfbftvj+qf+YFY4NeBbtA";
const std::string kSha512 = "$6$saltsalt$" + std::string(86, 'a');

TEST(ForeignRecord, LosesTheNameOfItsScheme) {
  using Pair = std::pair<std::string, std::string_view>;
  for (const auto& [prefix, record] : {Pair{"", kBcrypt},
                                       {"{BLF-CRYPT}", kBcrypt},
                                       {"{bcrypt}", kBcrypt},
                                       {"bcrypt$", kBcrypt},
                                       {"{CRYPT}", kBcrypt},
                                       {"{ARGON2ID}", kArgon2id},
                                       {"argon2", kArgon2id},
                                       {"{ARGON2}", kArgon2i},
                                       {"{argon2i}", kArgon2i},
                                       {"{SHA512-CRYPT}", kSha512},
                                       {"{CRYPT}", kSha512}}) {
    const auto own = own_form_of(prefix + std::string(record));
    ASSERT_TRUE(own) << prefix << ": " << own.error().text();
    EXPECT_EQ(*own, record) << prefix;
  }
}

TEST(ForeignRecord, ASchemeHasToFitWhatStandsBehindIt) {
  EXPECT_EQ(own_form_of("{BLF-CRYPT}" + kSha512).error().code, Code::invalid);
  EXPECT_EQ(own_form_of("{ARGON2ID}" + std::string(kArgon2i)).error().code, Code::invalid);
  EXPECT_EQ(own_form_of("{BLF-CRYPT").error().code, Code::invalid);
  EXPECT_EQ(own_form_of("{BLF-CRYPT}").error().code, Code::invalid);
  EXPECT_EQ(own_form_of("{BLF-CRYPT}$2y$05$short").error().code, Code::invalid);
}

TEST(ForeignRecord, WhatCannotBeVerifiedIsNamedWithoutItsContents) {
  for (const std::string_view text : {"{PLAIN}geheim", "{SSHA}geheim", "pbkdf2_sha256$600000$geheim$geheim",
                                      "geheim", "$2x$geheim", "{SCRAM-SHA-256}geheim", "$scrypt$geheim"}) {
    const auto refused = own_form_of(text);
    ASSERT_FALSE(refused) << text;
    EXPECT_EQ(refused.error().code, Code::unsupported) << text;
    EXPECT_EQ(refused.error().text().find("geheim"), std::string::npos) << refused.error().text();
    EXPECT_FALSE(refused.error().remedy.empty());
  }
}

TEST(ForeignRecord, NeitherEmptyNorEndlessNorStrange) {
  EXPECT_EQ(own_form_of("").error().code, Code::invalid);
  EXPECT_EQ(own_form_of(std::string(100'000, '$')).error().code, Code::invalid);
  EXPECT_EQ(own_form_of(std::string_view("$6$salt\0hash", 12)).error().code, Code::invalid);
  EXPECT_EQ(own_form_of("$6$sält$hash").error().code, Code::invalid);
}

}  // namespace
}  // namespace muhur::passwords
