#pragma once
// spool.db: mail that was accepted and waits for its owner's mailbox to be open. What lies here is sealed to
// the owner (mail/envelope.hpp); the server can tell sizes, times and users, and nothing of the content.
//
// It also remembers deliveries whose reply may not have reached the sender (unconfirmed), so that their
// repetition is recognised, and each user's last known mailbox size, which a quota needs while the mailbox
// is closed. All methods may be called from any thread; those that return Result block.

#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "accounts/users.hpp"
#include "base/clock.hpp"
#include "base/sync.hpp"
#include "crypto/mac.hpp"
#include "vault/database.hpp"

namespace muhur::mail {

using Receipt = std::int64_t;

struct SpoolOptions {
  std::filesystem::path path;
  const vault::Key* key = nullptr;
  vault::Executor executor;
  const Clock* clock = &Clock::system();
};

// How much a mailbox holds: as the spool has noted it, and as it was seen just after that. They differ while
// somebody works in it.
struct Usage {
  std::uint64_t noted = 0, seen = 0;
};

// A message on its way in: one body, and each recipient's part.
struct Incoming {
  struct To {
    accounts::UserId user = 0;
    Bytes head;
    crypto::Digest digest{};               // the same for the same delivery only
    std::uint64_t quota = 0;               // 0: none
    Usage used;                            // of it, by the mailbox
    Result<Receipt> outcome = Receipt{0};  // an error from the start: passed over
    bool stored = false;                   // false: it was here already
  };
  std::uint64_t size = 0;  // of the message, octets
  Bytes body;
  std::vector<To> to;
  void fail_all(const Error& error);
};

// A message that waits.
struct Waiting {
  std::int64_t id = 0;
  std::string delivery_id;  // what the mailbox remembers it by
  std::int64_t received_ms = 0;
  Bytes head, body;
};

// One that could not be moved to its mailbox.
struct HeldDelivery {
  std::int64_t id = 0;
  accounts::UserId user = 0;
  std::int64_t received_ms = 0, held_ms = 0;
  std::uint64_t size = 0;
  std::string reason;
};

struct SpoolFigures {
  std::uint64_t deliveries = 0, bytes = 0;  // that wait
  std::uint64_t held = 0;                   // that could not be moved to their mailbox
  std::uint64_t unconfirmed = 0;
};

class Spool {
 public:
  // How long a repetition is recognised: longer than mail servers try.
  static constexpr Millis kRemembered{7LL * 24 * 3600 * 1000};

  static Result<std::unique_ptr<Spool>> open(SpoolOptions options);
  ~Spool();

  // One transaction for all recipients. `done` is called on the writer's thread once it is durable, or has
  // failed; the outcomes stand in `incoming`, which must live until then.
  void put_async(std::shared_ptr<Incoming> incoming, std::function<void()> done);
  void put(Incoming& incoming);

  // The user's deliveries were answered: their repetition would be a new one. Written with what is next.
  void confirm(std::span<const Receipt> receipts);

  // The oldest that wait for the user, at most `max_count` and (after the first) `max_bytes`. A row that is
  // damaged is held and passed over.
  Result<std::vector<Waiting>> oldest(accounts::UserId user, std::size_t max_count, std::uint64_t max_bytes);
  Result<bool> has_mail(accounts::UserId user);
  // They are in their mailbox, durably, which now uses `used` bytes.
  Result<void> remove(accounts::UserId user, std::span<const std::int64_t> ids, std::uint64_t used);
  // What mailboxes remember the user's deliveries by: of those that wait, and of held ones.
  Result<std::vector<std::string>> delivery_ids(accounts::UserId user);

  // --- deliveries that are put aside (spool_held.cpp)
  // It cannot be moved; the others must not wait for it. Logs an error.
  Result<void> hold(accounts::UserId user, std::int64_t id, std::string_view reason);
  // The longest held first.
  Result<std::vector<HeldDelivery>> held();
  // Tries it again at the next drain (after a repair). Whose it is. not_found: it is not held.
  Result<accounts::UserId> release_held(std::int64_t id);
  // It goes for good. not_found: it is not held.
  Result<void> discard_held(std::int64_t id);

  Result<std::uint64_t> bytes_waiting(accounts::UserId user);
  Result<std::uint64_t> last_used(accounts::UserId user);  // 0: never known
  Result<void> set_used(accounts::UserId user, std::uint64_t bytes);
  Result<void> remove_user(accounts::UserId user);

  // Writes pending confirmations, forgets what is past kRemembered. Called by the scheduler.
  Result<void> sweep();
  Result<SpoolFigures> figures();
  vault::Database& database() { return *database_; }

 private:
  Spool(std::shared_ptr<vault::Database> database, const Clock& clock)
      : database_(std::move(database)), clock_(clock) {}
  Result<void> write_confirmations(vault::Connection& db);
  Result<void> write(vault::Connection& db, Incoming& incoming);
  static Result<void> remove_delivery(vault::Connection& db, std::int64_t id);
  std::shared_ptr<vault::Database> database_;
  const Clock& clock_;
  Mutex mutex_;
  std::vector<Receipt> confirmed_ MUHUR_GUARDED_BY(mutex_);
};

}  // namespace muhur::mail
