#pragma once
// LMTP commands as text (RFC 2033, 5321 §4.1, 1870, 3030, 6152, 6531): no network, no state.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace muhur::lmtp {

// RFC 5321 §4.5.3.1 asks for 512 octets a line; extensions add to it, and so do real VERP senders.
inline constexpr std::size_t kMaxLine = 4'096;
inline constexpr std::size_t kMaxPath = 1'000;  // RFC 5321 asks for 256
inline constexpr std::size_t kMaxDomain = 255;
inline constexpr std::size_t kMaxParameters = 16;

enum class Verb { lhlo, helo, mail, rcpt, data, bdat, rset, noop, quit, vrfy, help, unknown };

struct Command {
  Verb verb = Verb::unknown;
  std::string_view rest;  // behind the verb and its blank
};
// `line` is without its line break.
Command parse_command(std::string_view line);

// LHLO's name: a domain or an address literal. Nothing else comes through: it goes into a header.
Result<std::string> parse_client_name(std::string_view rest);

struct MailFrom {
  std::string sender;  // empty for <>
  std::optional<std::uint64_t> size;
  bool utf8 = false;  // SMTPUTF8
};
// `rest` is "FROM:<…> parameters". invalid: syntax. unsupported: an unknown parameter, or one we do not do.
Result<MailFrom> parse_mail(std::string_view rest);
// The address: "local@domain", or "postmaster" alone. Source routes are dropped.
Result<std::string> parse_rcpt(std::string_view rest, bool utf8);

struct Chunk {
  std::uint64_t size = 0;
  bool last = false;
};
Result<Chunk> parse_bdat(std::string_view rest);

}  // namespace muhur::lmtp
