#pragma once
// Folder names as paths: UTF-8 in normal form C, levels joined by '/'. The first level INBOX is the same
// in any case and is kept in capitals (RFC 3501 §5.1).

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace muhur::mailbox {

inline constexpr std::size_t kMaxPathBytes = 1'000;
inline constexpr std::size_t kMaxPathLevels = 50;
inline constexpr std::int64_t kMaxFolders = 10'000;  // of a mailbox, and as many subscriptions
inline constexpr std::string_view kInbox = "INBOX";

// The path as it is stored. invalid: not UTF-8, an empty level, a control character, too long or too deep.
Result<std::string> normal_path(std::string_view path);
// The same for a look-up: what cannot be a path is not_found.
Result<std::string> lookup_path(std::string_view path);

// "" for a path of one level.
std::string_view parent_path(std::string_view path);
bool is_below(std::string_view path, std::string_view ancestor);
// Level by level, so that children follow their parent; INBOX and what is below it first.
bool path_before(std::string_view a, std::string_view b);

}  // namespace muhur::mailbox
