#include "accounts/audit.hpp"

#include "base/log.hpp"

namespace muhur::accounts {

Result<void> append_audit(vault::Connection& connection, std::int64_t now_ms, const AuditEvent& event) {
  return connection.run(
      "INSERT INTO audit(at_ms, user_id, actor, action, outcome, peer, detail) VALUES (?, ?, ?, ?, ?, ?, ?)",
      now_ms, event.user, event.actor, event.action, event.outcome, event.peer, event.detail);
}

void Audit::record(AuditEvent event) {
  const std::int64_t now = directory_.clock().now_ms();
  directory_.database().write_async(
      [now, event = std::move(event)](vault::Connection& c) { return append_audit(c, now, event); },
      [](const Result<void>& done) {
        if (!done) log::error("audit", "an event could not be recorded", {{"error", done.error().text()}});
      });
}

Result<std::vector<AuditRow>> Audit::list(std::size_t limit, std::optional<UserId> user,
                                          std::int64_t before) {
  return directory_.database().read([&](vault::Connection& c) -> Result<std::vector<AuditRow>> {
    constexpr std::string_view kOfAll =
        "SELECT id, at_ms, user_id, actor, action, outcome, peer, detail FROM audit "
        "WHERE id < ? ORDER BY id DESC LIMIT ?";
    constexpr std::string_view kOfOne =
        "SELECT id, at_ms, user_id, actor, action, outcome, peer, detail FROM audit "
        "WHERE user_id = ? AND id < ? ORDER BY id DESC LIMIT ?";
    const std::int64_t end = before > 0 ? before : INT64_MAX;
    MUHUR_TRY(auto st, c.prepare(user ? kOfOne : kOfAll));
    if (user)
      st.bind(*user, end, limit);
    else
      st.bind(end, limit);
    std::vector<AuditRow> rows;
    while (true) {
      MUHUR_TRY(const bool more, st.step());
      if (!more) return rows;
      AuditRow& row = rows.emplace_back();
      row.id = st.int64(0);
      row.at_ms = st.int64(1);
      if (!st.is_null(2)) row.user = st.int64(2);
      row.actor = st.text(3);
      row.action = st.text(4);
      row.outcome = st.text(5);
      row.peer = st.text(6);
      row.detail = st.text(7);
    }
  });
}

Result<std::int64_t> Audit::prune(std::int64_t before_ms) {
  return directory_.database().write([&](vault::Connection& c) -> Result<std::int64_t> {
    MUHUR_TRY(auto st, c.prepare("DELETE FROM audit WHERE at_ms < ?"));
    return st.bind(before_ms).run_counted();
  });
}

}  // namespace muhur::accounts
