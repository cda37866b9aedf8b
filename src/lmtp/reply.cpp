#include "lmtp/reply.hpp"

namespace muhur::lmtp {
namespace {

// Failures that are ours and not the message's: the sender keeps it and tries again.
std::string server_trouble(const Error& error) {
  if (error.code == Code::no_space) return "452 4.3.1 insufficient storage, try again later\r\n";
  return "451 4.3.0 temporary failure, try again later\r\n";
}

}  // namespace

std::string reply_to_recipient(const Error& error) {
  switch (error.code) {
    case Code::not_found:
    case Code::invalid:
      return "550 5.1.1 no such user here\r\n";
    // The owner may make room, and the sender's queue is the better place to wait.
    case Code::quota:
      return "452 4.2.2 the mailbox is full\r\n";
    // An imported user's first sign-in makes the mailbox: until then the sender's queue keeps the mail.
    case Code::busy:
      return "450 4.2.1 the mailbox takes no mail yet, try again later\r\n";
    default:
      return server_trouble(error);
  }
}

std::string reply_to_delivery(const Error& error) {
  switch (error.code) {
    case Code::quota:
      return "452 4.2.2 the mailbox is full\r\n";
    case Code::invalid:
      return "554 5.6.0 the message cannot be delivered as it is\r\n";
    default:
      return server_trouble(error);
  }
}

std::string reply_to_syntax(const Error& error) {
  if (error.code == Code::unsupported) return "555 5.5.4 " + error.what + "\r\n";
  return "501 5.5.4 " + error.what + "\r\n";
}

}  // namespace muhur::lmtp
