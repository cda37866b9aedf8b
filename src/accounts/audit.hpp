#pragma once
// Who did what, from where. Rows hold ids, addresses of peers and words of the program: never a password,
// a key, a token, nor what somebody typed as a user name that is none (people type passwords there).

#include <optional>
#include <string>
#include <vector>

#include "accounts/directory.hpp"
#include "accounts/users.hpp"

namespace muhur::accounts {

struct AuditEvent {
  std::optional<UserId> user;    // whom it is about; none: an unknown one
  std::string actor = "server";  // who did it: "user", "admin:7", "server"
  std::string action;            // "sign-in", "password-set", "user-removed" …
  std::string outcome = "ok";    // "ok", "denied", "delayed"
  std::string peer;              // "192.0.2.7:4711"; empty: this machine
  std::string detail;            // a few words: "app password", a client's id
};

struct AuditRow : AuditEvent {
  std::int64_t id = 0;
  std::int64_t at_ms = 0;
};

class Audit {
 public:
  explicit Audit(Directory& directory) : directory_(directory) {}

  // Queued for the next commit; a failure goes to the log. Any thread, does not block.
  void record(AuditEvent event);

  // Newest first, older than row `before` (0: from the newest), of one user or of all.
  Result<std::vector<AuditRow>> list(std::size_t limit, std::optional<UserId> user = {},
                                     std::int64_t before = 0);

  // Forgets what is older. Returns how many rows went.
  Result<std::int64_t> prune(std::int64_t before_ms);

 private:
  Directory& directory_;
};

// Within somebody's transaction: it is recorded if and only if the act itself is.
Result<void> append_audit(vault::Connection& connection, std::int64_t now_ms, const AuditEvent& event);

}  // namespace muhur::accounts
