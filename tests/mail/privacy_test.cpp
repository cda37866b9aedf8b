// Mail of somebody who is away cannot be read, with everything that is on the disk and server.key as well.

#include <fstream>
#include <sstream>

#include "accounts/directory.hpp"
#include "base/encoding.hpp"
#include "office.hpp"

namespace muhur::mail {
namespace {

class PrivacyTest : public OfficeTest {
 protected:
  // Every value of every table of spool.db, decrypted with the server's key.
  std::string spool_contents() {
    std::string all;
    const auto dumped = office_->spool().database().read([&](vault::Connection& db) -> Result<void> {
      for (const std::string_view sql :
           {"SELECT sealed FROM bodies", "SELECT head FROM deliveries", "SELECT delivery_id FROM deliveries",
            "SELECT reason FROM held", "SELECT digest FROM unconfirmed", "SELECT sql FROM sqlite_schema"}) {
        MUHUR_TRY(auto st, db.prepare(sql));
        while (true) {
          MUHUR_TRY(const bool row, st.step());
          if (!row) break;
          all += as_text(st.blob(0));
        }
      }
      return {};
    });
    EXPECT_TRUE(dumped) << dumped.error().text();
    return all;
  }
  std::string files() {
    std::string all;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(data_.path())) {
      all += entry.path().filename().native();
      if (!entry.is_regular_file()) continue;
      std::ostringstream text;
      text << std::ifstream(entry.path(), std::ios::binary).rdbuf();
      all += text.str();
    }
    return all;
  }
};

TEST_F(PrivacyTest, NothingOfAWaitingMessageIsReadable) {
  add("alice");
  const std::string marker = "Zebrafinkenfutter";
  const std::string message =
      "From: " + marker + "@example.net\r\nSubject: " + marker + "\r\n\r\n" + marker + "\r\n";
  ASSERT_TRUE(deliver("alice+" + marker + "@example.org", message, marker + "@example.net"));
  const std::string contents = spool_contents(), raw = files();
  EXPECT_GT(contents.size(), message.size());
  for (const std::string& form :
       {marker, to_hex(as_bytes(marker)), to_base64(as_bytes(marker)).substr(0, 20)}) {
    EXPECT_EQ(contents.find(form), std::string::npos) << form;
    EXPECT_EQ(raw.find(form), std::string::npos) << form;
  }
  // The same look does find what is there to be found.
  EXPECT_NE(contents.find("CREATE TABLE bodies"), std::string::npos);
  EXPECT_EQ(raw.find("CREATE TABLE bodies"), std::string::npos);
  EXPECT_NE(messages(*sign_in("alice").value().mailbox)[0].find(marker), std::string::npos);
}

TEST_F(PrivacyTest, AfterTheDrainTheSpoolHasForgottenTheMessage) {
  add("alice");
  ASSERT_TRUE(deliver("alice@example.org", letter("x")));
  ASSERT_TRUE(sign_in("alice"));
  const auto figures = office_->spool().figures().value();
  EXPECT_EQ(figures.deliveries, 0u);
  EXPECT_EQ(office_->spool()
                .database()
                .read([](vault::Connection& db) { return db.query_int("SELECT COUNT(*) FROM bodies"); })
                .value(),
            0);
}

TEST_F(PrivacyTest, TheSpoolDoesNotOpenWithAnotherServersKey) {
  add("alice");
  ASSERT_TRUE(deliver("alice@example.org", letter("x")));
  office_.reset();
  const auto key = data_.path() / "server.key";
  std::filesystem::remove(key);
  ASSERT_TRUE(accounts::create_server_key(key));
  EXPECT_EQ(PostOffice::open(test_options(data_.path())).error().code, Code::denied);
}

}  // namespace
}  // namespace muhur::mail
