#pragma once
// Content that somebody reads stays until it has been read. A reader holds its id. A change that takes the
// last message away that shows some content asks first: what nobody holds goes with the change, the rest is
// noted in the table `leaving` and goes when its last reader lets go (or, after a crash, when the mailbox is
// next opened). hold() waits for a removal under way, so that a reader finds all of the content or none.
//
// One change removes only so much: emptying a large folder would write all its pages to the log in one
// transaction. What is beyond that is `leaving` too, and goes step by step behind it. Thread-safe.

#include <memory>
#include <unordered_map>
#include <vector>

#include "base/sync.hpp"
#include "mailbox/types.hpp"

namespace muhur::mailbox {

inline constexpr std::size_t kRemovedAtOnce = 256;                 // emails
inline constexpr std::uint64_t kRemovedBytesAtOnce = 32ull << 20;  // their octets; one always goes

class Pins {
 public:
  // Waits for as long as a commit takes if a change is removing it. Not within a write.
  void hold(EmailId id);
  // true: it was to go meanwhile, and now nobody holds it.
  bool release(EmailId id);

  // What one change removes. From take() until this object ends, which is after the commit or the failure,
  // nobody begins to read it.
  class Removal {
   public:
    explicit Removal(std::shared_ptr<Pins> pins) : pins_(std::move(pins)) {}
    Removal(const Removal&) = delete;
    Removal& operator=(const Removal&) = delete;
    ~Removal();
    // Whether its bytes may go now. false: somebody reads it, and the last release() will say so; or it is
    // enough for one change.
    bool take(EmailId id, std::uint64_t size);
    // Something that nobody reads was too much.
    bool left_some() const { return left_some_; }

   private:
    std::shared_ptr<Pins> pins_;
    std::vector<EmailId> taken_;
    std::uint64_t bytes_ = 0;
    bool left_some_ = false;
  };

 private:
  struct Entry {
    std::size_t readers = 0;
    bool going = false;   // a Removal took it
    bool wanted = false;  // a Removal was refused it
  };
  Mutex mutex_;
  Condition settled_;
  std::unordered_map<EmailId, Entry> entries_ MUHUR_GUARDED_BY(mutex_);
};

}  // namespace muhur::mailbox
