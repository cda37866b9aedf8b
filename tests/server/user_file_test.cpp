#include "server/user_file.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "passwords/verify.hpp"
#include "server/user_fields.hpp"

namespace muhur::server {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr std::string_view kBcrypt = "$2y$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW";

// The line's error, or nothing.
std::string trouble(const std::string& line) {
  const auto file = read_user_file(line);
  if (!file) return file.error().text();
  return file->bad.empty() ? "" : file->bad[0].error.text();
}

TEST(UserFile, ReadsOneObjectALine) {
  const auto file = read_user_file(fmt::format(
      "{{\"address\":\"ayse@example.org\",\"name\":\"Ayşe\",\"hash\":\"{{BLF-CRYPT}}{0}\",\"quota\":\"2GiB\","
      "\"admin\":true,\"disabled\":true,\"mailbox\":false}}\r\n\n"
      "  {{\"address\":\"bob@example.org\",\"hash\":\"{0}\",\"quota\":1000,\"name\":null}}  \n",
      kBcrypt));
  ASSERT_TRUE(file) << file.error().text();
  ASSERT_TRUE(file->bad.empty()) << file->bad[0].error.text();
  ASSERT_EQ(file->users.size(), 2U);
  const auto& ayse = file->users[0].user;
  EXPECT_EQ(ayse.address, "ayse@example.org");
  EXPECT_EQ(ayse.display_name, "Ayşe");
  EXPECT_EQ(ayse.record, kBcrypt);
  EXPECT_EQ(ayse.quota_bytes, 2LL << 30);
  EXPECT_TRUE(ayse.admin && ayse.disabled && !ayse.with_mailbox);
  const auto& bob = file->users[1].user;
  EXPECT_EQ(file->users[1].line, 3U);
  EXPECT_EQ(bob.quota_bytes, 1000);
  EXPECT_TRUE(!bob.admin && !bob.disabled && bob.with_mailbox);
}

TEST(UserFile, ReadsCsvByTheNamesOfItsHead) {
  const auto file = read_user_file(
      fmt::format("\xEF\xBB\xBFName,HASH,address,admin,mailbox,quota\r\n"
                  "\"Ay, \"\"A\"\" Ayşe\",{0},ayse@example.org,yes,no,none\r\n,{0},bob@example.org,,,\r\n",
                  kBcrypt));
  ASSERT_TRUE(file) << file.error().text();
  ASSERT_TRUE(file->bad.empty()) << file->bad[0].error.text();
  ASSERT_EQ(file->users.size(), 2U);
  EXPECT_EQ(file->users[0].user.display_name, "Ay, \"A\" Ayşe");
  EXPECT_TRUE(file->users[0].user.admin);
  EXPECT_FALSE(file->users[0].user.with_mailbox);
  EXPECT_TRUE(file->users[1].user.with_mailbox);
  EXPECT_EQ(file->users[1].line, 3U);
}

TEST(UserFile, NamesEachBadLineAndReadsTheRest) {
  const auto file =
      read_user_file(fmt::format("address,hash\na@example.org,{0}\nno address,{0}\n"
                                 "b@example.org,{{PLAIN}}geheim\nA@EXAMPLE.ORG,{0}\nshort\n"
                                 "c@example.org,{0}\n",
                                 kBcrypt));
  ASSERT_TRUE(file);
  std::vector<std::size_t> good, bad;
  for (const auto& one : file->users) good.push_back(one.line);
  for (const auto& one : file->bad) {
    bad.push_back(one.line);
    EXPECT_THAT(one.error.text(), Not(HasSubstr("geheim")));
  }
  EXPECT_THAT(good, ElementsAre(2, 7));
  EXPECT_THAT(bad, ElementsAre(3, 4, 5, 6));
  EXPECT_THAT(file->bad[2].error.text(), HasSubstr("line 2"));
}

TEST(UserFile, GuessesNothing) {
  const auto with = [](std::string_view member) {
    return fmt::format(R"({{"address":"a@example.org","hash":"{}",{}}})", kBcrypt, member);
  };
  EXPECT_EQ(trouble(with(R"("admin":false)")), "");
  EXPECT_THAT(trouble(with(R"("aliases":["b@example.org"])")), HasSubstr("aliases"));
  EXPECT_THAT(trouble(with(R"("admin":"yes")")), HasSubstr("admin"));
  EXPECT_THAT(trouble(with(R"("quota":-1)")), HasSubstr("quota"));
  EXPECT_THAT(trouble(with(R"("quota":"much")")), HasSubstr("much"));
  EXPECT_THAT(trouble(with(R"("name":"a\u0000b")")), HasSubstr("name"));
  EXPECT_THAT(trouble(with(R"("admin":true,"admin":false)")), Not(""));
  EXPECT_THAT(trouble(with("\"name\":\"" + std::string(201, 'a') + "\"")), HasSubstr("name"));
  EXPECT_THAT(trouble(R"({"address":"a@example.org"})"), HasSubstr("password record"));
  EXPECT_THAT(trouble("{\"address\":\n"), HasSubstr("JSON"));
  EXPECT_THAT(trouble("[{}]"), HasSubstr("jq"));
  EXPECT_THAT(trouble("address,hash,shoe_size\n"), HasSubstr("shoe_size"));
  EXPECT_THAT(trouble("address,address,hash\n"), HasSubstr("twice"));
  EXPECT_THAT(trouble("address,name\n"), HasSubstr("hash"));
  EXPECT_THAT(trouble("address,hash,admin\na@example.org,x,perhaps\n"), HasSubstr("true or false"));
  EXPECT_THAT(trouble(""), HasSubstr("no users"));
  EXPECT_THAT(trouble("\n \r\n\n"), HasSubstr("no users"));
}

TEST(UserFile, IsBounded) {
  const std::string deep = "{\"a\":" + std::string(5'000, '[') + std::string(5'000, ']') + "}";
  EXPECT_THAT(trouble(deep), HasSubstr("JSON"));
  EXPECT_THAT(trouble("{\"a\":\"" + std::string(70'000, 'a') + "\"}"), HasSubstr("64 KiB"));
  EXPECT_THAT(trouble("address,hash\n" + std::string(100, ',')), HasSubstr("64 fields"));
}

TEST(UserFile, AFileCutAnywhereIsNeverTakenForAnother) {
  const std::string text = fmt::format("address,hash,name\n\"a@example.org\",{},\"Ay, Ş\"\n", kBcrypt);
  for (std::size_t size = 0; size < text.size(); ++size) {
    const auto file = read_user_file(std::string_view(text).substr(0, size));
    if (!file) continue;
    for (const auto& one : file->users) {
      EXPECT_EQ(one.user.address, "a@example.org") << size;
      EXPECT_EQ(one.user.record, kBcrypt) << size;
    }
  }
}

TEST(UserFile, QuotesOfCsvAreStrict) {
  const auto fields = [](std::string_view line) {
    auto split = split_csv(line);
    return split ? *split : std::vector<std::string>{"refused"};
  };
  EXPECT_THAT(fields(R"(a,"b,c",,"d""e")"), ElementsAre("a", "b,c", "", "d\"e"));
  EXPECT_THAT(fields(""), ElementsAre(""));
  EXPECT_THAT(fields(","), ElementsAre("", ""));
  EXPECT_THAT(fields(R"("")"), ElementsAre(""));
  for (const char* bad : {R"("a)", R"(a"b)", R"("a"b)", R"(a,"b"")"})
    EXPECT_THAT(fields(bad), ElementsAre("refused")) << bad;
}

std::string keycloak(std::string_view algorithm, std::string_view version = "1.3") {
  // Argon2id of "password" with the salt "somesalt", as the reference implementation computes it
  // (m=65536, t=2, p=1), in the two texts of a realm export.
  return fmt::format(
      R"({{"id":"b1","username":"ayse","email":"ayse@example.org","firstName":"Ayşe","lastName":"Ay",)"
      R"("enabled":false,"requiredActions":[],"credentials":[{{"type":"otp","secretData":"{{}}"}},)"
      R"({{"type":"password","secretData":"{{\"value\":\"CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc=\",)"
      R"(\"salt\":\"c29tZXNhbHQ=\",\"additionalParameters\":{{}}}}",)"
      R"("credentialData":"{{\"hashIterations\":2,\"algorithm\":\"{}\",\"additionalParameters\":)"
      R"({{\"hashLength\":[\"32\"],\"memory\":[\"65536\"],\"type\":[\"id\"],\"version\":[\"{}\"],)"
      R"(\"parallelism\":[\"1\"]}}}}"}}]}})",
      algorithm, version);
}

TEST(UserFile, ReadsUsersOfAKeycloakExport) {
  const auto file = read_user_file(keycloak("argon2"));
  ASSERT_TRUE(file);
  ASSERT_TRUE(file->bad.empty()) << file->bad[0].error.text();
  const auto& user = file->users[0].user;
  EXPECT_EQ(user.address, "ayse@example.org");
  EXPECT_EQ(user.display_name, "Ayşe Ay");
  EXPECT_TRUE(user.disabled && user.with_mailbox);
  const auto record = passwords::parse_record(user.record).value();
  EXPECT_TRUE(passwords::verify_one(Secret::from_text("password"), record)->right);
  EXPECT_FALSE(passwords::verify_one(Secret::from_text("passwort"), record)->right);
  EXPECT_THAT(trouble(keycloak("pbkdf2-sha512")), HasSubstr("pbkdf2-sha512"));
  EXPECT_THAT(trouble(keycloak("argon2", "1.0")), HasSubstr("1.3"));
  EXPECT_THAT(trouble(R"({"email":"a@example.org","credentials":[]})"), HasSubstr("no password"));
  EXPECT_THAT(trouble(R"({"email":"a@example.org","credentials":7})"), HasSubstr("list"));
}

}  // namespace
}  // namespace muhur::server
