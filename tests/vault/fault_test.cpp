// Every call that reaches the disk fails in turn, once or from then on: what was acknowledged is kept, what
// was not is whole or absent, the error is clear, and the file goes on working when the disk does.
#include <atomic>
#include <latch>

#include "fixture.hpp"
#include "mailbox/mailbox.hpp"
#include "vault/backup.hpp"
#include "vault/fault_ledger.hpp"
#include "vault/fault_vfs.hpp"
#include "vault/maintenance.hpp"

namespace muhur::vault::testing {
namespace {

namespace fs = std::filesystem;

constexpr Migration kMigrations[] = {{1, "kept", kLedgerTable}};
constexpr std::uint64_t kMostCalls = 20'000;

struct How {
  Fault fault;
  bool lasting;
};
constexpr How kAll[] = {
    {Fault::io_error, false}, {Fault::io_error, true}, {Fault::disk_full, false}, {Fault::disk_full, true}};

class FaultTest : public VaultTest {
 protected:
  using Act = std::function<Result<void>(Ledger&)>;

  static Profile profile() {
    Profile small;
    small.page_size = 1024;
    small.cache_kib = 16;
    small.busy_timeout_ms = 200;
    small.wal_autocheckpoint = 10;
    return small;
  }
  OpenOptions opening(OpenMode mode, bool bare = false) const {
    return {.path = file(), .key = &key(), .mode = mode, .profile = profile(), .bare = bare};
  }
  static Result<void> make_table(Connection& db) {
    MUHUR_TRY(Transaction transaction, Transaction::begin(db));
    MUHUR_CHECK(db.exec(kLedgerTable));
    return transaction.commit();
  }
  // Sets 1 to `sets`, and holes that other rows left.
  void prepare(Ledger& ledger, int sets) {
    const auto db = Connection::open(opening(OpenMode::create));
    ASSERT_TRUE(ok(db));
    ASSERT_TRUE(ok(make_table(**db)));
    for (int i = 1; i <= sets; ++i) ASSERT_TRUE(ok(ledger.put(**db, i)));
    ASSERT_TRUE(
        ok((*db)->exec("CREATE TABLE filler(body); INSERT INTO filler SELECT zeroblob(900) FROM kept;"
                       "DELETE FROM filler WHERE rowid % 2")));
  }

  // The error names a file and says what to do; an I/O error is not taken for a wrong key or for damage. Only
  // a check of a whole file may do that: SQLite's integrity_check lists a page that it could not read as a
  // finding.
  ::testing::AssertionResult is_clear(const Error& error, Fault fault) const {
    if (error.what.find("does not verify") != std::string::npos && fault == Fault::io_error)
      return ::testing::AssertionSuccess();
    const bool right = fault == Fault::disk_full ? error.code == Code::no_space
                                                 : error.code == Code::io || error.code == Code::busy ||
                                                       error.code == Code::not_found;
    const bool names = error.what.find(directory_.string()) != std::string::npos;
    if (right && names && !error.remedy.empty()) return ::testing::AssertionSuccess();
    return ::testing::AssertionFailure() << muhur::name_of(error.code) << ": " << error.text();
  }

  // Without faults: all promises kept, and it can be written.
  std::string wrong_afterwards(Ledger ledger) {
    auto db = Connection::open(opening(OpenMode::create));
    if (!db) return db.error().text();
    if (std::string wrong = ledger.broken(**db); !wrong.empty()) return wrong;
    const auto tables = (*db)->query_int("SELECT count(*) FROM sqlite_schema WHERE name = 'kept'");
    Result<void> done = !tables   ? std::unexpected(tables.error())
                        : *tables ? Result<void>()
                                  : make_table(**db);
    if (done) done = ledger.put(**db, 9999);
    return done ? ledger.broken(**db) : done.error().text();
  }

  void save() {
    fs::create_directories(saved_);
    for (const auto& entry : fs::directory_iterator(directory_))
      if (entry.is_regular_file()) fs::copy_file(entry.path(), saved_ / entry.path().filename());
  }
  void restore() {
    for (const auto& entry : fs::directory_iterator(directory_))
      if (entry.is_regular_file()) fs::remove(entry.path());
    for (const auto& entry : fs::directory_iterator(saved_))
      fs::copy_file(entry.path(), directory_ / entry.path().filename());
  }

