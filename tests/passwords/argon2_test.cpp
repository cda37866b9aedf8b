#include "passwords/argon2.hpp"

#include <gtest/gtest.h>
#include <sodium.h>

#include "base/random.hpp"

namespace muhur::passwords {
namespace {

constexpr crypto::Argon2Cost kQuick{64, 1};

TEST(Argon2, OneRunOfLibsodiumGivesBothHalves) {
  const Bytes salt = random_bytes(16);
  const auto derived = derive(Secret::from_text("correct horse"), salt, kQuick);
  ASSERT_TRUE(derived);
  Bytes both(64);
  ASSERT_EQ(crypto_pwhash(both.data(), both.size(), "correct horse", 13, salt.data(), kQuick.passes,
                          std::size_t{kQuick.memory_kib} * 1024, crypto_pwhash_ALG_ARGON2ID13),
            0);
  Bytes verifier(32);
  crypto_generichash(verifier.data(), verifier.size(), both.data(), 32, nullptr, 0);
  EXPECT_EQ(derived->verifier, verifier);
  EXPECT_TRUE(equal_constant_time(derived->kek.view(), ByteView(both).subspan(32)));
}

TEST(Argon2, AnotherPasswordSaltOrCostGivesAnotherKey) {
  const Bytes salt(16, 1);
  const auto base = derive(Secret::from_text("a"), salt, kQuick);
  ASSERT_TRUE(base);
  EXPECT_FALSE(derive(Secret::from_text("b"), salt, kQuick)->kek == base->kek);
  EXPECT_FALSE(derive(Secret::from_text("a"), Bytes(16, 2), kQuick)->kek == base->kek);
  EXPECT_FALSE(derive(Secret::from_text("a"), salt, {128, 1})->kek == base->kek);
  EXPECT_NE(derive(Secret::from_text("b"), salt, kQuick)->verifier, base->verifier);
}

TEST(Argon2, ARecordsTextReadsBackTheSame) {
  const Argon2Record record{{19'456, 2}, random_bytes(16), random_bytes(32)};
  const std::string text = to_text(record);
  EXPECT_TRUE(text.starts_with("muhur$argon2id$m=19456,t=2$")) << text;
  EXPECT_EQ(text.find('='), text.find("=19456"));
  const auto back = parse_argon2(text);
  ASSERT_TRUE(back);
  EXPECT_EQ(back->cost, record.cost);
  EXPECT_EQ(back->salt, record.salt);
  EXPECT_EQ(back->verifier, record.verifier);
}

TEST(Argon2, EveryCutOrBentRecordIsCorruptAndNeverCrashes) {
  const std::string text = to_text({{19'456, 2}, random_bytes(16), random_bytes(32)});
  for (std::size_t size = 0; size < text.size(); ++size)
    EXPECT_FALSE(parse_argon2(std::string_view(text).substr(0, size))) << size;
  EXPECT_FALSE(parse_argon2(text + "A"));
  EXPECT_FALSE(parse_argon2(text + "\n"));
  for (std::size_t at = 0; at < text.size(); ++at) {
    std::string bent = text;
    bent[at] = '!';
    const auto parsed = parse_argon2(bent);
    ASSERT_FALSE(parsed) << at;
    EXPECT_EQ(parsed.error().code, Code::corrupt);
  }
}

TEST(Argon2, ARecordCannotAskForEndlessWork) {
  const std::string tail = "$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
  EXPECT_TRUE(parse_argon2("muhur$argon2id$m=64,t=1" + tail));
  for (const std::string_view cost : {"m=4294967295,t=1", "m=64,t=4000000000", "m=64,t=0", "m=0,t=1",
                                      "m=064,t=1", "m=-64,t=1", "m=99999999999,t=1", "m=64,t=1,p=1"})
    EXPECT_FALSE(parse_argon2("muhur$argon2id$" + std::string(cost) + tail)) << cost;
}

}  // namespace
}  // namespace muhur::passwords
