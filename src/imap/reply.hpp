#pragma once
// The tagged answer to a command, and the one edge where errors become answers.

#include <string>
#include <string_view>

#include "base/error.hpp"

namespace muhur::imap {

struct Reply {
  enum class Status { ok, no, bad, answered } status = Status::ok;  // answered: the command did it itself
  std::string code;  // what stands in brackets, without them; may be empty
  std::string text;
};

Reply ok(std::string_view text, std::string code = {});
Reply no(std::string_view text, std::string code = {});
Reply bad(std::string_view text);

// What a client is told of an error: its kind (RFC 5530), never its inner text, which goes to the log.
Reply reply_of(const Error& error);

// "NO [CODE] text" CRLF, behind a tag or '*'.
void append_reply(std::string& out, std::string_view tag, const Reply& reply);

}  // namespace muhur::imap
