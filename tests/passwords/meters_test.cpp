#include "passwords/meters.hpp"

#include <gtest/gtest.h>

#include "passwords/verify.hpp"

namespace muhur::passwords {
namespace {

std::uint64_t hashes(std::string_view kind, std::string_view where) {
  return metrics::counter("muhur_password_hashes_total", "",
                          metrics::label("kind", kind) + "," + metrics::label("where", where))
      .value();
}
auto cpu() { return metrics::seconds("muhur_password_hash_cpu_seconds_total", "").value(); }

TEST(Meters, EveryHashOfThisProcessIsCountedByKindWithTheTimeItTook) {
  const auto password = Secret::from_text("geheim");
  const auto bcrypt = make_bcrypt(password.view(), 8);
  ASSERT_TRUE(bcrypt);
  const auto crypt =
      parse_record("$5$rounds=1000$MJHnaAkegEVYHsFK$g3xddVGQZ6DY/fcewXuNoq3Z8pV0BMhtNguvF/Og763");
  const auto before_bcrypt = hashes("bcrypt", "local"), before_argon2 = hashes("argon2id", "local");
  const auto before_crypt = hashes("crypt", "local"), remote = hashes("bcrypt", "worker");
  const auto before = cpu();
  std::array<BcryptCheck, 3> checks;
  for (auto& check : checks) check = {&password, &*bcrypt};
  verify_together(checks);
  EXPECT_EQ(hashes("bcrypt", "local"), before_bcrypt + 3);
  const auto after = cpu();
  EXPECT_GT(after, before);
  ASSERT_TRUE(derive(password, Bytes(16, Byte{7}), {64, 1}));
  EXPECT_EQ(hashes("argon2id", "local"), before_argon2 + 1);
  ASSERT_TRUE(crypt);
  ASSERT_TRUE(verify_one(password, *crypt)->right);
  EXPECT_EQ(hashes("crypt", "local"), before_crypt + 1);
  EXPECT_GT(cpu(), after);
  EXPECT_EQ(hashes("bcrypt", "worker"), remote);
}

TEST(Meters, OurOwnRecordsAndPhcStringsAreOneKind) {
  EXPECT_EQ(kind_of(Record(Argon2Record{})), "argon2id");
  EXPECT_EQ(kind_of(Record(PhcArgon2{})), "argon2id");
  EXPECT_EQ(kind_of(Record(BcryptRecord{})), "bcrypt");
  EXPECT_EQ(kind_of(Record(CryptRecord{})), "crypt");
}

}  // namespace
}  // namespace muhur::passwords
