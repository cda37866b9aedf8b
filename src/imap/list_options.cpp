#include "imap/list_options.hpp"

#include "imap/limits.hpp"
#include "imap/mutf7.hpp"

namespace muhur::imap {
namespace {

bool parse_selection(Parser& parser, ListRequest& request) {
  while (!parser.take(')')) {
    if (parser.word("SUBSCRIBED"))
      request.only_subscribed = request.return_subscribed = true;
    else if (parser.word("RECURSIVEMATCH"))
      request.recursive_match = true;
    else if (parser.word("SPECIAL-USE"))
      request.only_special_use = true;
    else if (!parser.word("REMOTE"))
      return false;  // there are no remote mailboxes to add
    if (!parser.peek(')') && !parser.space()) return false;
  }
  // RECURSIVEMATCH needs something that children can match (RFC 5258 §3.1).
  return !request.recursive_match || request.only_subscribed;
}

bool parse_return(Parser& parser, ListRequest& request) {
  if (!parser.word("RETURN") || !parser.space() || !parser.take('(')) return false;
  while (!parser.take(')')) {
    if (parser.word("SUBSCRIBED")) {
      request.return_subscribed = true;
    } else if (parser.word("STATUS")) {
      auto items = parser.space() ? parse_status_items(parser) : std::nullopt;
      if (!items) return false;
      request.status = std::move(*items);
    } else if (!parser.word("CHILDREN") && !parser.word("SPECIAL-USE")) {
      return false;  // those two are in every answer
    }
    if (!parser.peek(')') && !parser.space()) return false;
  }
  return true;
}

bool add_pattern(Parser& parser, const std::string& reference, ListRequest& request) {
  const auto written = parser.list_mailbox();
  if (!written || request.patterns.size() >= kMaxListPatterns) return false;
  if (written->empty()) {
    request.asks_for_root = true;
  } else if (const auto pattern = text_of(reference + *written)) {
    request.pattern_octets += pattern->size();
    if (request.pattern_octets > kMaxPatternOctets) return false;
    request.patterns.emplace_back(*pattern);
    request.has_percent = request.has_percent || pattern->contains('%');
  }
  return true;
}

}  // namespace

std::optional<ListRequest> parse_list(Parser& parser, bool extended) {
  ListRequest request;
  if (!parser.space()) return std::nullopt;
  if (extended && parser.take('(') && (!parse_selection(parser, request) || !parser.space()))
    return std::nullopt;
  const auto reference = parser.astring();
  if (!reference || !parser.space()) return std::nullopt;
  if (extended && parser.take('(')) {
    do {
      if (!add_pattern(parser, *reference, request)) return std::nullopt;
    } while (parser.space());
    if (!parser.take(')')) return std::nullopt;
  } else if (!add_pattern(parser, *reference, request)) {
    return std::nullopt;
  }
  if (parser.at_end()) return request;
  if (!extended || !parse_return(parser, request) || !parser.at_end()) return std::nullopt;
  return request;
}

}  // namespace muhur::imap
