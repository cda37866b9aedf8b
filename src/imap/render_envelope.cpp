#include "imap/render_envelope.hpp"

#include "imap/respond.hpp"

namespace muhur::imap {
namespace {

void append_addresses(std::string& out, const std::vector<mime::Address>& addresses) {
  if (addresses.empty()) {
    out.append("NIL");
    return;
  }
  out.push_back('(');
  for (const auto& address : addresses) {
    out.push_back('(');
    append_message_nstring(out, address.name);
    out.push_back(' ');
    append_message_nstring(out, address.route);
    out.push_back(' ');
    append_message_nstring(out, address.mailbox);
    out.push_back(' ');
    append_message_nstring(out, address.host);
    out.push_back(')');
  }
  out.push_back(')');
}

}  // namespace

void append_envelope(std::string& out, const mime::Envelope& envelope) {
  out.push_back('(');
  append_message_nstring(out, envelope.date);
  out.push_back(' ');
  append_message_nstring(out, envelope.subject);
  for (const auto* list :
       {&envelope.from, &envelope.sender, &envelope.reply_to, &envelope.to, &envelope.cc, &envelope.bcc}) {
    out.push_back(' ');
    append_addresses(out, *list);
  }
  out.push_back(' ');
  append_message_nstring(out, envelope.in_reply_to);
  out.push_back(' ');
  append_message_nstring(out, envelope.message_id);
  out.push_back(')');
}

}  // namespace muhur::imap
