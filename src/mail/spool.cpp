// spool.db (encrypted as a whole under a key derived from server.key):
//
//   bodies      one message, whatever the number of its recipients; goes with its last delivery
//   deliveries  one message for one user; `head` opens the body, for that user only
//   held        deliveries that could not be moved into their mailbox, and why
//   unconfirmed receipts whose reply may be lost: keyed digest of sender, user, address and bytes
//   usage       the size of each user's mailbox when it was last open
//
// A delivery leaves only after the mailbox has committed it; the mailbox remembers delivery_id, so a crash
// between the two moves nothing twice.
#include "mail/spool.hpp"

#include "base/metrics.hpp"
#include "base/random.hpp"

namespace muhur::mail {
namespace {

constexpr vault::Migration kMigrations[] = {{1, "spool", R"(
CREATE TABLE bodies(
  id INTEGER PRIMARY KEY,
  size INTEGER NOT NULL,
  sealed BLOB NOT NULL
) STRICT;
CREATE TABLE deliveries(
  id INTEGER PRIMARY KEY,
  user_id INTEGER NOT NULL,
  body_id INTEGER NOT NULL REFERENCES bodies(id),
  received_ms INTEGER NOT NULL,
  size INTEGER NOT NULL,
  delivery_id TEXT NOT NULL,
  head BLOB NOT NULL
) STRICT;
CREATE INDEX deliveries_of_user ON deliveries(user_id, id, size);
CREATE INDEX deliveries_of_body ON deliveries(body_id);
CREATE TABLE held(
  delivery INTEGER PRIMARY KEY,
  user_id INTEGER NOT NULL,
  held_ms INTEGER NOT NULL,
  reason TEXT NOT NULL
) STRICT;
CREATE TABLE unconfirmed(
  receipt INTEGER PRIMARY KEY,
  received_ms INTEGER NOT NULL,
  user_id INTEGER NOT NULL,
  digest BLOB NOT NULL UNIQUE
) STRICT;
CREATE TABLE usage(
  user_id INTEGER PRIMARY KEY,
  bytes INTEGER NOT NULL
) STRICT;
)"}};

Receipt new_receipt() { return static_cast<Receipt>(random_u64() >> 1 | 1); }

Result<std::int64_t> int_or_zero(vault::Connection& db, std::string_view sql, std::int64_t argument) {
  MUHUR_TRY(auto st, db.prepare(sql));
  st.bind(argument);
  MUHUR_TRY(const bool row, st.step());
  return row ? st.int64(0) : 0;
}

Result<std::uint64_t> waiting_in(vault::Connection& db, accounts::UserId user) {
  MUHUR_TRY(const auto sum, int_or_zero(db, "SELECT TOTAL(size) FROM deliveries WHERE user_id = ?", user));
  return static_cast<std::uint64_t>(sum);
}

Result<std::uint64_t> noted_in(vault::Connection& db, accounts::UserId user) {
  MUHUR_TRY(const auto bytes, int_or_zero(db, "SELECT bytes FROM usage WHERE user_id = ?", user));
  return static_cast<std::uint64_t>(bytes);
}

}  // namespace

Result<std::unique_ptr<Spool>> Spool::open(SpoolOptions options) {
  vault::DatabaseOptions database;
  database.open.path = options.path;
  database.open.key = options.key;
  database.open.mode = vault::OpenMode::create;
  database.open.profile.durability = vault::Durability::full;
  database.migrations = kMigrations;
  database.copy_before_migrating = true;
  database.executor = options.executor;
  database.metrics_label = "spool";
  MUHUR_TRY(auto opened, vault::Database::open(std::move(database)));
  return std::unique_ptr<Spool>(new Spool(std::move(opened), *options.clock));
}

void Incoming::fail_all(const Error& error) {
  for (auto& one : to) {
    one.stored = false;
    if (one.outcome) one.outcome = std::unexpected(error);
  }
}

Spool::~Spool() { (void)sweep(); }

void Spool::put_async(std::shared_ptr<Incoming> incoming, std::function<void()> done) {
  database_->write_async([this, incoming](vault::Connection& db) { return write(db, *incoming); },
                         [incoming, done = std::move(done)](Result<void> outcome) {
                           if (!outcome) incoming->fail_all(outcome.error());
                           done();
                         });
}

void Spool::put(Incoming& incoming) {
  const auto outcome = database_->write([&](vault::Connection& db) { return write(db, incoming); });
  if (!outcome) incoming.fail_all(outcome.error());
}

Result<void> Spool::write(vault::Connection& db, Incoming& incoming) {
  static auto& accepted =
      metrics::counter("muhur_spool_deliveries_total", "Messages accepted, one a recipient");
  static auto& repeated = metrics::counter("muhur_spool_repeated_total", "Deliveries recognised as repeated");
  MUHUR_CHECK(write_confirmations(db));
  const std::int64_t now = clock_.now_ms();
  std::int64_t body = 0;
  for (auto& to : incoming.to) {
    if (!to.outcome) continue;
    MUHUR_TRY(auto known, db.prepare("SELECT receipt FROM unconfirmed WHERE digest = ?"));
    known.bind(ByteView(to.digest));
    MUHUR_TRY(const bool seen, known.step());
    if (seen) {
      repeated.add();
      to.outcome = known.int64(0);
      continue;
    }
    if (to.quota > 0) {
      MUHUR_TRY(const auto waits, waiting_in(db, to.user));
      // A drain that ended meanwhile moved bytes from what waits to what is used: then its note is newer.
      MUHUR_TRY(const auto noted, noted_in(db, to.user));
      const auto used = noted == to.used.noted ? to.used.seen : noted;
      if (used + waits + incoming.size > to.quota) {
        to.outcome = fail(Code::quota, "the mailbox is full");
        continue;
      }
    }
    if (body == 0) {
      MUHUR_CHECK(db.run("INSERT INTO bodies(size, sealed) VALUES(?, ?)", incoming.size, incoming.body));
      body = db.last_insert_id();
    }
    MUHUR_CHECK(
        db.run("INSERT INTO deliveries(user_id, body_id, received_ms, size, delivery_id, head) "
               "VALUES(?, ?, ?, ?, ?, ?)",
               to.user, body, now, incoming.size, random_hex(16), to.head));
    const Receipt receipt = new_receipt();
    MUHUR_CHECK(db.run("INSERT INTO unconfirmed(receipt, received_ms, user_id, digest) VALUES(?, ?, ?, ?)",
                       receipt, now, to.user, ByteView(to.digest)));
    to.outcome = receipt;
    to.stored = true;
    accepted.add();
  }
  return {};
}

void Spool::confirm(std::span<const Receipt> receipts) {
  const Lock lock(mutex_);
  confirmed_.insert(confirmed_.end(), receipts.begin(), receipts.end());
}

// Confirmations ride in the next transaction instead of paying for one of their own. A crash that loses some
// only makes an exact repetition within kRemembered look like the first.
Result<void> Spool::write_confirmations(vault::Connection& db) {
  std::vector<Receipt> receipts;
  {
    const Lock lock(mutex_);
    receipts.swap(confirmed_);
  }
  for (const Receipt receipt : receipts)
    MUHUR_CHECK(db.run("DELETE FROM unconfirmed WHERE receipt = ?", receipt));
  return {};
}

Result<std::vector<Waiting>> Spool::oldest(accounts::UserId user, std::size_t max_count,
                                           std::uint64_t max_bytes) {
  std::vector<std::int64_t> ids, damaged;
  std::vector<Waiting> found;
  MUHUR_CHECK(database_->read([&](vault::Connection& db) -> Result<void> {
    MUHUR_TRY(auto st, db.prepare("SELECT id, size FROM deliveries WHERE user_id = ? AND id NOT IN "
                                  "(SELECT delivery FROM held) ORDER BY id LIMIT ?"));
    st.bind(user, max_count);
    std::uint64_t bytes = 0;
    while (true) {
      MUHUR_TRY(const bool row, st.step());
      if (!row) break;
      bytes += st.as<std::uint64_t>(1);
      if (!ids.empty() && bytes > max_bytes) break;
      ids.push_back(st.int64(0));
    }
    return {};
  }));
  for (const auto id : ids) {
    auto one = database_->read([&](vault::Connection& db) -> Result<std::optional<Waiting>> {
      MUHUR_TRY(auto st, db.prepare("SELECT d.delivery_id, d.received_ms, d.head, b.sealed FROM deliveries d "
                                    "LEFT JOIN bodies b ON b.id = d.body_id WHERE d.id = ?"));
      st.bind(id);
      MUHUR_TRY(const bool row, st.step());
      if (!row) return std::nullopt;
      if (st.is_null(3)) return fail(Code::corrupt, "its body is missing");
      const ByteView head = st.blob(2), body = st.blob(3);
      return Waiting{
          id, std::string(st.text(0)), st.int64(1), {head.begin(), head.end()}, {body.begin(), body.end()}};
    });
    if (one) {
      if (*one) found.push_back(std::move(**one));
    } else if (one.error().code == Code::corrupt || one.error().code == Code::io) {
      damaged.push_back(id);
      MUHUR_CHECK(hold(user, id, one.error().what));
    } else {
      return std::unexpected(one.error());
    }
  }
  // Were all of this batch damaged, an empty answer would look like an empty spool.
  if (found.empty() && !damaged.empty()) return oldest(user, max_count, max_bytes);
  return found;
}

Result<bool> Spool::has_mail(accounts::UserId user) {
  return database_->read([&](vault::Connection& db) -> Result<bool> {
    MUHUR_TRY(const auto any,
              int_or_zero(db,
                          "SELECT EXISTS(SELECT 1 FROM deliveries WHERE user_id = ? AND id NOT IN "
                          "(SELECT delivery FROM held))",
                          user));
    return any != 0;
  });
}

// A delivery, and the body with its last one.
Result<void> Spool::remove_delivery(vault::Connection& db, std::int64_t id) {
  MUHUR_TRY(const auto body, int_or_zero(db, "SELECT body_id FROM deliveries WHERE id = ?", id));
  MUHUR_CHECK(db.run("DELETE FROM deliveries WHERE id = ?", id));
  return db.run(
      "DELETE FROM bodies WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM deliveries WHERE body_id = ?1)", body);
}

Result<void> Spool::remove(accounts::UserId user, std::span<const std::int64_t> ids, std::uint64_t used) {
  return database_->write([&](vault::Connection& db) -> Result<void> {
    MUHUR_CHECK(write_confirmations(db));
    for (const auto id : ids) MUHUR_CHECK(remove_delivery(db, id));
    return db.run(
        "INSERT INTO usage(user_id, bytes) VALUES(?, ?) "
        "ON CONFLICT(user_id) DO UPDATE SET bytes = excluded.bytes",
        user, used);
  });
}

Result<std::vector<std::string>> Spool::delivery_ids(accounts::UserId user) {
  return database_->read([&](vault::Connection& db) -> Result<std::vector<std::string>> {
    std::vector<std::string> ids;
    MUHUR_TRY(auto st, db.prepare("SELECT delivery_id FROM deliveries WHERE user_id = ?"));
    st.bind(user);
    while (true) {
      MUHUR_TRY(const bool row, st.step());
      if (!row) return ids;
      ids.emplace_back(st.text(0));
    }
  });
}

Result<std::uint64_t> Spool::bytes_waiting(accounts::UserId user) {
  return database_->read([&](vault::Connection& db) { return waiting_in(db, user); });
}

Result<std::uint64_t> Spool::last_used(accounts::UserId user) {
  return database_->read([&](vault::Connection& db) { return noted_in(db, user); });
}

Result<void> Spool::set_used(accounts::UserId user, std::uint64_t bytes) {
  MUHUR_TRY(const auto known, last_used(user));
  if (known == bytes) return {};
  return remove(user, {}, bytes);
}

Result<void> Spool::remove_user(accounts::UserId user) {
  return database_->write([&](vault::Connection& db) -> Result<void> {
    for (const std::string_view sql :
         {"DELETE FROM held WHERE user_id = ?", "DELETE FROM deliveries WHERE user_id = ?",
          "DELETE FROM unconfirmed WHERE user_id = ?", "DELETE FROM usage WHERE user_id = ?"})
      MUHUR_CHECK(db.run(sql, user));
    return db.exec("DELETE FROM bodies WHERE id NOT IN (SELECT body_id FROM deliveries)");
  });
}

Result<void> Spool::sweep() {
  return database_->write([&](vault::Connection& db) -> Result<void> {
    MUHUR_CHECK(write_confirmations(db));
    return db.run("DELETE FROM unconfirmed WHERE received_ms < ?", clock_.now_ms() - kRemembered.count());
  });
}

Result<SpoolFigures> Spool::figures() {
  return database_->read([&](vault::Connection& db) -> Result<SpoolFigures> {
    SpoolFigures figures;
    MUHUR_TRY(auto st, db.prepare("SELECT COUNT(*), TOTAL(size) FROM deliveries"));
    MUHUR_TRY(const bool row, st.step());
    if (row) figures = {st.as<std::uint64_t>(0), st.as<std::uint64_t>(1), 0, 0};
    MUHUR_TRY(const auto held,
              db.query_int("SELECT COUNT(*) FROM held WHERE delivery IN (SELECT id FROM deliveries)"));
    MUHUR_TRY(const auto unconfirmed, db.query_int("SELECT COUNT(*) FROM unconfirmed"));
    figures.held = static_cast<std::uint64_t>(held);
    figures.unconfirmed = static_cast<std::uint64_t>(unconfirmed);
    return figures;
  });
}

}  // namespace muhur::mail
