// Deliveries that could not be moved to their mailbox: kept aside, so that the others do not wait for them,
// until somebody says what is to become of them.
#include "base/log.hpp"
#include "mail/spool.hpp"

namespace muhur::mail {
namespace {

std::unexpected<Error> not_held(std::int64_t id) {
  return fail(Code::not_found, fmt::format("no message {} is held", id), "`muhur held list` names them");
}

// Takes the mark away. Whose delivery it was.
Result<accounts::UserId> unmark(vault::Connection& db, std::int64_t id) {
  MUHUR_TRY(auto st, db.prepare("SELECT user_id FROM deliveries WHERE id = ?1 AND id IN "
                                "(SELECT delivery FROM held)"));
  st.bind(id);
  MUHUR_TRY(const bool row, st.step());
  if (!row) return not_held(id);
  const accounts::UserId user = st.int64(0);
  st.reset();
  MUHUR_CHECK(db.run("DELETE FROM held WHERE delivery = ?", id));
  return user;
}

}  // namespace

Result<void> Spool::hold(accounts::UserId user, std::int64_t id, std::string_view reason) {
  log::error("spool", "a waiting message is kept aside; `muhur held list` tells more",
             {{"delivery", id}, {"user", user}, {"reason", reason}});
  return database_->write([&](vault::Connection& db) {
    return db.run("INSERT OR REPLACE INTO held(delivery, user_id, held_ms, reason) VALUES(?, ?, ?, ?)", id,
                  user, clock_.now_ms(), reason);
  });
}

Result<std::vector<HeldDelivery>> Spool::held() {
  return database_->read([&](vault::Connection& db) -> Result<std::vector<HeldDelivery>> {
    std::vector<HeldDelivery> all;
    MUHUR_TRY(auto st,
              db.prepare("SELECT d.id, d.user_id, d.received_ms, h.held_ms, d.size, h.reason "
                         "FROM held h JOIN deliveries d ON d.id = h.delivery ORDER BY h.held_ms, d.id"));
    while (true) {
      MUHUR_TRY(const bool row, st.step());
      if (!row) return all;
      all.push_back({st.int64(0), st.int64(1), st.int64(2), st.int64(3), st.as<std::uint64_t>(4),
                     std::string(st.text(5))});
    }
  });
}

Result<accounts::UserId> Spool::release_held(std::int64_t id) {
  return database_->write([&](vault::Connection& db) { return unmark(db, id); });
}

Result<void> Spool::discard_held(std::int64_t id) {
  MUHUR_TRY(const accounts::UserId user,
            database_->write([&](vault::Connection& db) -> Result<accounts::UserId> {
              MUHUR_TRY(const accounts::UserId owner, unmark(db, id));
              MUHUR_CHECK(remove_delivery(db, id));
              return owner;
            }));
  log::warn("spool", "a held message was discarded", {{"delivery", id}, {"user", user}});
  return {};
}

}  // namespace muhur::mail
