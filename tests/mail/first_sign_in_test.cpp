// Imported users in the mail system: no mailbox before the first sign-in, one and the same after it.
#include <fstream>
#include <thread>

#include "mail/mailbox_files.hpp"
#include "office.hpp"
#include "passwords/bcrypt.hpp"

namespace muhur::mail {
namespace {

class ImportedUserTest : public OfficeTest {
 protected:
  void import(const std::string& name, bool with_mailbox = true, bool admin = false) {
    const auto record = passwords::make_bcrypt(password().view(), 4).value();
    ASSERT_TRUE(office_->credentials().import_users({{.address = name + "@example.org",
                                                      .display_name = "",
                                                      .record = passwords::to_text(record),
                                                      .with_mailbox = with_mailbox,
                                                      .admin = admin}}));
  }
  Code refusal(const std::string& address) {
    return office_->accept_recipient_blocking(address, 0).error().code;
  }
  std::size_t files() const {
    std::size_t count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(data_.path() / "mail"))
      count += entry.path().extension() == ".db" || entry.path().extension() == ".adding";
    return count;
  }
};

TEST_F(ImportedUserTest, MailWaitsOutsideUntilTheMailboxIsThere) {
  import("eski");
  EXPECT_EQ(refusal("eski@example.org"), Code::busy);
  EXPECT_EQ(refusal("eski+lists@example.org"), Code::busy);
  EXPECT_EQ(files(), 0U);
  {
    const auto session = sign_in("eski");
    ASSERT_TRUE(session) << session.error().text();
    EXPECT_TRUE(session->mailbox->folder("Sent"));
    EXPECT_EQ(files(), 1U);
    ASSERT_TRUE(deliver("eski@example.org", letter("while there")));
    until_drained(session->user.id);
  }
  office_.reset();
  office_ = open_office(data_.path());
  ASSERT_TRUE(deliver("eski@example.org", letter("while away")));
  const auto session = sign_in("eski");
  ASSERT_TRUE(session) << session.error().text();
  EXPECT_EQ(messages(*session->mailbox).size(), 2U);
  EXPECT_EQ(files(), 1U);
}

TEST_F(ImportedUserTest, TwentyFirstSignInsAtOnceShareOneMailbox) {
  import("eski");
  std::vector<std::optional<Session>> got(20);
  {
    std::vector<std::jthread> threads;
    for (auto& one : got)
      threads.emplace_back([&] {
        if (auto session = sign_in("eski")) one = std::move(*session);
      });
  }
  EXPECT_EQ(files(), 1U);
  for (const auto& one : got) {
    ASSERT_TRUE(one);
    EXPECT_EQ(one->mailbox, got[0]->mailbox);
  }
}

TEST_F(ImportedUserTest, AnIdentityWithoutMailNeverGetsAMailbox) {
  // Accounts of benches: a sign-in proves who they are, and that is all.
  import("bench", false);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(sign_in("bench").error().code, Code::denied);
    EXPECT_EQ(refusal("bench@example.org"), Code::not_found);
  }
  EXPECT_EQ(files(), 0U);
}

TEST_F(ImportedUserTest, ACrashBeforeTheDirectoryKnowsTheMailboxLeavesNothingBehind) {
  import("eski");
  const std::string id = random_hex(16);
  ASSERT_TRUE(MailboxFiles(data_.path() / "mail").mark_adding(id));
  std::ofstream(data_.path() / "mail" / (id + ".db")) << "a mailbox whose key is gone";
  office_.reset();
  office_ = open_office(data_.path());
  EXPECT_EQ(files(), 0U);
  EXPECT_TRUE(sign_in("eski"));
}

TEST_F(ImportedUserTest, PostmastersMailGoesToAnAdministratorWhoCanHaveIt) {
  import("boss", true, true);
  EXPECT_EQ(refusal("postmaster@example.org"), Code::not_found);
  add("second", 0, true);
  EXPECT_EQ(recipient("postmaster@example.org").user.address, "second@example.org");
}

TEST_F(ImportedUserTest, MayBeDeletedBeforeTheFirstSignIn) {
  import("eski");
  const auto user = office_->users().by_address("eski@example.org").value();
  ASSERT_TRUE(office_->delete_user(user.id));
  EXPECT_EQ(refusal("eski@example.org"), Code::not_found);
  EXPECT_EQ(sign_in("eski").error().code, Code::denied);
}

TEST_F(ImportedUserTest, APasswordChangeAsTheFirstSignInMakesTheMailboxToo) {
  import("eski");
  const Secret fresh = Secret::from_text("another horse");
  const Secret old = password();
  ASSERT_TRUE(office_->change_password("eski@example.org", old.view(), fresh, "192.0.2.1"));
  EXPECT_EQ(files(), 1U);
  EXPECT_TRUE(office_->sign_in_blocking("eski@example.org", fresh.view(), "192.0.2.1"));
  EXPECT_EQ(sign_in("eski").error().code, Code::denied);
}

}  // namespace
}  // namespace muhur::mail
