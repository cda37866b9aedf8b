#pragma once
// Search criteria as a tree (RFC 3501 §6.4.4, RFC 7162 MODSEQ) and their evaluation: what the index can
// tell by SQL, the rest by looking. Substring meaning on case-folded, decoded text.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "mailbox/types.hpp"

namespace muhur::mailbox {

struct Criterion {
  enum class Kind {
    all,
    and_,
    or_,
    not_,  // children
    uids,  // uids (message numbers are turned into UIDs by the session)
    flag,
    no_flag,  // system
    keyword,
    no_keyword,  // text
    header,      // name, text (empty text: the field is there)
    from,
    to,
    cc,
    bcc,
    subject,  // text in the envelope, decoded
    body,
    text,  // text: body only; headers and body
    before,
    on,
    since,  // day: internal date, days since 1970, zone disregarded
    sent_before,
    sent_on,
    sent_since,
    larger,
    smaller,  // number
    modseq,   // number: at least
  };
  Kind kind = Kind::all;
  std::vector<Criterion> children;
  UidSet uids;
  std::uint8_t system = 0;
  std::string name;
  std::string text;  // UTF-8
  std::int64_t day = 0;
  std::uint64_t number = 0;
};

// A search under way (Mailbox::begin_search), a piece at a time, so that a long one keeps no thread to
// itself.
class Search {
 public:
  struct Impl;
  explicit Search(std::unique_ptr<Impl> impl);
  Search(Search&&) noexcept;
  Search& operator=(Search&&) noexcept;
  ~Search();

  // Looks at one message at least and at more for about that long. true: there are more. Blocks. One thread
  // at a time. closed: its mailbox was closed meanwhile. corrupt, io.
  Result<bool> step(Millis time);
  // UIDs that match, ascending; once step() has said false. Once.
  std::vector<Uid> take();

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace muhur::mailbox
