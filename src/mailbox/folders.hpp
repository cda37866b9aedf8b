#pragma once
// The tree of folders and the list of subscriptions. Of one connection, within its transaction.

#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "mailbox/pins.hpp"
#include "mailbox/types.hpp"
#include "vault/connection.hpp"

namespace muhur::mailbox {

class Folders {
 public:
  Folders(vault::Connection& connection, const Clock& clock) : connection_(connection), clock_(clock) {}

  Result<std::vector<Folder>> all();
  Result<Folder> find(std::string_view path);
  Result<Folder> find(FolderId id);

  // The contracts of Mailbox's methods of these names (mailbox/mailbox.hpp).
  Result<Folder> create(std::string_view path, std::string_view special_use);
  Result<void> rename(std::string_view from, std::string_view to);
  Result<FolderId> remove(std::string_view path, Pins::Removal& removal);
  Result<void> set_subscribed(std::string_view path, bool subscribed);
  Result<std::vector<std::string>> subscriptions();

 private:
  Result<bool> is_there(std::string_view normal_path);
  Result<void> insert(std::string_view normal_path, std::string_view special_use);
  Result<void> create_parents(std::string_view normal_path);
  Result<void> check_special_use(std::string_view special_use);
  Result<void> move_tree(std::string_view from, std::string_view to);
  Result<std::int64_t> next_uid_validity();

  vault::Connection& connection_;
  const Clock& clock_;
};

}  // namespace muhur::mailbox
