#pragma once
// Browser sessions (single sign-on) and remembered consent, as rows. Private to oidc/.

#include <optional>
#include <string>
#include <vector>

#include "accounts/users.hpp"
#include "oidc/clients.hpp"
#include "oidc/store.hpp"

namespace muhur::oidc {

struct Session {
  Bytes hash;       // of the cookie
  std::string sid;  // what clients know it by; the same over a renewed sign-in of the same user
  accounts::UserId user = 0;
  std::int64_t created_s = 0, last_seen_s = 0, auth_time_s = 0;
  std::int64_t latest_s = 0;  // the absolute limit
  std::int64_t ends_s = 0;    // idle or absolute, whichever comes first
  std::int64_t epoch = 0;     // of the user, when they signed in
  std::string amr, peer, user_agent;
  Bytes wrap;
};

Result<void> insert_session(vault::Connection& c, const Session& session);
// nullopt: unknown or over.
Result<std::optional<Session>> find_session(vault::Connection& c, std::string_view cookie,
                                            std::int64_t now_s);
// Whether the session is still there: asked in the transaction that hands something out upon it, since it may
// have ended after it was read.
Result<bool> is_there(vault::Connection& c, const Session& session, std::int64_t now_s);
// Seen now: the idle limit starts anew. Nothing when it was seen within the last minute.
bool wants_touch(const Session& session, std::int64_t now_s);
Result<void> touch_session(vault::Connection& c, const Session& session, std::int64_t now_s,
                           std::int64_t idle_s);
Result<std::vector<Session>> sessions_of(vault::Connection& c, accounts::UserId user, std::int64_t now_s);
Result<void> drop_session(vault::Connection& c, ByteView hash);

// Whom to tell that a session ended.
struct Notice {
  std::string client_id, sid;
  accounts::UserId user = 0;
};
Result<void> note_client(vault::Connection& c, std::string_view sid, std::string_view client_id,
                         std::int64_t ends_s);
// The session goes, and the grants that live with it (those without offline_access).
Result<std::vector<Notice>> end_session(vault::Connection& c, accounts::UserId user, std::string_view sid,
                                        std::int64_t now_s);
// All sessions and all grants of the user.
Result<std::vector<Notice>> end_all(vault::Connection& c, accounts::UserId user, std::int64_t now_s);

// The scope that the user allowed this client for good; empty: none.
Result<std::string> consent_of(vault::Connection& c, accounts::UserId user, const Client& client);
// What was allowed before stays allowed.
Result<void> remember_consent(vault::Connection& c, accounts::UserId user, const Client& client,
                              std::string_view scope, std::int64_t now_s);

}  // namespace muhur::oidc
