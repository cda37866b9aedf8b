#pragma once
// SEARCH's grammar (RFC 3501 §6.4.4, RFC 4731, RFC 7162 §3.1.5), parsed into what mailbox/search.hpp takes.
// Message numbers become UIDs here, by the view.

#include <optional>
#include <string>

#include "imap/parser.hpp"
#include "imap/view.hpp"
#include "mailbox/search.hpp"

namespace muhur::imap {

struct SearchRequest {
  mailbox::Criterion criterion;  // an and_
  bool extended = false;         // RETURN was given: answer with ESEARCH
  bool min = false, max = false, all = false, count = false;
  bool modseq = false;  // a MODSEQ key was there: CONDSTORE is on, and the answer says a modseq
};

struct SearchProblem {
  enum class Kind { none, syntax, charset } kind = Kind::none;
  std::string text;
};

// What stands behind SEARCH. On a problem the request is of no use.
SearchProblem parse_search(Parser& parser, const View& view, SearchRequest& request);

}  // namespace muhur::imap
