#include "passwords/record.hpp"

#include <crypt.h>
#include <gtest/gtest.h>
#include <sodium.h>

#include "base/random.hpp"
#include "passwords/verify.hpp"

namespace muhur::passwords {
namespace {

std::string crypted(const std::string& password, const std::string& setting) {
  crypt_data data{};
  return crypt_r(password.c_str(), setting.c_str(), &data);
}

Result<bool> fits(std::string_view password, const std::string& text) {
  MUHUR_TRY(const Record record, parse_record(text));
  MUHUR_TRY(const Verdict verdict, verify_one(Secret::from_text(password), record));
  return verdict.right;
}

void expect_verifies(const std::string& text, const std::string& password) {
  const auto record = parse_record(text);
  ASSERT_TRUE(record) << text << ": " << record.error().text();
  EXPECT_EQ(to_text(*record), text);
  EXPECT_TRUE(*fits(password, text)) << text;
  EXPECT_FALSE(*fits(password + "x", text)) << text;
  EXPECT_FALSE(*fits("", text)) << text;
}

TEST(PasswordRecord, VerifiesWhatLibxcryptMakes) {
  for (const std::string setting :
       {"$6$saltsalt", "$6$rounds=1000$saltsalt", "$5$saltsalt", "$5$rounds=2000$sa", "$1$salt",
        "$2b$04$abcdefghijklmnopqrstuu", "$2a$05$abcdefghijklmnopqrstuu", "$2y$04$abcdefghijklmnopqrstuu"})
    expect_verifies(crypted("geheim ş", setting), "geheim ş");
  for (const char* prefix : {"$y$", "$6$", "$2b$"}) {
    char setting[CRYPT_GENSALT_OUTPUT_SIZE];
    ASSERT_NE(crypt_gensalt_rn(prefix, prefix[1] == 'y' ? 1 : (prefix[1] == '2' ? 4 : 0), nullptr, 0, setting,
                               sizeof setting),
              nullptr);
    expect_verifies(crypted("geheim", setting), "geheim");
  }
}

TEST(PasswordRecord, VerifiesWhatLibsodiumMakes) {
  ASSERT_GE(sodium_init(), 0);
  char text[crypto_pwhash_STRBYTES];
  ASSERT_EQ(crypto_pwhash_str_alg(text, "geheim", 6, 1, 8192 * 8, crypto_pwhash_ALG_ARGON2ID13), 0);
  expect_verifies(text, "geheim");
}

TEST(PasswordRecord, VerifiesArgon2idOfSeveralLanes) {
  // Made by the reference implementation's command line: argon2 somesalt -id -t 2 -m 8 -p 4, password.
  const std::string text =
      "$argon2id$v=19$m=256,t=2,p=2$c29tZXNhbHQ$bQk8UB/VmZZF4Oo79iDXuL5/0ttZwg2f/5U52iv1cDc";
  EXPECT_TRUE(*fits("password", text));
  EXPECT_FALSE(*fits("passwore", text));
}

TEST(PasswordRecord, VerifiesTheReferenceVectorsOfArgon2) {
  // From src/test.c of the reference implementation (phc-winner-argon2).
  for (const std::string text :
       {"$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc",
        "$argon2i$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$wWKIMhR9lyDFvRz9YTZweHKfbftvj+qf+YFY4NeBbtA"})
    expect_verifies(text, "password");
}

TEST(PasswordRecord, OurOwnGivesTheKeyToo) {
  const Bytes salt = random_bytes(16);
  const auto derived = derive(Secret::from_text("geheim"), salt, {64, 1});
  const std::string text = to_text(Argon2Record{{64, 1}, salt, derived->verifier});
  expect_verifies(text, "geheim");
  const auto verdict = verify_one(Secret::from_text("geheim"), *parse_record(text));
  EXPECT_TRUE(verdict->kek == derived->kek);
}

TEST(PasswordRecord, Bug27NothingBehindANulIsIgnored) {
  // crypt() stops at a NUL, so "abc\0def" would open what "abc" opens.
  const std::string_view with_nul("abc\0def", 7);
  for (const std::string setting : {"$6$rounds=1000$salt", "$1$salt", "$2b$04$abcdefghijklmnopqrstuu"}) {
    const std::string text = crypted("abc", setting);
    EXPECT_TRUE(*fits("abc", text));
    EXPECT_FALSE(*fits(with_nul, text)) << text;
  }
}

TEST(PasswordRecord, AFailureOfCryptIsNeverAMatch) {
  // crypt() answers "*0" to a password of over 511 bytes.
  const std::string text = crypted("abc", "$6$rounds=1000$salt");
  EXPECT_FALSE(*fits(std::string(600, 'a'), text));
  for (const std::string bad : {"*0", "*1", "", "*", "!", "x"}) {
    EXPECT_EQ(parse_record(bad).error().code, Code::unsupported) << bad;
  }
}

TEST(PasswordRecord, TellsUnknownFormatsFromMalformedOnes) {
  for (const std::string_view unknown :
       {"plain", "{SHA256}abc", "$2x$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
        "$argon2d$v=19$m=8", "$7$CU..../....salt$hash", "$gy$j9T$x$y", "ab01FAX.bQRSU",
        "_J9..rasmBYk8r9AiWNc"})
    EXPECT_EQ(parse_record(unknown).error().code, Code::unsupported) << unknown;
  for (const std::string_view malformed :
       {"$6$", "$6$salt", "$6$salt$short", "$5$salt$x", "$1$salt$x", "$y$j9T$salt$x", "$2b$10$short",
        "$argon2id$v=19$", "$argon2i$v=19$m=8",
        "$argon2id$v=16$m=64,t=1,p=1$c29tZXNhbHRzb21l$bQk8UB/VmZZF4Oo79iDXuL5", "muhur$argon2id$m=8"})
    EXPECT_EQ(parse_record(malformed).error().code, Code::invalid) << malformed;
}

TEST(PasswordRecord, CannotAskForEndlessWork) {
  const std::string hash86(86, 'a'), hash43(43, 'a');
  EXPECT_TRUE(parse_record("$6$rounds=5000$salt$" + hash86));
  EXPECT_FALSE(parse_record("$6$rounds=999999999$salt$" + hash86));
  EXPECT_FALSE(parse_record("$6$rounds=99999999999999$salt$" + hash86));
  EXPECT_FALSE(parse_record("$6$rounds=-1$salt$" + hash86));
  EXPECT_FALSE(parse_record("$5$rounds=999999999$salt$" + hash43));
  EXPECT_TRUE(parse_record("$y$j9T$salt$" + hash43));
  EXPECT_FALSE(parse_record("$y$jzT$salt$" + hash43));
  EXPECT_FALSE(parse_record("$y$j9z$salt$" + hash43));
  EXPECT_FALSE(parse_record("$y$j9T/////$salt$" + hash43));
  const std::string tail = "$c29tZXNhbHRzb21l$bQk8UB/VmZZF4Oo79iDXuL5/0ttZwg2f";
  EXPECT_TRUE(parse_record("$argon2id$v=19$m=65536,t=3,p=4" + tail));
  for (const std::string_view cost :
       {"m=4294967295,t=1,p=1", "m=64,t=400000,p=1", "m=64,t=0,p=1", "m=64,t=1,p=0", "m=64,t=1,p=999",
        "m=064,t=1,p=1", "m=8,t=1,p=2", "m=,t=1,p=1"})
    EXPECT_FALSE(parse_record("$argon2id$v=19$" + std::string(cost) + tail)) << cost;
}

TEST(PasswordRecord, EveryCutOneIsAnErrorAndNeverACrash) {
  for (const std::string& text :
       {crypted("a", "$6$rounds=1000$saltsalt"), crypted("a", "$1$salt"), crypted("a", "$5$saltsalt"),
        std::string(
            "$argon2id$v=19$m=256,t=2,p=2$c29tZXNhbHQ$bQk8UB/VmZZF4Oo79iDXuL5/0ttZwg2f/5U52iv1cDc")}) {
    ASSERT_TRUE(parse_record(text)) << text;
    for (std::size_t size = 0; size < text.size(); ++size) {
      const auto cut = parse_record(std::string_view(text).substr(0, size));
      if (text.starts_with("$argon2id") && cut) {  // its hash may be shorter: then it does not fit
        EXPECT_FALSE(*fits("password", text.substr(0, size)));
        continue;
      }
      EXPECT_FALSE(cut) << size;
    }
    EXPECT_FALSE(parse_record(text + "$"));
    EXPECT_FALSE(parse_record(text + "\n"));
  }
}

TEST(PasswordRecord, OnlyBcryptOfOneCostGoesTogether) {
  const auto key = [](const std::string& text) { return batch_key(*parse_record(text)); };
  const std::string salt_and_hash(53, '.');
  EXPECT_EQ(key("$2a$10$" + salt_and_hash), "bcrypt:10");
  EXPECT_EQ(key("$2b$10$" + salt_and_hash), key("$2y$10$" + salt_and_hash));
  EXPECT_NE(key("$2b$10$" + salt_and_hash), key("$2b$11$" + salt_and_hash));
  EXPECT_EQ(key("$6$salt$" + std::string(86, 'a')), "");
}

}  // namespace
}  // namespace muhur::passwords
