#include "imap/search_keys.hpp"

#include <algorithm>
#include <array>

#include "base/unicode.hpp"
#include "imap/dates.hpp"
#include "imap/limits.hpp"

namespace muhur::imap {
namespace {

using mailbox::Criterion;
using Kind = Criterion::Kind;

struct FlagKey {
  std::string_view name;
  Kind kind;
  std::uint8_t flag;
};
constexpr std::array<FlagKey, 10> kFlagKeys = {{
    {"ANSWERED", Kind::flag, mailbox::kAnswered},
    {"DELETED", Kind::flag, mailbox::kDeleted},
    {"DRAFT", Kind::flag, mailbox::kDraft},
    {"FLAGGED", Kind::flag, mailbox::kFlagged},
    {"SEEN", Kind::flag, mailbox::kSeen},
    {"UNANSWERED", Kind::no_flag, mailbox::kAnswered},
    {"UNDELETED", Kind::no_flag, mailbox::kDeleted},
    {"UNDRAFT", Kind::no_flag, mailbox::kDraft},
    {"UNFLAGGED", Kind::no_flag, mailbox::kFlagged},
    {"UNSEEN", Kind::no_flag, mailbox::kSeen},
}};

struct ArgumentKey {
  std::string_view name;
  Kind kind;
  enum class Takes { text, word, day, number } takes;
};
constexpr std::array<ArgumentKey, 17> kArgumentKeys = {{
    {"FROM", Kind::from, ArgumentKey::Takes::text},
    {"TO", Kind::to, ArgumentKey::Takes::text},
    {"CC", Kind::cc, ArgumentKey::Takes::text},
    {"BCC", Kind::bcc, ArgumentKey::Takes::text},
    {"SUBJECT", Kind::subject, ArgumentKey::Takes::text},
    {"BODY", Kind::body, ArgumentKey::Takes::text},
    {"TEXT", Kind::text, ArgumentKey::Takes::text},
    {"KEYWORD", Kind::keyword, ArgumentKey::Takes::word},
    {"UNKEYWORD", Kind::no_keyword, ArgumentKey::Takes::word},
    {"BEFORE", Kind::before, ArgumentKey::Takes::day},
    {"ON", Kind::on, ArgumentKey::Takes::day},
    {"SINCE", Kind::since, ArgumentKey::Takes::day},
    {"SENTBEFORE", Kind::sent_before, ArgumentKey::Takes::day},
    {"SENTON", Kind::sent_on, ArgumentKey::Takes::day},
    {"SENTSINCE", Kind::sent_since, ArgumentKey::Takes::day},
    {"LARGER", Kind::larger, ArgumentKey::Takes::number},
    {"SMALLER", Kind::smaller, ArgumentKey::Takes::number},
}};

Criterion of_kind(Kind kind) {
  Criterion criterion;
  criterion.kind = kind;
  return criterion;
}
Criterion of_uids(mailbox::UidSet uids) {
  Criterion criterion = of_kind(Kind::uids);
  criterion.uids = std::move(uids);
  return criterion;
}
Criterion negated(Criterion inner) {
  Criterion criterion = of_kind(Kind::not_);
  criterion.children.push_back(std::move(inner));
  return criterion;
}
Criterion unseen() {
  Criterion criterion = of_kind(Kind::no_flag);
  criterion.system = mailbox::kSeen;
  return criterion;
}

class SearchParser {
 public:
  SearchParser(Parser& in, const View& view, SearchRequest& request)
      : in_(in), view_(view), request_(request) {}

  SearchProblem parse() {
    if (in_.word("RETURN") && !parse_return()) return syntax("RETURN's options are wrong");
    if (in_.word("CHARSET")) {
      if (!in_.space()) return syntax("a charset is missing");
      const auto charset = in_.astring();
      if (!charset || !in_.space()) return syntax("a charset is missing");
      charset_ = *charset;
      if (!knows_charset(charset_)) return {SearchProblem::Kind::charset, charset_};
    }
    request_.criterion = of_kind(Kind::and_);
    if (!parse_keys(request_.criterion, 0) || !in_.at_end()) return syntax(problem_);
    return {};
  }

 private:
  SearchProblem syntax(std::string_view what) { return {SearchProblem::Kind::syntax, std::string(what)}; }

  bool parse_return() {
    if (!in_.space() || !in_.take('(')) return false;
    request_.extended = true;
    while (!in_.take(')')) {
      if (in_.word("MIN"))
        request_.min = true;
      else if (in_.word("MAX"))
        request_.max = true;
      else if (in_.word("ALL"))
        request_.all = true;
      else if (in_.word("COUNT"))
        request_.count = true;
      else
        return false;
      in_.space();
    }
    if (!request_.min && !request_.max && !request_.count) request_.all = true;
    return in_.space();
  }

  // One key or several with a space between, all of which must hold.
  bool parse_keys(Criterion& into, unsigned depth) {
    do {
      auto key = parse_key(depth);
      if (!key) return false;
      into.children.push_back(std::move(*key));
    } while (in_.space() && !in_.at_end());
    return true;
  }

