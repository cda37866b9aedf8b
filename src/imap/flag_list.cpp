#include "imap/flag_list.hpp"

#include <algorithm>

#include "base/unicode.hpp"
#include "imap/limits.hpp"

namespace muhur::imap {
namespace {

std::uint8_t system_flag(std::string_view name) {
  if (equals_ignoring_case(name, "\\Seen")) return mailbox::kSeen;
  if (equals_ignoring_case(name, "\\Answered")) return mailbox::kAnswered;
  if (equals_ignoring_case(name, "\\Flagged")) return mailbox::kFlagged;
  if (equals_ignoring_case(name, "\\Deleted")) return mailbox::kDeleted;
  if (equals_ignoring_case(name, "\\Draft")) return mailbox::kDraft;
  return 0;
}

}  // namespace

FlagsGiven parse_flags(Parser& parser) {
  FlagsGiven given;
  auto& keywords = given.flags.keywords;
  const bool list = parser.take('(');
  bool first = true;
  while (!(list && parser.peek(')'))) {
    if (!first && !parser.space()) break;
    if (!list && !first && parser.at_end()) break;
    first = false;
    const auto flag = parser.flag();
    if (!flag) {
      given.problem = "Flags are wanted here.";
      return given;
    }
    if (const auto system = system_flag(*flag)) {
      given.flags.system |= system;
    } else if (flag->starts_with('\\')) {
      if (equals_ignoring_case(*flag, "\\Recent")) continue;
      given.problem = "That system flag is not known.";
      return given;
    } else if (flag->size() > kMaxKeywordLength || keywords.size() >= kMaxKeywords) {
      given.problem = "Too many or too long flags.";
      return given;
    } else if (std::ranges::none_of(keywords,
                                    [&](const auto& k) { return equals_ignoring_case(k, *flag); })) {
      keywords.emplace_back(*flag);
    }
  }
  if (list && !parser.take(')')) given.problem = "A list of flags is not closed.";
  std::ranges::sort(keywords, {}, [](const std::string& k) { return to_lower_ascii(std::string_view(k)); });
  return given;
}

}  // namespace muhur::imap
