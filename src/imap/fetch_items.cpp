#include "imap/fetch_items.hpp"

#include <algorithm>

#include "base/unicode.hpp"
#include "imap/limits.hpp"
#include "imap/respond.hpp"

namespace muhur::imap {
namespace {

using Kind = FetchItem::Kind;

std::optional<Section> parse_section(Parser& parser) {
  Section section;
  if (!parser.take('[')) return std::nullopt;
  while (const auto number = parser.number()) {
    if (*number == 0 || section.part.size() > kMaxNesting) return std::nullopt;
    section.part.push_back(*number);
    if (!parser.take('.')) return parser.take(']') ? std::optional(section) : std::nullopt;
  }
  if (section.part.empty() && parser.take(']')) return section;
  const auto name = parser.atom();
  if (!name) return std::nullopt;
  if (equals_ignoring_case(*name, "HEADER")) {
    section.kind = Section::Kind::header;
  } else if (equals_ignoring_case(*name, "TEXT")) {
    section.kind = Section::Kind::text;
  } else if (equals_ignoring_case(*name, "MIME") && !section.part.empty()) {
    section.kind = Section::Kind::mime;
  } else if (equals_ignoring_case(*name, "HEADER.FIELDS") ||
             equals_ignoring_case(*name, "HEADER.FIELDS.NOT")) {
    section.kind = name->size() == 13 ? Section::Kind::header_fields : Section::Kind::header_fields_not;
    if (!parser.space() || !parser.take('(')) return std::nullopt;
    do {
      auto field = parser.astring();
      if (!field || section.fields.size() >= kMaxFetchItems) return std::nullopt;
      section.fields.push_back(std::move(*field));
    } while (parser.space());
    if (!parser.take(')')) return std::nullopt;
  } else {
    return std::nullopt;
  }
  return parser.take(']') ? std::optional(section) : std::nullopt;
}

std::string label_of(const Section& section) {
  std::string out = "BODY[";
  for (std::size_t i = 0; i < section.part.size(); ++i) {
    if (i > 0) out.push_back('.');
    append_number(out, section.part[i]);
  }
  if (!section.part.empty() && section.kind != Section::Kind::whole) out.push_back('.');
  switch (section.kind) {
    case Section::Kind::whole:
      break;
    case Section::Kind::header:
      out.append("HEADER");
      break;
    case Section::Kind::text:
      out.append("TEXT");
      break;
    case Section::Kind::mime:
      out.append("MIME");
      break;
    case Section::Kind::header_fields:
      out.append("HEADER.FIELDS (");
      break;
    case Section::Kind::header_fields_not:
      out.append("HEADER.FIELDS.NOT (");
      break;
  }
  if (!section.fields.empty()) {
    for (std::size_t i = 0; i < section.fields.size(); ++i) {
      if (i > 0) out.push_back(' ');
      append_astring(out, section.fields[i]);
    }
    out.push_back(')');
  }
  out.push_back(']');
  return out;
}

bool parse_partial(Parser& parser, FetchItem& item) {
  if (!parser.take('<')) return true;
  item.offset = parser.number64();
  if (!item.offset || !parser.take('.')) return false;
  const auto length = parser.number64();
  if (!length || *length == 0 || !parser.take('>')) return false;
  item.length = *length;
  item.label.push_back('<');
  append_number(item.label, *item.offset);
  item.label.push_back('>');
  return true;
}

FetchItem simple(Kind kind) {
  FetchItem item;
  item.kind = kind;
  return item;
}

FetchItem rfc822(std::string_view name, Section::Kind kind, bool sees) {
  FetchItem item;
  item.kind = Kind::octets;
  item.section.kind = kind;
  item.label = std::string(name);
  item.sees = sees;
  return item;
}

bool parse_item(Parser& parser, FetchRequest& request) {
  const auto written = parser.item_name();
  if (!written || request.items.size() >= kMaxFetchItems) return false;
  const std::string name = to_upper_ascii(*written);
  auto& items = request.items;
  if ((name == "BODY" || name == "BODY.PEEK") && parser.peek('[')) {
    auto section = parse_section(parser);
    if (!section) return false;
    FetchItem item;
    item.kind = Kind::octets;
    item.label = label_of(*section);
    item.section = std::move(*section);
    item.sees = name == "BODY";
    if (!parse_partial(parser, item)) return false;
    items.push_back(std::move(item));
    return true;
  }
  if (name == "UID")
    request.uid = true;
  else if (name == "FLAGS")
    items.push_back(simple(Kind::flags));
  else if (name == "INTERNALDATE")
    items.push_back(simple(Kind::internal_date));
  else if (name == "RFC822.SIZE")
    items.push_back(simple(Kind::size));
  else if (name == "ENVELOPE")
    items.push_back(simple(Kind::envelope));
  else if (name == "BODY")
    items.push_back(simple(Kind::body));
  else if (name == "BODYSTRUCTURE")
    items.push_back(simple(Kind::body_structure));
  else if (name == "MODSEQ")
    items.push_back(simple(Kind::modseq));
  else if (name == "RFC822")
    items.push_back(rfc822("RFC822", Section::Kind::whole, true));
  // RFC 1730's name, which Outlook still sends.
  else if (name == "RFC822.PEEK")
    items.push_back(rfc822("RFC822", Section::Kind::whole, false));
  else if (name == "RFC822.HEADER")
    items.push_back(rfc822("RFC822.HEADER", Section::Kind::header, false));
  else if (name == "RFC822.TEXT")
    items.push_back(rfc822("RFC822.TEXT", Section::Kind::text, true));
  else if (name == "RFC822.TEXT.PEEK")
    items.push_back(rfc822("RFC822.TEXT", Section::Kind::text, false));
  else
    return false;
  return true;
}

bool take_macro(Parser& parser, FetchRequest& request) {
  const auto add = [&](std::initializer_list<Kind> kinds) {
    for (const Kind kind : kinds) request.items.push_back(simple(kind));
    return true;
  };
  if (parser.word("ALL")) return add({Kind::flags, Kind::internal_date, Kind::size, Kind::envelope});
  if (parser.word("FAST")) return add({Kind::flags, Kind::internal_date, Kind::size});
  if (parser.word("FULL"))
    return add({Kind::flags, Kind::internal_date, Kind::size, Kind::envelope, Kind::body});
  return false;
}

bool parse_modifiers(Parser& parser, FetchRequest& request) {
  if (!parser.take('(')) return false;
  do {
    if (!parser.word("CHANGEDSINCE") || !parser.space()) return false;
    request.changed_since = parser.number64();
    if (!request.changed_since) return false;
  } while (parser.space());
  return parser.take(')');
}

}  // namespace

bool FetchRequest::wants(FetchItem::Kind kind) const {
  return std::ranges::any_of(items, [&](const FetchItem& item) { return item.kind == kind; });
}

bool FetchRequest::wants_structure() const {
  return std::ranges::any_of(items, [](const FetchItem& item) {
    if (item.kind == Kind::octets)
      return !item.section.part.empty() || item.section.kind != Section::Kind::whole;
    return item.kind == Kind::envelope || item.kind == Kind::body || item.kind == Kind::body_structure;
  });
}

bool FetchRequest::sees() const {
  return std::ranges::any_of(items, [](const FetchItem& item) { return item.sees; });
}

std::optional<FetchRequest> parse_fetch(Parser& parser) {
  FetchRequest request;
  if (parser.take('(')) {
    do {
      if (!parse_item(parser, request)) return std::nullopt;
    } while (parser.space());
    if (!parser.take(')')) return std::nullopt;
  } else if (!take_macro(parser, request) && !parse_item(parser, request)) {
    return std::nullopt;
  }
  if (parser.at_end()) return request;
  // at_end() has passed over the space.
  if (!parse_modifiers(parser, request) || !parser.at_end()) return std::nullopt;
  return request;
}

}  // namespace muhur::imap
