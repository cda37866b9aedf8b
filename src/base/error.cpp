#include "base/error.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <system_error>

namespace muhur {
namespace {

struct Meaning {
  Code code;
  std::string_view remedy;
};

// EACCES and EROFS become io, not denied: denied is kept for people's credentials, and a caller that
// answers it with "wrong password" must not do so because a directory is read-only.
Meaning meaning_of(int error_number) {
  switch (error_number) {
    case ENOSPC:
    case EDQUOT:
      return {Code::no_space, "Free some disk space (or raise the disk quota) and try again"};
    case ENOENT:
    case ENOTDIR:
      return {Code::not_found, "Check that the path is spelled right and that its directory exists"};
    case EEXIST:
    case ENOTEMPTY:
      return {Code::exists, "Choose another name or move what is there away"};
    case EACCES:
    case EPERM:
      return {Code::io, "Give the user that Muhur runs as permission to this file and to its directory"};
    case EROFS:
      return {Code::io, "The file system is mounted read-only: remount it writable or choose another place"};
    case EMFILE:
    case ENFILE:
      return {Code::busy, "Too many files are open: raise the limit (LimitNOFILE in the systemd unit)"};
    case ENOMEM:
      return {Code::busy, "Memory is short: stop something else or give the machine more"};
    case EAGAIN:
    case EBUSY:
    case EINTR:
    case ETXTBSY:
      return {Code::busy, "Try again in a moment"};
    case EADDRINUSE:
      return {Code::busy, "Another process listens there: stop it or configure another port"};
    case EADDRNOTAVAIL:
      return {Code::invalid, "This machine does not have that address: check the listen setting"};
    case ETIMEDOUT:
      return {Code::timed_out, "Check that the other side is reachable"};
    case ECONNREFUSED:
      return {Code::closed, "Nothing listens there: check that the server runs"};
    case EPIPE:
    case ECONNRESET:
    case ECONNABORTED:
      return {Code::closed, ""};
    case ENAMETOOLONG:
    case ELOOP:
    case EISDIR:
      return {Code::invalid, "Check the path"};
    case EFBIG:
      return {Code::limit, "The file would grow beyond what the file system or the process's limit allows"};
    case EIO:
      return {Code::io, "The disk reports a failure: look at the kernel's log and have a backup ready"};
    default:
      return {Code::io, ""};
  }
}

}  // namespace

std::string_view name_of(Code code) {
  switch (code) {
    case Code::invalid:
      return "invalid";
    case Code::not_found:
      return "not_found";
    case Code::exists:
      return "exists";
    case Code::denied:
      return "denied";
    case Code::quota:
      return "quota";
    case Code::limit:
      return "limit";
    case Code::busy:
      return "busy";
    case Code::no_space:
      return "no_space";
    case Code::io:
      return "io";
    case Code::corrupt:
      return "corrupt";
    case Code::unsupported:
      return "unsupported";
    case Code::timed_out:
      return "timed_out";
    case Code::closed:
      return "closed";
    case Code::conflict:
      return "conflict";
    case Code::internal:
      return "internal";
  }
  return "unknown";
}

std::string Error::text() const { return remedy.empty() ? what : what + ". " + remedy; }

std::unexpected<Error> fail_errno(int error_number, std::string_view doing) {
  const Meaning meaning = meaning_of(error_number);
  return fail(meaning.code, fmt::format("{}: {}", doing, std::generic_category().message(error_number)),
              std::string(meaning.remedy));
}

}  // namespace muhur
