#include "mailbox/search_match.hpp"

#include <algorithm>

#include "base/unicode.hpp"
#include "mailbox/looked_at.hpp"
#include "mailbox/prepared.hpp"
#include "mailbox/search_text.hpp"

namespace muhur::mailbox {

using Kind = Criterion::Kind;

// What a criterion has to read, cheapest first.
enum class Cost { row, summary, header, text };

struct Matcher::Node {
  Kind kind = Kind::all;
  Cost cost = Cost::row;
  std::vector<Node> children;
  UidSet uids;
  std::uint8_t system = 0;
  KeywordId keyword = 0;  // 0: no message has it
  std::string name, needle;
  std::int64_t day = 0;
  std::uint64_t number = 0;

  static Result<Node> make(vault::Connection& connection, const Criterion& criterion);
  Result<bool> matches(LookedAt& message) const;
  bool matches_row(const Row& row) const;
  Result<bool> matches_content(LookedAt& message) const;
};

namespace {

Cost cost_of(Kind kind) {
  switch (kind) {
    case Kind::from:
    case Kind::to:
    case Kind::cc:
    case Kind::bcc:
    case Kind::subject:
    case Kind::sent_before:
    case Kind::sent_on:
    case Kind::sent_since:
      return Cost::summary;
    case Kind::header:
      return Cost::header;
    case Kind::body:
    case Kind::text:
      return Cost::text;
    default:
      return Cost::row;
  }
}

bool has(std::string_view text, std::string_view needle) {
  return text.find(needle) != std::string_view::npos;
}

}  // namespace

Result<Matcher::Node> Matcher::Node::make(vault::Connection& connection, const Criterion& criterion) {
  Node node;
  node.kind = criterion.kind;
  node.cost = cost_of(criterion.kind);
  node.uids = criterion.uids;
  node.system = criterion.system;
  node.day = criterion.day;
  node.number = criterion.number;
  if (node.kind == Kind::keyword || node.kind == Kind::no_keyword) {
    MUHUR_TRY(node.keyword, Keywords(connection).known(criterion.text));
  } else {
    node.name = criterion.name;
    node.needle = fold_text(criterion.text);
  }
  for (const Criterion& child : criterion.children) {
    MUHUR_TRY(Node made, make(connection, child));
    node.cost = std::max(node.cost, made.cost);
    node.children.push_back(std::move(made));
  }
  std::sort(node.children.begin(), node.children.end(),
            [](const Node& a, const Node& b) { return a.cost < b.cost; });
  return node;
}

bool Matcher::Node::matches_row(const Row& row) const {
  const auto has_keyword = [&] {
    const KeywordIds ids = decode_keywords(row.keywords);
    return keyword != 0 && std::binary_search(ids.begin(), ids.end(), keyword);
  };
  switch (kind) {
    case Kind::uids:
      return contains(uids, row.uid);
    case Kind::flag:
      return (row.flags & system) == system;
    case Kind::no_flag:
      return (row.flags & system) != system;
    case Kind::keyword:
      return has_keyword();
    case Kind::no_keyword:
      return !has_keyword();
    case Kind::before:
      return day_of(row.date_s, row.zone_minutes) < day;
    case Kind::on:
      return day_of(row.date_s, row.zone_minutes) == day;
    case Kind::since:
      return day_of(row.date_s, row.zone_minutes) >= day;
    case Kind::larger:
      return row.size > number;
    case Kind::smaller:
      return row.size < number;
    case Kind::modseq:
      return row.modseq >= number;
    default:
      return true;
  }
}

Result<bool> Matcher::Node::matches_content(LookedAt& message) const {
  switch (kind) {
    case Kind::from:
      return message.envelope_has(&mime::Envelope::from, needle);
    case Kind::to:
      return message.envelope_has(&mime::Envelope::to, needle);
    case Kind::cc:
      return message.envelope_has(&mime::Envelope::cc, needle);
    case Kind::bcc:
      return message.envelope_has(&mime::Envelope::bcc, needle);
    case Kind::subject:
      return message.subject_has(needle);
    case Kind::header:
      return message.header_has(name, needle);
    case Kind::body: {
      MUHUR_TRY(const SearchText* text, message.text());
      return has(text->body(), needle);
    }
    case Kind::text: {
      MUHUR_TRY(const SearchText* text, message.text());
      return has(text->header(), needle) || has(text->body(), needle);
    }
    default:
      break;
  }
  MUHUR_TRY(const std::optional<std::int64_t> sent, message.sent_day());
  if (!sent) return false;  // no date that can be read is on no day
  if (kind == Kind::sent_before) return *sent < day;
  return kind == Kind::sent_on ? *sent == day : *sent >= day;
}

Result<bool> Matcher::Node::matches(LookedAt& message) const {
  switch (kind) {
    case Kind::all:
      return true;
    case Kind::not_: {
      MUHUR_TRY(const bool inner, children.empty() ? Result<bool>(true) : children.front().matches(message));
      return !inner;
    }
    case Kind::and_:
    case Kind::or_: {
      const bool decides = kind == Kind::or_;
      for (const Node& child : children) {
        MUHUR_TRY(const bool got, child.matches(message));
        if (got == decides) return decides;
      }
      return !decides;
    }
    default:
      break;
  }
  if (cost == Cost::row) return matches_row(message.row());
  return matches_content(message);
}

Matcher::Matcher(std::unique_ptr<Node> root) : root_(std::move(root)) {}
Matcher::Matcher(Matcher&&) noexcept = default;
Matcher::~Matcher() = default;

Result<Matcher> Matcher::make(vault::Connection& connection, const Criterion& criterion) {
  MUHUR_TRY(Node root, Node::make(connection, criterion));
  return Matcher(std::make_unique<Node>(std::move(root)));
}

bool Matcher::needs_content() const { return root_->cost != Cost::row; }

Result<bool> Matcher::matches(vault::Connection& connection, const Row& row) const {
  LookedAt message(connection, row);
  auto matched = root_->matches(message);
  if (!matched && matched.error().code == Code::not_found) return false;
  return matched;
}

}  // namespace muhur::mailbox
