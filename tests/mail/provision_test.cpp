// Users come and go with their mailbox: all or nothing, whatever crashes; one process at a time.

#include <fstream>

#include "mail/provision.hpp"
#include "office.hpp"

namespace muhur::mail {
namespace {

class ProvisionTest : public OfficeTest {
 protected:
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(data_.path() / "mail"))
      names.push_back(entry.path().filename().native());
    return names;
  }
  void reopen() {
    office_.reset();
    office_ = open_office(data_.path());
  }
};

TEST_F(ProvisionTest, ANewUserHasAMailboxWithTheUsualFolders) {
  const auto alice = add("alice");
  EXPECT_TRUE(std::filesystem::exists(data_.path() / "mail" / (alice.mailbox_id + ".db")));
  EXPECT_EQ(alice.sealing_public, sign_in("alice").value().mailbox->sealing_public_half().value());
  EXPECT_TRUE(sign_in("alice").value().mailbox->folder("Sent"));
  for (const auto& name : files()) EXPECT_FALSE(name.ends_with(".adding")) << name;
}

TEST_F(ProvisionTest, ATakenAddressAndAForeignDomainLeaveNoFiles) {
  add("alice");
  const auto before = files().size();
  const Secret secret = password();
  EXPECT_EQ(office_->add_user("Alice@example.org", secret).error().code, Code::exists);
  EXPECT_EQ(office_->add_user("x@elsewhere.org", secret).error().code, Code::not_found);
  EXPECT_EQ(office_->add_user("no address", secret).error().code, Code::invalid);
  EXPECT_EQ(files().size(), before);
}

TEST_F(ProvisionTest, ADeletedUserLeavesNothing) {
  const auto alice = add("alice");
  add("bob");
  ASSERT_TRUE(deliver("alice@example.org", letter("x")));
  std::vector<UserChange> told;
  const auto watch = office_->on_user_changed().listen([&](auto, auto change) { told.push_back(change); });
  ASSERT_TRUE(office_->delete_user(alice.id));
  EXPECT_EQ(told, std::vector{UserChange::deleted});
  for (const auto& name : files()) EXPECT_FALSE(name.starts_with(alice.mailbox_id)) << name;
  EXPECT_EQ(office_->spool().figures().value().deliveries, 0u);
  EXPECT_EQ(sign_in("alice").error().code, Code::denied);
  EXPECT_TRUE(sign_in("bob"));
  EXPECT_EQ(office_->delete_user(alice.id).error().code, Code::not_found);
  add("alice");  // the address is free again, with a mailbox of its own
  EXPECT_TRUE(messages(*sign_in("alice").value().mailbox).empty());
}

TEST_F(ProvisionTest, AnInterruptedCreationIsUndoneAtTheNextStart) {
  add("alice");
  const std::string id = random_hex(16);
  const auto mail = data_.path() / "mail";
  ASSERT_TRUE(MailboxFiles(mail).mark_adding(id));
  std::ofstream(mail / (id + ".db")) << "half a mailbox";
  std::ofstream(mail / (id + ".db-wal")) << "and its log";
  reopen();
  for (const auto& name : files()) EXPECT_FALSE(name.starts_with(id)) << name;
  EXPECT_TRUE(sign_in("alice"));
}

TEST_F(ProvisionTest, AMarkThatWasLeftBesideAWholeUserHarmsNothing) {
  const auto alice = add("alice");
  ASSERT_TRUE(deliver("alice@example.org", letter("kept")));
  for (const bool deleting : {false, true}) {
    MailboxFiles marks(data_.path() / "mail");
    ASSERT_TRUE(deleting ? marks.mark_deleting(alice.mailbox_id, alice.id)
                         : marks.mark_adding(alice.mailbox_id));
    reopen();
    EXPECT_EQ(messages(*sign_in("alice").value().mailbox).size(), 1u);
    for (const auto& name : files())
      EXPECT_NE(std::filesystem::path(name).extension(), deleting ? ".deleting" : ".adding");
  }
}

TEST_F(ProvisionTest, AnInterruptedDeletionIsFinishedAtTheNextStart) {
  const auto alice = add("alice");
  ASSERT_TRUE(deliver("alice@example.org", letter("x")));
  ASSERT_TRUE(MailboxFiles(data_.path() / "mail").mark_deleting(alice.mailbox_id, alice.id));
  ASSERT_TRUE(office_->users().remove(alice.id));
  reopen();
  for (const auto& name : files()) EXPECT_FALSE(name.starts_with(alice.mailbox_id)) << name;
  EXPECT_EQ(office_->spool().figures().value().deliveries, 0u);
}

TEST_F(ProvisionTest, AFileWithoutAMarkIsNeverDeleted) {
  // After the directory was restored from an older backup, mailboxes of newer users have no row in it.
  std::ofstream(data_.path() / "mail" / "0123456789abcdef.db") << "somebody's mail";
  reopen();
  EXPECT_TRUE(std::filesystem::exists(data_.path() / "mail" / "0123456789abcdef.db"));
}

TEST_F(ProvisionTest, TwoProcessesNeverShareADataDirectory) {
  const auto second = PostOffice::open(test_options(data_.path()));
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, Code::busy);
  EXPECT_NE(second.error().what.find(data_.path().native()), std::string::npos);
  EXPECT_FALSE(second.error().remedy.empty());
  office_.reset();
  EXPECT_TRUE(PostOffice::open(test_options(data_.path())));
}

}  // namespace
}  // namespace muhur::mail
