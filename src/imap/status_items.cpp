#include "imap/status_items.hpp"

#include <array>

#include "base/unicode.hpp"
#include "imap/respond.hpp"

namespace muhur::imap {
namespace {

struct Named {
  std::string_view name;
  StatusItem item;
};
constexpr std::array<Named, 9> kItems = {{
    {"MESSAGES", StatusItem::messages},
    {"RECENT", StatusItem::recent},
    {"UIDNEXT", StatusItem::uid_next},
    {"UIDVALIDITY", StatusItem::uid_validity},
    {"UNSEEN", StatusItem::unseen},
    {"HIGHESTMODSEQ", StatusItem::highest_modseq},
    {"SIZE", StatusItem::size},
    {"DELETED", StatusItem::deleted},
    {"APPENDLIMIT", StatusItem::append_limit},
}};

std::uint64_t value_of(StatusItem item, Session& session, const mailbox::Folder& folder) {
  switch (item) {
    case StatusItem::messages:
      return folder.messages;
    case StatusItem::recent:
      return session.recent_of(folder);
    case StatusItem::uid_next:
      return folder.uid_next;
    case StatusItem::uid_validity:
      return folder.uid_validity;
    case StatusItem::unseen:
      return folder.unseen;
    case StatusItem::highest_modseq:
      return folder.highest_modseq;
    case StatusItem::size:
      return folder.bytes;
    case StatusItem::deleted:
      return folder.deleted;
    case StatusItem::append_limit:
      return session.max_append();
  }
  return 0;
}

}  // namespace

std::optional<std::vector<StatusItem>> parse_status_items(Parser& parser) {
  std::vector<StatusItem> items;
  if (!parser.take('(')) return std::nullopt;
  do {
    const auto name = parser.atom();
    if (!name || items.size() > kItems.size()) return std::nullopt;
    const auto known = std::ranges::find_if(
        kItems, [&](const Named& named) { return equals_ignoring_case(named.name, *name); });
    if (known == kItems.end()) return std::nullopt;
    items.push_back(known->item);
  } while (parser.space());
  return parser.take(')') ? std::optional(items) : std::nullopt;
}

void append_status(std::string& out, Session& session, const mailbox::Folder& folder,
                   const std::vector<StatusItem>& items) {
  out.append("* STATUS ");
  append_mailbox(out, folder.path);
  out.append(" (");
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i > 0) out.push_back(' ');
    const auto named = std::ranges::find(kItems, items[i], &Named::item);
    out.append(named->name);
    out.push_back(' ');
    append_number(out, value_of(items[i], session, folder));
  }
  out.append(")\r\n");
}

}  // namespace muhur::imap
