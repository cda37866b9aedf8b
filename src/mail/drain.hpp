#pragma once
// Moves what waits in the spool into a mailbox that is open. Whatever crashes, each message arrives once: the
// mailbox commits it together with its delivery id, and only then it leaves the spool. Drains of one
// mailbox follow each other; those of different mailboxes run side by side. Thread-safe.

#include <memory>
#include <unordered_map>

#include "base/sync.hpp"
#include "mail/background.hpp"
#include "mail/spool.hpp"
#include "mailbox/mailbox.hpp"

namespace muhur::mail {

struct Drained {
  std::size_t moved = 0;
  std::size_t duplicates = 0;  // of an earlier drain that was cut short
  std::size_t held = 0;        // kept aside, damaged
  bool more = false;           // there is more than was asked for
};

class Drain {
 public:
  // `background` ends before the drain does.
  Drain(Spool& spool, Background& background) : spool_(spool), background_(background) {}

  // Blocks. Oldest first, in batches of one transaction each, until nothing waits or about that many
  // messages were moved. An error (disk full …) leaves what was not moved in the spool.
  Result<Drained> up_to(std::size_t messages, accounts::UserId user, mailbox::Mailbox& mailbox);
  // All that waits, batch by batch on the pool, not waited for.
  void in_background(accounts::UserId user, std::shared_ptr<mailbox::Mailbox> mailbox);

 private:
  struct Turn {
    Mutex mutex;                 // held while a batch moves
    std::atomic<int> asked = 0;  // background drains that have not begun
  };
  std::shared_ptr<Turn> turn_of(accounts::UserId user);
  Result<Drained> batch(accounts::UserId user, mailbox::Mailbox& mailbox, std::size_t limit);
  void background_batch(accounts::UserId user, const std::shared_ptr<mailbox::Mailbox>& mailbox,
                        const std::shared_ptr<Turn>& turn);

  Spool& spool_;
  Background& background_;
  Mutex mutex_;
  std::unordered_map<accounts::UserId, std::weak_ptr<Turn>> turns_ MUHUR_GUARDED_BY(mutex_);
};

}  // namespace muhur::mail
