#include "imap/reply.hpp"

namespace muhur::imap {

Reply ok(std::string_view text, std::string code) {
  return {Reply::Status::ok, std::move(code), std::string(text)};
}
Reply no(std::string_view text, std::string code) {
  return {Reply::Status::no, std::move(code), std::string(text)};
}
Reply bad(std::string_view text) { return {Reply::Status::bad, {}, std::string(text)}; }

Reply reply_of(const Error& error) {
  switch (error.code) {
    case Code::not_found:
      return no("There is no such mailbox or message.", "NONEXISTENT");
    case Code::exists:
      return no("That exists already.", "ALREADYEXISTS");
    case Code::invalid:
      return no("That cannot be done.", "CANNOT");
    case Code::denied:
      return no("That is not permitted.", "NOPERM");
    case Code::quota:
      return no("The mailbox is full.", "OVERQUOTA");
    case Code::limit:
      return no("That is over a limit of this server.", "LIMIT");
    case Code::busy:
      return no("The server is busy: try again in a while.", "UNAVAILABLE");
    case Code::no_space:
      return no("The server has no space left: try again later.", "UNAVAILABLE");
    case Code::timed_out:
      return no("That took too long: try again later.", "UNAVAILABLE");
    case Code::io:
      return no("Storage failed: try again later.", "UNAVAILABLE");
    case Code::closed:
      return no("The mailbox was closed: sign in again.", "UNAVAILABLE");
    case Code::corrupt:
      return no("Stored data is damaged: tell your administrator.", "CORRUPTION");
    case Code::unsupported:
      return no("That is not supported here.", "CANNOT");
    case Code::conflict:
      return no("Somebody changed it meanwhile: try again.", "INUSE");
    case Code::internal:
      break;
  }
  return no("The server met an error of its own: tell your administrator.", "SERVERBUG");
}

void append_reply(std::string& out, std::string_view tag, const Reply& reply) {
  if (reply.status == Reply::Status::answered) return;
  out.append(tag);
  switch (reply.status) {
    case Reply::Status::ok:
      out.append(" OK ");
      break;
    case Reply::Status::no:
      out.append(" NO ");
      break;
    case Reply::Status::bad:
      out.append(" BAD ");
      break;
    case Reply::Status::answered:
      break;
  }
  if (!reply.code.empty()) {
    out.push_back('[');
    out.append(reply.code);
    out.append("] ");
  }
  out.append(reply.text);
  out.append("\r\n");
}

}  // namespace muhur::imap
