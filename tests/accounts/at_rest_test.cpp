#include <fstream>
#include <iterator>

#include "accounts/fixture.hpp"
#include "accounts/sign_in.hpp"

namespace muhur::accounts {
namespace {

class AtRest : public WithDirectory {
 protected:
  // The bytes of every file in the data directory, by name.
  std::map<std::string, std::string> files() const {
    std::map<std::string, std::string> all;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(data_)) {
      if (!entry.is_regular_file()) continue;
      std::ifstream in(entry.path(), std::ios::binary);
      all[entry.path().filename()] = std::string(std::istreambuf_iterator<char>(in), {});
    }
    return all;
  }
};

TEST_F(AtRest, NoFileHasAnAddressAPasswordARecoveryKeyOrTheMailboxKeyInIt) {
  const Secret dek = Secret::random(32);
  const Created made = add_user("unmistakable", "correct horse battery", dek);
  const std::string app =
      Credentials(*directory_, kQuick).add_app_password(made.user.id, "pocketphone", dek).value();
  SignIn sign_in(*directory_, kQuick);
  ASSERT_TRUE(
      sign_in.with_password("unmistakable@example.org", as_bytes("correct horse battery"), "192.0.2.77:1"));
  ASSERT_FALSE(sign_in.with_password("unmistakable@example.org", as_bytes("mistyped horse"), "192.0.2.77:1"));
  settle();
  std::string bare_key = made.recovery_key;
  std::erase(bare_key, '-');
  const auto search = [&](const char* when) {
    const auto all = files();
    ASSERT_GT(all.at("directory.db").size(), 0U);
    for (const auto& [name, bytes] : all)
      for (const std::string_view secret :
           {std::string_view("unmistakable"), std::string_view("example.org"),
            std::string_view("correct horse"), std::string_view("mistyped"), std::string_view("pocketphone"),
            std::string_view(made.recovery_key), std::string_view(bare_key), std::string_view(app),
            std::string_view("192.0.2.77"), std::string_view(made.user.mailbox_id),
            std::string_view("CREATE TABLE"), as_text(dek.view())})
        EXPECT_EQ(bytes.find(secret), std::string::npos) << when << ": " << name << " has " << secret;
  };
  EXPECT_GT(files().at("directory.db-wal").size(), 0U);
  search("while open");
  directory_.reset();
  search("after closing");
  reopen();
}

// What the test above trusts: that the search would find something.
TEST_F(AtRest, InsideTheRecordsAreThereButNoSecretIs) {
  const Secret dek = Secret::random(32);
  const Created made = add_user("unmistakable", "correct horse battery", dek);
  std::string dump;
  ASSERT_TRUE(directory_->database().read([&](vault::Connection& c) -> Result<void> {
    MUHUR_TRY(auto st, c.prepare("SELECT users.address || ' ' || record, wrap FROM credentials "
                                 "JOIN users ON users.id = user_id"));
    while (true) {
      MUHUR_TRY(const bool more, st.step());
      if (!more) return {};
      dump += st.text(0);
      dump += as_text(st.blob(1));
    }
  }));
  EXPECT_THAT(dump, testing::HasSubstr("unmistakable@example.org muhur$argon2id$"));
  EXPECT_THAT(dump, testing::Not(testing::HasSubstr("correct horse")));
  EXPECT_THAT(dump, testing::Not(testing::HasSubstr(made.recovery_key)));
  EXPECT_THAT(dump, testing::Not(testing::HasSubstr(std::string(dek.text()))));
}

}  // namespace
}  // namespace muhur::accounts
