#pragma once
// What a Content holds: private to the folder.

#include "mailbox/content.hpp"
#include "mailbox/stored_content.hpp"
#include "vault/database.hpp"

namespace muhur::mailbox {

struct Content::Impl {
  std::weak_ptr<vault::Database> database;  // a reader that somebody forgot must not keep the file open
  StoredContent stored;
};

}  // namespace muhur::mailbox
