#include "oidc/sso.hpp"

#include <algorithm>

#include "oidc/scope.hpp"

namespace muhur::oidc {
namespace {

constexpr std::int64_t kSeenEvery_s = 60;

Bytes copy(ByteView bytes) { return {bytes.begin(), bytes.end()}; }

Session session_of(const vault::Statement& row) {
  return {.hash = copy(row.blob(0)),
          .sid = std::string(row.text(1)),
          .user = row.int64(2),
          .created_s = row.int64(3),
          .last_seen_s = row.int64(4),
          .auth_time_s = row.int64(5),
          .latest_s = row.int64(6),
          .ends_s = row.int64(7),
          .epoch = row.int64(12),
          .amr = std::string(row.text(8)),
          .peer = std::string(row.text(9)),
          .user_agent = std::string(row.text(10)),
          .wrap = copy(row.blob(11))};
}

Result<std::vector<Notice>> notices_of(vault::Connection& c, accounts::UserId user, std::string_view sid) {
  std::vector<Notice> notices;
  MUHUR_TRY(auto st, c.prepare("SELECT client_id FROM session_clients WHERE sid = ?"));
  st.bind(sid);
  while (true) {
    MUHUR_TRY(const bool row, st.step());
    if (!row) break;
    notices.push_back({std::string(st.text(0)), std::string(sid), user});
  }
  MUHUR_CHECK(c.run("DELETE FROM session_clients WHERE sid = ?", sid));
  return notices;
}

}  // namespace

Result<void> insert_session(vault::Connection& c, const Session& s) {
  return c.run(
      "INSERT INTO browser_sessions(hash, sid, user_id, created_s, last_seen_s, auth_time_s, latest_s, "
      "ends_s, amr, peer, user_agent, wrap, epoch) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
      s.hash, s.sid, s.user, s.created_s, s.last_seen_s, s.auth_time_s, s.latest_s, s.ends_s, s.amr, s.peer,
      s.user_agent, s.wrap, s.epoch);
}

Result<std::optional<Session>> find_session(vault::Connection& c, std::string_view cookie,
                                            std::int64_t now_s) {
  if (cookie.empty()) return std::optional<Session>();
  const auto hash = hash_of(cookie);
  MUHUR_TRY(auto st,
            c.prepare("SELECT hash, sid, user_id, created_s, last_seen_s, auth_time_s, latest_s, "
                      "ends_s, amr, peer, user_agent, wrap, epoch FROM browser_sessions WHERE hash = ? AND "
                      "ends_s > ?"));
  MUHUR_TRY(const bool row, st.bind(ByteView(hash), now_s).step());
  if (!row) return std::optional<Session>();
  return std::optional(session_of(st));
}

Result<bool> is_there(vault::Connection& c, const Session& session, std::int64_t now_s) {
  MUHUR_TRY(auto st, c.prepare("SELECT 1 FROM browser_sessions WHERE hash = ? AND ends_s > ?"));
  return st.bind(session.hash, now_s).step();
}

bool wants_touch(const Session& session, std::int64_t now_s) {
  return now_s - session.last_seen_s >= kSeenEvery_s;
}

Result<void> touch_session(vault::Connection& c, const Session& session, std::int64_t now_s,
                           std::int64_t idle_s) {
  if (!wants_touch(session, now_s)) return {};
  return c.run("UPDATE browser_sessions SET last_seen_s = ?, ends_s = ? WHERE hash = ?", now_s,
               std::min(session.latest_s, now_s + idle_s), session.hash);
}

Result<std::vector<Session>> sessions_of(vault::Connection& c, accounts::UserId user, std::int64_t now_s) {
  std::vector<Session> all;
  MUHUR_TRY(auto st,
            c.prepare("SELECT hash, sid, user_id, created_s, last_seen_s, auth_time_s, latest_s, "
                      "ends_s, amr, peer, user_agent, wrap, epoch FROM browser_sessions WHERE user_id = ? "
                      "AND ends_s > ? ORDER BY last_seen_s DESC LIMIT 1000"));
  st.bind(user, now_s);
  while (true) {
    MUHUR_TRY(const bool row, st.step());
    if (!row) return all;
    all.push_back(session_of(st));
  }
}

Result<void> drop_session(vault::Connection& c, ByteView hash) {
  return c.run("DELETE FROM browser_sessions WHERE hash = ?", hash);
}

Result<void> note_client(vault::Connection& c, std::string_view sid, std::string_view client_id,
                         std::int64_t ends_s) {
  return c.run(
      "INSERT INTO session_clients(sid, client_id, ends_s) VALUES (?, ?, ?) "
      "ON CONFLICT(sid, client_id) DO UPDATE SET ends_s = MAX(ends_s, excluded.ends_s)",
      sid, client_id, ends_s);
}

Result<std::vector<Notice>> end_session(vault::Connection& c, accounts::UserId user, std::string_view sid,
                                        std::int64_t now_s) {
  MUHUR_TRY(auto st, c.prepare("DELETE FROM browser_sessions WHERE user_id = ? AND sid = ?"));
  MUHUR_TRY(const auto ended, st.bind(user, sid).run_counted());
  if (ended == 0) return std::vector<Notice>();
  MUHUR_CHECK(
      c.run("UPDATE grants SET revoked_s = ? WHERE user_id = ? AND sid = ? AND offline = 0 AND "
            "revoked_s IS NULL",
            now_s, user, sid));
  return notices_of(c, user, sid);
}

Result<std::vector<Notice>> end_all(vault::Connection& c, accounts::UserId user, std::int64_t now_s) {
  std::vector<std::string> sids;
  {
    MUHUR_TRY(auto st, c.prepare("DELETE FROM browser_sessions WHERE user_id = ? RETURNING sid"));
    st.bind(user);
    while (true) {
      MUHUR_TRY(const bool row, st.step());
      if (!row) break;
      sids.emplace_back(st.text(0));
    }
  }
  MUHUR_CHECK(c.run("UPDATE grants SET revoked_s = ? WHERE user_id = ? AND revoked_s IS NULL", now_s, user));
  MUHUR_CHECK(c.run("UPDATE device_codes SET state = 2, dek = NULL WHERE user_id = ? AND state = 1", user));
  std::vector<Notice> notices;
  for (const auto& sid : sids) {
    MUHUR_TRY(auto some, notices_of(c, user, sid));
    std::ranges::move(some, std::back_inserter(notices));
  }
  return notices;
}

Result<std::string> consent_of(vault::Connection& c, accounts::UserId user, const Client& client) {
  MUHUR_TRY(auto st, c.prepare("SELECT scope FROM consents WHERE user_id = ? AND client_id = ? AND "
                               "client_ms IN (0, ?)"));
  MUHUR_TRY(const bool row, st.bind(user, client.id, client.created_ms).step());
  return row ? std::string(st.text(0)) : std::string();
}

Result<void> remember_consent(vault::Connection& c, accounts::UserId user, const Client& client,
                              std::string_view scope, std::int64_t now_s) {
  MUHUR_TRY(const std::string before, consent_of(c, user, client));
  const std::string all = joined(words_of(before + " " + std::string(scope)));
  return c.run(
      "INSERT INTO consents(user_id, client_id, scope, given_s, client_ms) VALUES (?, ?, ?, ?, ?) "
      "ON CONFLICT(user_id, client_id) DO UPDATE SET scope = excluded.scope, given_s = excluded.given_s, "
      "client_ms = excluded.client_ms",
      user, client.id, all, now_s, client.created_ms);
}

}  // namespace muhur::oidc