  std::optional<Criterion> parse_key(unsigned depth) {
    if (depth > kMaxNesting) {
      problem_ = "nested too deep";
      return std::nullopt;
    }
    if (++keys_ > kMaxSearchKeys) {
      problem_ = "too many keys";
      return std::nullopt;
    }
    if (in_.take('(')) {
      Criterion all = of_kind(Kind::and_);
      if (!parse_keys(all, depth + 1) || !in_.take(')')) return std::nullopt;
      return all;
    }
    if (const auto set = in_.set_text()) return numbers(*set, false);
    const auto word = in_.atom();
    if (!word) return std::nullopt;
    const std::string name = to_upper_ascii(*word);
    if (name == "NOT") {
      if (!in_.space()) return std::nullopt;
      auto inner = parse_key(depth + 1);
      if (!inner) return std::nullopt;
      return negated(std::move(*inner));
    }
    if (name == "OR") {
      Criterion either = of_kind(Kind::or_);
      for (int i = 0; i < 2; ++i) {
        if (!in_.space()) return std::nullopt;
        auto inner = parse_key(depth + 1);
        if (!inner) return std::nullopt;
        either.children.push_back(std::move(*inner));
      }
      return either;
    }
    return parse_plain(name);
  }

  std::optional<Criterion> parse_plain(const std::string& name) {
    if (name == "ALL") return of_kind(Kind::all);
    if (name == "RECENT") return of_uids(view_.recent_uids());
    if (name == "OLD") return negated(of_uids(view_.recent_uids()));
    if (name == "NEW") {
      Criterion both = of_kind(Kind::and_);
      both.children.push_back(of_uids(view_.recent_uids()));
      both.children.push_back(unseen());
      return both;
    }
    for (const auto& key : kFlagKeys) {
      if (key.name != name) continue;
      Criterion criterion = of_kind(key.kind);
      criterion.system = key.flag;
      return criterion;
    }
    if (!in_.space()) {
      problem_ = "unknown search key, or its argument is missing";
      return std::nullopt;
    }
    if (name == "UID") {
      const auto set = in_.set_text();
      if (!set) return std::nullopt;
      return numbers(*set, true);
    }
    if (name == "HEADER") return parse_header();
    if (name == "MODSEQ") return parse_modseq();
    for (const auto& key : kArgumentKeys)
      if (key.name == name) return parse_argument(key);
    problem_ = "unknown search key";
    return std::nullopt;
  }

  std::optional<Criterion> parse_argument(const ArgumentKey& key) {
    Criterion criterion = of_kind(key.kind);
    if (key.takes == ArgumentKey::Takes::number) {
      const auto number = in_.number64();
      if (!number) return std::nullopt;
      criterion.number = *number;
      return criterion;
    }
    auto text = in_.astring();
    if (!text) return std::nullopt;
    if (key.takes == ArgumentKey::Takes::day) {
      const auto day = parse_day(*text);
      if (!day) {
        problem_ = "that is no date";
        return std::nullopt;
      }
      criterion.day = *day;
    } else if (key.takes == ArgumentKey::Takes::word) {
      criterion.text = std::move(*text);
    } else {
      criterion.text = to_utf8(*text);
    }
    return criterion;
  }

  std::optional<Criterion> parse_header() {
    auto name = in_.astring();
    if (!name || !in_.space()) return std::nullopt;
    const auto text = in_.astring();
    if (!text) return std::nullopt;
    Criterion criterion = of_kind(Kind::header);
    criterion.name = std::move(*name);
    criterion.text = to_utf8(*text);
    return criterion;
  }

  // MODSEQ ["/flags/\\draft" all] 620162338: the modseq of a message covers all its flags here.
  std::optional<Criterion> parse_modseq() {
    if (in_.peek('"')) {
      if (!in_.string() || !in_.space() || !in_.atom() || !in_.space()) return std::nullopt;
    }
    const auto number = in_.number64();
    if (!number) return std::nullopt;
    request_.modseq = true;
    Criterion criterion = of_kind(Kind::modseq);
    criterion.number = *number;
    return criterion;
  }

  std::optional<Criterion> numbers(std::string_view text, bool uid) {
    const auto set = parse_sequence_set(text);
    auto uids = set ? view_.resolve_ranges(*set, uid) : std::nullopt;
    if (!uids) {
      problem_ = "no such message numbers";
      return std::nullopt;
    }
    return of_uids(std::move(*uids));
  }

  std::string to_utf8(const std::string& text) const {
    if (is_ascii(text)) return text;
    if (charset_.empty()) return to_valid_utf8(text);
    return from_charset(text, charset_).value_or(to_valid_utf8(text));
  }

  Parser& in_;
  const View& view_;
  SearchRequest& request_;
  std::string charset_;
  std::size_t keys_ = 0;
  std::string_view problem_ = "the search keys are wrong";
};

}  // namespace

SearchProblem parse_search(Parser& parser, const View& view, SearchRequest& request) {
  return SearchParser(parser, view, request).parse();
}

}  // namespace muhur::imap
