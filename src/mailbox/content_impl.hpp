#pragma once
// What a Content holds: private to the folder.

#include <memory>
#include <optional>

#include "mailbox/content.hpp"
#include "mailbox/pins.hpp"
#include "mailbox/stored_content.hpp"
#include "vault/database.hpp"

namespace muhur::mailbox {

// Removes what is in the table `leaving` and nobody reads, a transaction after the other. Not waited for.
void remove_leaving(std::shared_ptr<Pins> pins, const std::shared_ptr<vault::Database>& database);

// Keeps the bytes of one email from going.
class Pin {
 public:
  Pin(std::shared_ptr<Pins> pins, std::weak_ptr<vault::Database> database, EmailId id);
  Pin(const Pin&) = delete;
  Pin& operator=(const Pin&) = delete;
  ~Pin();

 private:
  std::shared_ptr<Pins> pins_;
  std::weak_ptr<vault::Database> database_;
  EmailId id_;
};

struct Content::Impl {
  std::weak_ptr<vault::Database> database;  // a reader that somebody forgot must not keep the file open
  std::unique_ptr<Pin> pin;                 // null: all of it is in memory
  StoredContent stored;
};

}  // namespace muhur::mailbox
