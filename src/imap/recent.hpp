#pragma once
// Who was first told of a message: \Recent (RFC 3501 §2.3.2). Kept in memory, one mark a folder: the UID
// below which everything was shown to some session. After a restart nothing is recent until mail comes.
// Thread-safe.

#include <string>

#include "base/lru.hpp"
#include "base/sync.hpp"
#include "mailbox/types.hpp"

namespace muhur::imap {

class RecentMarks {
 public:
  // The first UID that is recent to whoever asks now; with `claim` it is to nobody after.
  mailbox::Uid first_recent(const std::string& mailbox, mailbox::FolderId folder, mailbox::Uid uid_next,
                            bool claim);

 private:
  Mutex mutex_;
  // A folder that falls out loses some \Recent marks and nothing else.
  Lru<std::string, mailbox::Uid> marks_ MUHUR_GUARDED_BY(mutex_){20'000, SIZE_MAX};
};

}  // namespace muhur::imap
