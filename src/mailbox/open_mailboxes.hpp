#pragma once
// The mailboxes that are open now. A mailbox in use is shared; one that nobody uses stays open a while, in
// an LRU bounded by count and idle time, and is then closed and its key wiped. At most one Mailbox object
// per file exists in the process. Thread-safe; open() blocks.

#include <memory>
#include <string>
#include <vector>

#include "mailbox/mailbox.hpp"

namespace muhur::mailbox {

struct OpenMailboxesOptions {
  std::filesystem::path directory;  // DATA/mail
  std::size_t max_idle = 200;       // open and unused
  Millis max_idle_time{300'000};
  vault::Profile profile;
  vault::Executor executor;
  const Clock* clock = &Clock::system();
};

class OpenMailboxes {
 public:
  explicit OpenMailboxes(OpenMailboxesOptions options);
  ~OpenMailboxes();

  // `id` is the random file name without ".db". The key is checked even when the mailbox is open already
  // (denied). Concurrent calls for one id wait for one opening.
  Result<std::shared_ptr<Mailbox>> open(const std::string& id, const vault::Key& key, bool create = false);
  // The mailbox if it is open, without a key: for delivery to somebody who is there.
  std::shared_ptr<Mailbox> find(const std::string& id);
  // Drops it from the LRU at once (user deleted, disabled); sessions that hold it keep it until they end.
  void forget(const std::string& id);
  // All that are open now, for whoever keeps house: holding one does not count as using it, but keeps it
  // open.
  struct Open {
    std::string id;
    std::shared_ptr<Mailbox> mailbox;
    bool idle = false;  // nobody uses it
  };
  std::vector<Open> all();
  void sweep();  // closes what is idle too long; called by the scheduler
  std::size_t size() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace muhur::mailbox
