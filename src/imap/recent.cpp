#include "imap/recent.hpp"

namespace muhur::imap {

mailbox::Uid RecentMarks::first_recent(const std::string& mailbox, mailbox::FolderId folder,
                                       mailbox::Uid uid_next, bool claim) {
  const std::string key = mailbox + '/' + std::to_string(folder);
  const Lock lock(mutex_);
  mailbox::Uid* const mark = marks_.get(key);
  if (!mark) {
    marks_.put(key, uid_next);
    return uid_next;
  }
  const mailbox::Uid first = std::min(*mark, uid_next);
  if (claim) *mark = std::max(*mark, uid_next);
  return first;
}

}  // namespace muhur::imap