  // Runs `act` with the first call failing, then the second, and so on until none is left to fail.
  void fail_each(const Ledger& before, const Act& act,
                 const std::function<void(const Result<void>&)>& look = {}) {
    save();
    for (const How& how : kAll) {
      std::uint64_t n = 1;
      for (; n < kMostCalls; ++n) {
        SCOPED_TRACE(fmt::format("call {}, {}, {}", n,
                                 how.fault == Fault::io_error ? "I/O error" : "disk full",
                                 how.lasting ? "lasting" : "once"));
        restore();
        Ledger ledger = before;
        begin_faults(how.fault, n, how.lasting);
        const Result<void> outcome = act(ledger);
        const bool struck = end_faults() > 0;
        if (!outcome) {
          EXPECT_TRUE(struck);
          EXPECT_TRUE(is_clear(outcome.error(), how.fault));
        }
        if (look) look(outcome);
        EXPECT_EQ(wrong_afterwards(ledger), "");
        if (HasFailure() || !struck) break;
      }
      if (HasFailure()) return;
      EXPECT_GT(n, 3U);  // something was struck
      EXPECT_LT(n, kMostCalls);
    }
  }

  const fs::path saved_ = directory_ / "saved";
};

TEST_F(FaultTest, CreatingADatabaseAndInserting) {
  fail_each({}, [&](Ledger& ledger) -> Result<void> {
    MUHUR_TRY(const auto db, Connection::open(opening(OpenMode::create)));
    MUHUR_CHECK(make_table(*db));
    for (int i = 1; i <= 4; ++i) MUHUR_CHECK(ledger.put(*db, i));
    return {};
  });
}

TEST_F(FaultTest, UpdatingThroughTheWal) {
  Ledger before;
  prepare(before, 12);
  fail_each(before, [&](Ledger& ledger) -> Result<void> {
    MUHUR_TRY(const auto db, Connection::open(opening(OpenMode::read_write)));
    for (int i = 2; i <= 8; i += 2) MUHUR_CHECK(ledger.put(*db, i, 2));
    return ledger.put(*db, 13);
  });
}

TEST_F(FaultTest, ATransactionThatSpillsIntoTheWal) {
  Ledger before;
  prepare(before, 12);
  fail_each(before, [&](Ledger& ledger) -> Result<void> {
    MUHUR_TRY(const auto db, Connection::open(opening(OpenMode::read_write)));
    for (int i = 1; i <= 12; ++i) ledger.attempt(i, 2);
    MUHUR_TRY(Transaction transaction, Transaction::begin(*db));
    for (int i = 1; i <= 12; ++i) MUHUR_CHECK(Ledger::write(*db, i, 2));
    MUHUR_CHECK(transaction.commit());
    for (int i = 1; i <= 12; ++i) ledger.acknowledge(i);
    return {};
  });
}

TEST_F(FaultTest, GoingOnAfterTheFirstErrorOnTheSameConnection) {
  Ledger before;
  prepare(before, 6);
  fail_each(before, [&](Ledger& ledger) -> Result<void> {
    MUHUR_TRY(const auto db, Connection::open(opening(OpenMode::read_write)));
    Result<void> first;
    for (int i = 1; i <= 6; ++i)
      if (auto done = ledger.put(*db, i, 2); !done && first) first = done;
    end_faults();
    if (first) return ledger.put(*db, 7);
    const auto again = ledger.put(*db, 7);
    EXPECT_TRUE(ok(again));
    EXPECT_EQ(ledger.broken(*db), "");
    return first;
  });
}

TEST_F(FaultTest, Checkpointing) {
  Ledger before;
  prepare(before, 6);
  fail_each(before, [&](Ledger& ledger) -> Result<void> {
    MUHUR_TRY(const auto db, Connection::open(opening(OpenMode::read_write)));
    MUHUR_CHECK(db->exec("PRAGMA wal_autocheckpoint=0"));
    for (int i = 1; i <= 4; ++i) MUHUR_CHECK(ledger.put(*db, i, 2));
    MUHUR_CHECK(db->exec("PRAGMA wal_checkpoint(PASSIVE)"));
    MUHUR_CHECK(ledger.put(*db, 5, 2));
    MUHUR_CHECK(db->exec("PRAGMA wal_checkpoint(TRUNCATE)"));
    return ledger.put(*db, 6, 2);
  });
}

TEST_F(FaultTest, ARollbackJournal) {
  Ledger before;
  {
    const auto db = Connection::open(opening(OpenMode::create, true));
    ASSERT_TRUE(ok(db));
    ASSERT_TRUE(ok((*db)->exec("PRAGMA page_size=1024; PRAGMA auto_vacuum=1; PRAGMA secure_delete=1")));
    ASSERT_TRUE(ok(make_table(**db)));
    for (int i = 1; i <= 12; ++i) ASSERT_TRUE(ok(before.put(**db, i)));
  }
  fail_each(before, [&](Ledger& ledger) -> Result<void> {
    MUHUR_TRY(const auto db, Connection::open(opening(OpenMode::read_write, true)));
    MUHUR_CHECK(db->exec("PRAGMA secure_delete=1; PRAGMA synchronous=FULL; PRAGMA cache_size=5"));
    for (int i = 1; i <= 12; ++i) ledger.attempt(i, 2);
    MUHUR_TRY(Transaction transaction, Transaction::begin(*db));
    for (int i = 1; i <= 12; ++i) MUHUR_CHECK(Ledger::write(*db, i, 2));
    MUHUR_CHECK(transaction.commit());
    for (int i = 1; i <= 12; ++i) ledger.acknowledge(i);
    return ledger.put(*db, 13);
  });
}

TEST_F(FaultTest, Vacuuming) {
  Ledger before;
  prepare(before, 12);
  fail_each(before, [&](Ledger& ledger) -> Result<void> {
    MUHUR_TRY(const auto db, Connection::open(opening(OpenMode::read_write)));
    MUHUR_CHECK(db->exec("VACUUM"));
    return ledger.put(*db, 1, 2);
  });
}

TEST_F(FaultTest, GivingPagesBack) {
  Ledger before;
  prepare(before, 12);
  fail_each(before, [&](Ledger& ledger) -> Result<void> {
    MUHUR_TRY(const auto db, Connection::open(opening(OpenMode::read_write)));
    MUHUR_CHECK(db->exec("PRAGMA incremental_vacuum(20)"));
    return ledger.put(*db, 1, 2);
  });
}

TEST_F(FaultTest, CreatingAnIndexThatSpillsToTempFiles) {
  Ledger before;
  prepare(before, 14);
  fail_each(before, [&](Ledger& ledger) -> Result<void> {
    MUHUR_TRY(const auto db, Connection::open(opening(OpenMode::read_write)));
    MUHUR_CHECK(db->exec("CREATE INDEX kept_by_body ON kept(body, id)"));
    return ledger.put(*db, 1, 2);
  });
}

TEST_F(FaultTest, BackingUp) {
  Ledger before;
  prepare(before, 8);
  const auto copy = file("copy.db");
  fail_each(
      before,
      [&](Ledger&) -> Result<void> {
        MUHUR_TRY(const auto db, Connection::open(opening(OpenMode::read_write)));
        MUHUR_TRY([[maybe_unused]] const auto report,
                  backup(*db, {.path = copy, .key = &key(), .pages_per_step = 8}));
        return {};
      },
      [&](const Result<void>& outcome) {
        EXPECT_FALSE(fs::exists(copy.string() + ".part"));
        EXPECT_EQ(fs::exists(copy), outcome.has_value());
        if (!outcome) return;
        const auto db = Connection::open({.path = copy, .key = &key(), .bare = true});
        ASSERT_TRUE(ok(db));
        EXPECT_EQ(before.broken(**db), "");
      });
}

// Works of several callers in one commit: each is told its own outcome, and the database works again as soon
// as the disk does.
TEST_F(FaultTest, GroupCommit) {
  fail_each({}, [&](Ledger& ledger) -> Result<void> {
    MUHUR_TRY(const auto db, Database::open({.open = opening(OpenMode::create), .migrations = kMigrations}));
    constexpr int kWorks = 8;
    Mutex mutex;
    Result<void> first;
    std::latch all(kWorks);
    for (int i = 1; i <= kWorks; ++i) {
      ledger.attempt(i, 1);
      db->write_async([i](Connection& c) { return Ledger::write(c, i, 1); },
                      [&, i](Result<void> outcome) {
                        if (outcome) {
                          ledger.acknowledge(i);
                        } else {
                          const Lock lock(mutex);
                          if (first) first = std::move(outcome);
                        }
                        all.count_down();
                      });
    }
    all.wait();
    if (const auto done = checkpoint(*db, false); !done && first) first = std::unexpected(done.error());
    end_faults();
    if (first) return first;
    ledger.attempt(kWorks + 1, 1);
    const auto again = db->write([&](Connection& c) { return Ledger::write(c, kWorks + 1, 1); });
    EXPECT_TRUE(ok(again));
    if (again) ledger.acknowledge(kWorks + 1);
    return again;
  });
}

class MailboxFaultTest : public FaultTest {
 protected:
  static std::string message(int number) {
    return fmt::format("Subject: {}\r\n\r\n", number) + std::string(3000, static_cast<char>('a' + number)) +
           "\r\n";
  }
  Result<std::shared_ptr<mailbox::Mailbox>> open_mailbox(bool create) const {
    return mailbox::Mailbox::open({.path = file(), .key = &key(), .create = create, .profile = profile()});
  }
  static Result<void> append(mailbox::Mailbox& box, int number) {
    MUHUR_TRY(const auto inbox, box.folder("INBOX"));
    MUHUR_TRY([[maybe_unused]] const auto appended,
              box.append({.folder = inbox.id, .message = message(number)}));
    return {};
  }
  // The messages in INBOX, by their text; an error's text when something is wrong.
  static Result<std::vector<std::string>> contents(mailbox::Mailbox& box) {
    std::vector<std::string> texts;
    MUHUR_TRY(const auto inbox, box.folder("INBOX"));
    MUHUR_TRY(const auto listed, box.list(inbox.id));
    for (const auto& row : listed.changed) {
      MUHUR_TRY(auto content, box.content(row.email));
      MUHUR_TRY(std::string text, content.all());
      texts.push_back(std::move(text));
    }
    return texts;
  }
};

TEST_F(MailboxFaultTest, AppendingToAMailbox) {
  {
    const auto box = open_mailbox(true);
    ASSERT_TRUE(ok(box));
    ASSERT_TRUE(ok(append(**box, 0)));
  }
  save();
  for (const How& how : kAll) {
    for (std::uint64_t n = 1;; ++n) {
      SCOPED_TRACE(fmt::format("call {}, fault {}, lasting {}", n, static_cast<int>(how.fault), how.lasting));
      ASSERT_LT(n, kMostCalls);
      restore();
      std::vector<std::string> promised{message(0)}, attempted = promised;
      Result<void> outcome;
      begin_faults(how.fault, n, how.lasting);
      if (auto box = open_mailbox(false); !box) {
        outcome = std::unexpected(box.error());
      } else {
        for (int i = 1; i <= 2; ++i) {
          attempted.push_back(message(i));
          if (auto done = append(**box, i); done)
            promised.push_back(message(i));
          else if (outcome)
            outcome = done;
        }
      }
      const bool struck = end_faults() > 0;
      if (!outcome) {
        EXPECT_TRUE(struck);
        EXPECT_TRUE(is_clear(outcome.error(), how.fault));
      }
      const auto box = open_mailbox(false);
      ASSERT_TRUE(ok(box));
      const auto found = contents(**box);
      ASSERT_TRUE(ok(found));
      EXPECT_TRUE(std::ranges::includes(*found, promised));
      EXPECT_TRUE(std::ranges::includes(attempted, *found));
      const auto sound =
          (*box)->database().read([](Connection& c) { return c.query_text("PRAGMA integrity_check"); });
      ASSERT_TRUE(ok(sound));
      EXPECT_EQ(*sound, "ok");
      if (HasFailure()) return;
      if (!struck) break;
    }
  }
}

}  // namespace
}  // namespace muhur::vault::testing
