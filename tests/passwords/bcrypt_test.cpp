#include "passwords/bcrypt.hpp"

#include <crypt.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/encoding.hpp"
#include "base/random.hpp"
#include "passwords/pi_words.hpp"

namespace muhur::passwords {
namespace {

// What libxcrypt says. `password` ends at its first NUL, as in C.
std::string crypted(const std::string& password, const std::string& setting) {
  crypt_data data{};
  const char* text = crypt_r(password.c_str(), setting.c_str(), &data);
  return text == nullptr ? "" : text;
}

std::array<Byte, 16> random_salt() {
  std::array<Byte, 16> salt;
  fill_random(salt);
  return salt;
}

std::string setting_of(const BcryptRecord& record) { return to_text(record).substr(0, 29); }

struct Case {
  std::string password;
  BcryptRecord record;
};

// All of one cost, in one batch, each compared with libxcrypt.
void expect_equal(std::vector<Case> cases) {
  ASSERT_LE(cases.size(), kBcryptLanes);
  std::vector<BcryptJob> jobs;
  for (const Case& c : cases)
    jobs.push_back(
        {.password = as_bytes(c.password), .salt = &c.record.salt, .hash = {}, .minor = c.record.minor});
  bcrypt_batch(jobs, cases.front().record.cost);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    cases[i].record.hash = jobs[i].hash;
    ASSERT_EQ(to_text(cases[i].record), crypted(cases[i].password, setting_of(cases[i].record)))
        << "lane " << i << " of " << cases.size() << ", password " << to_hex(as_bytes(cases[i].password));
  }
}

std::string random_password(std::size_t size, Byte least, Byte most) {
  std::string password;
  for (std::size_t i = 0; i < size; ++i)
    password += static_cast<char>(least + random_below(std::uint64_t{most} - least + 1));
  return password;
}

// pi = 16 atan(1/5) - 4 atan(1/239) (Machin), as big-endian words: one of integer part, then the fraction.
using Words = std::vector<std::uint32_t>;

bool divide(Words& n, std::uint32_t by) {
  std::uint64_t rest = 0;
  bool any = false;
  for (auto& word : n) {
    rest = rest << 32 | word;
    word = static_cast<std::uint32_t>(rest / by);
    rest %= by;
    any |= word != 0;
  }
  return any;
}

void add(Words& to, const Words& n, bool minus) {
  std::int64_t carry = 0;
  for (std::size_t i = to.size(); i-- > 0;) {
    carry += std::int64_t{to[i]} + (minus ? -std::int64_t{n[i]} : std::int64_t{n[i]});
    to[i] = static_cast<std::uint32_t>(carry);
    carry >>= 32;
  }
}

void add_atan(Words& to, std::uint32_t factor, std::uint32_t x, bool minus) {
  Words power(to.size());
  power[0] = factor;
  divide(power, x);
  for (std::uint32_t n = 1;; n += 2, minus = !minus) {
    Words term = power;
    divide(term, n);
    add(to, term, minus);
    if (!divide(power, x * x)) return;
  }
}

TEST(Bcrypt, BeginsWithTheDigitsOfPi) {
  Words pi(1 + kPiWordCount + 2);  // two words for what rounding eats
  add_atan(pi, 16, 5, false);
  add_atan(pi, 4, 239, true);
  EXPECT_EQ(pi[0], 3U);
  for (std::size_t i = 0; i < kPiWordCount; ++i) ASSERT_EQ(kPiWords[i], pi[i + 1]) << i;
}

TEST(Bcrypt, IsCryptRForEveryLengthInEveryLane) {
  for (const char minor : {'a', 'b', 'y'}) {
    std::vector<Case> batch;
    for (std::size_t size = 0; size <= 80; ++size) {
      batch.push_back({random_password(size, 1, 255), {minor, 4, random_salt(), {}}});
      if (batch.size() == 1 + size % kBcryptLanes) {
        expect_equal(batch);
        batch.clear();
      }
    }
    while (batch.size() > kBcryptLanes) {
      expect_equal({batch.end() - 4, batch.end()});
      batch.resize(batch.size() - 4);
    }
    if (!batch.empty()) expect_equal(batch);
  }
}

TEST(Bcrypt, IsCryptRForThousandsOfRandomPasswords) {
  for (int round = 0; round < 600; ++round) {
    std::vector<Case> batch;
    for (std::size_t lane = 0; lane < 1 + random_below(kBcryptLanes); ++lane) {
      const Byte least = random_below(3) == 0 ? 0x80 : 1;
      batch.push_back(
          {random_password(random_below(81), least, 255), {"aby" [random_below(3)], 4, random_salt(), {}}});
    }
    expect_equal(batch);
  }
}

TEST(Bcrypt, IsCryptRWhereTheOldSignExtensionWouldNotHaveShown) {
  // 0xFF in front of a byte from 0x80: what the old code wrote there by mistake is what stands there anyway.
  std::vector<Case> batch;
  std::size_t different = 0;
  for (const std::string password : {"\xFF\xA3"
                                     "345",
                                     "\xFF\xFF\xFF\xA3", "\xFF\xFF", "\xFF", "\xA3",
                                     "\xA3"
                                     "ab",
                                     "\xFF\xA3"
                                     "34\xFF\xFF\xFF\xA3"
                                     "345",
                                     "1\xA3"
                                     "345",
                                     "\xFF\xFF\xA3", "\xFF\xA3\xA3", "\x80\x80\x80\x80", "a\xFF\xFF\xFF"}) {
    std::array<BcryptJob, 3> jobs;
    const auto salt = random_salt();
    for (std::size_t i = 0; i < 3; ++i)
      jobs[i] = {.password = as_bytes(password), .salt = &salt, .hash = {}, .minor = "aby"[i]};
    bcrypt_batch(jobs, 4);
    EXPECT_EQ(jobs[1].hash, jobs[2].hash);
    different += jobs[0].hash != jobs[1].hash;
    for (std::size_t i = 0; i < 3; ++i) expect_equal({{password, {"aby" [i], 4, salt, {}}}});
  }
  EXPECT_GT(different, 0U);  // else this test saw none of what it is for
}

TEST(Bcrypt, SearchesTheSignExtensionCasesAtRandom) {
  for (int round = 0; round < 400; ++round) {
    std::vector<Case> batch;
    for (std::size_t lane = 0; lane < kBcryptLanes; ++lane) {
      std::string password;
      for (std::size_t size = random_below(20); password.size() < size;)
        password +=
            "\xFF\xFF\xA3\x80"
            "a"[random_below(5)];
      batch.push_back({password, {'a', 4, random_salt(), {}}});
    }
    expect_equal(batch);
  }
}

TEST(Bcrypt, IsCryptRForHigherCosts) {
  for (const int cost : {5, 6, 7, 10})
    for (std::size_t lanes = 1; lanes <= kBcryptLanes; ++lanes) {
      std::vector<Case> batch;
      for (std::size_t i = 0; i < lanes; ++i)
        batch.push_back({random_password(12, 1, 255), {'b', cost, random_salt(), {}}});
      expect_equal(batch);
    }
}

TEST(Bcrypt, VerifiesPublishedVectors) {
  // From the test suites of OpenBSD's and Openwall's implementations.
  for (const auto& [password, text] : std::vector<std::pair<std::string, std::string>>{
           {"U*U", "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"},
           {"U*U*", "$2a$05$CCCCCCCCCCCCCCCCCCCCC.VGOzA784oUp/Z0DY336zx7pLYAy0lwK"},
           {"U*U*U", "$2a$05$XXXXXXXXXXXXXXXXXXXXXOAcXxm9kjPGEMsLznoKqmqw7tc8WCx4a"},
           {"\xA3", "$2a$05$/OK.fbVrR/bpIqNJ5ianF.Sa7shbm4.OzKpvFnX1pQLmQW96oUlCq"},
           {"\xFF\xFF\xA3", "$2y$05$/OK.fbVrR/bpIqNJ5ianF.CE5elHaaO4EbggVDjb8P19RukzXSM3e"}}) {
    const auto record = parse_bcrypt(text);
    ASSERT_TRUE(record) << text;
    BcryptJob job{.password = as_bytes(password), .salt = &record->salt, .hash = {}, .minor = record->minor};
    bcrypt_batch({&job, 1}, record->cost);
    EXPECT_EQ(job.hash, record->hash) << text;
  }
}

TEST(Bcrypt, ReadsSeventyTwoBytesAndStopsAtNul) {
  const auto salt = random_salt();
  const std::string long_one(72, 'x');
  std::array<BcryptJob, 4> jobs;
  const std::array<std::string, 4> passwords = {long_one, long_one + "tail", std::string("abc\0def", 7),
                                                "abc"};
  for (std::size_t i = 0; i < 4; ++i) jobs[i] = {.password = as_bytes(passwords[i]), .salt = &salt};
  bcrypt_batch(jobs, 4);
  EXPECT_EQ(jobs[0].hash, jobs[1].hash);
  EXPECT_EQ(jobs[2].hash, jobs[3].hash);
  EXPECT_NE(jobs[0].hash, jobs[2].hash);
}

TEST(Bcrypt, ANewRecordIsOneThatCryptAccepts) {
  const auto record = make_bcrypt(as_bytes("correct horse"), 4);
  ASSERT_TRUE(record);
  EXPECT_EQ(crypted("correct horse", to_text(*record)), to_text(*record));
  EXPECT_NE(make_bcrypt(as_bytes("correct horse"), 4)->salt, record->salt);
}

TEST(Bcrypt, Bug26And27NewRecordsDropNothingOfAPassword) {
  // Bytes behind the 72nd, or behind a NUL, would not count.
  EXPECT_TRUE(make_bcrypt(as_bytes(std::string(72, 'a')), 4));
  EXPECT_EQ(make_bcrypt(as_bytes(std::string(73, 'a')), 4).error().code, Code::invalid);
  EXPECT_EQ(make_bcrypt(as_bytes(std::string_view("a\0b", 3)), 4).error().code, Code::invalid);
  EXPECT_EQ(make_bcrypt(as_bytes("a"), 3).error().code, Code::invalid);
  EXPECT_EQ(make_bcrypt(as_bytes("a"), 32).error().code, Code::invalid);
}

TEST(Bcrypt, ARecordsTextReadsBackTheSame) {
  for (int i = 0; i < 200; ++i) {
    BcryptRecord record{"aby"[random_below(3)], static_cast<int>(4 + random_below(28)), random_salt(), {}};
    fill_random(record.hash);
    const auto back = parse_bcrypt(to_text(record));
    ASSERT_TRUE(back);
    EXPECT_EQ(*back, record);
  }
}

TEST(Bcrypt, EveryCutOrBentRecordIsRefused) {
  const std::string text = to_text({'b', 10, random_salt(), {}});
  for (std::size_t size = 0; size < text.size(); ++size)
    EXPECT_FALSE(parse_bcrypt(std::string_view(text).substr(0, size)));
  EXPECT_FALSE(parse_bcrypt(text + "."));
  for (std::size_t at = 0; at < text.size(); ++at) {
    std::string bent = text;
    bent[at] = '!';
    EXPECT_FALSE(parse_bcrypt(bent)) << at;
    bent[at] = '\0';
    EXPECT_FALSE(parse_bcrypt(bent)) << at;
  }
  for (const std::string_view cost : {"03", "32", "99", "1$", "+5", " 5"})
    EXPECT_FALSE(parse_bcrypt(std::string(text).replace(4, 2, cost))) << cost;
  // Bits that no byte has: one record, one text.
  EXPECT_FALSE(parse_bcrypt(std::string(text).replace(28, 1, "/")));
  EXPECT_FALSE(parse_bcrypt(std::string(text).replace(59, 1, "/")));
  EXPECT_FALSE(parse_bcrypt(std::string(text).replace(2, 1, "x")));
}

}  // namespace
}  // namespace muhur::passwords
