#pragma once
// The items of STATUS, and of LIST … RETURN (STATUS …) (RFC 3501 §6.3.10, RFC 5819, RFC 7162, RFC 8438).

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "imap/parser.hpp"
#include "imap/session.hpp"

namespace muhur::imap {

enum class StatusItem {
  messages,
  recent,
  uid_next,
  uid_validity,
  unseen,
  highest_modseq,
  size,
  deleted,
  append_limit
};

// "(MESSAGES UNSEEN)"; nullopt: syntax.
std::optional<std::vector<StatusItem>> parse_status_items(Parser& parser);

inline bool wants(const std::vector<StatusItem>& items, StatusItem item) {
  return std::ranges::find(items, item) != items.end();
}

// "* STATUS name (MESSAGES 3 UNSEEN 1)" CRLF
void append_status(std::string& out, Session& session, const mailbox::Folder& folder,
                   const std::vector<StatusItem>& items);

}  // namespace muhur::imap
