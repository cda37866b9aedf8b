#pragma once
// The databases that are open in this process, for whoever keeps house, counts or examines them.

#include <memory>
#include <string>
#include <vector>

#include "mail/post_office.hpp"

namespace muhur::server {

struct OpenDatabase {
  enum class Kind { directory, spool, other, mailbox };
  Kind kind = Kind::other;
  std::string name;            // "directory.db", "spool.db", "mail/ID.db"
  std::shared_ptr<void> held;  // keeps it open
  vault::Database* database = nullptr;
  bool idle = false;  // a mailbox that nobody uses
};

// directory.db and spool.db, then what was announced, then the open mailboxes. Holding one does not count as
// using it.
std::vector<OpenDatabase> open_databases(mail::PostOffice& office);

// For databases that the post office does not own ("sessions.db"); one that has ended is forgotten.
void announce_database(std::string name, std::weak_ptr<vault::Database> database);

}  // namespace muhur::server
