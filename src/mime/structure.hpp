#pragma once
// What a message is made of: the tree of its parts with exact offsets into its bytes, as IMAP's
// BODYSTRUCTURE and BODY[…] need them (RFC 2045, 2046, 3501 §7.4.2). Made once, at arrival, by
// mime/scanner.hpp; serialised by mailbox/summary.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace muhur::mime {

// Names lower-case, values as they stand in the message after RFC 2231 continuations are joined;
// an RFC 2231 charset value keeps its name with '*' ("filename*") and its encoded form, as Dovecot shows it.
using Parameters = std::vector<std::pair<std::string, std::string>>;

struct Part {
  enum class Kind : std::uint8_t {
    leaf,       // anything without parts inside
    multipart,  // children are its parts; none if no boundary was given or none was found. IMAP shows
                // such a one as if it held one empty text/plain
    message,    // message/rfc822: children[0] is the root of the message inside (message/global is a
                // leaf: RFC 3501's body-type-msg knows only rfc822)
  };
  Kind kind = Kind::leaf;
  std::int32_t parent = -1;  // index into Structure::parts; -1 for the root
  std::vector<std::uint32_t> children;

  // Offsets in octets from the start of the whole message. The header includes the empty line that ends
  // it (if there is one); the body does not include the line break that belongs to a following boundary.
  // A part whose header, or the empty line after it, runs into a boundary has its header end before that line
  // break, and no body.
  std::uint64_t header_start = 0, header_size = 0;
  std::uint64_t body_start = 0, body_size = 0;
  std::uint32_t header_lines = 0, body_lines = 0;  // lines = line feeds

  // As written in the message; compare ignoring case. What a default or a limit made of it where nothing
  // (valid) is written: text/plain, message/rfc822 within multipart/digest, application/octet-stream for
  // what a limit made a leaf, and empty strings (or "text" and an empty one) for a malformed Content-Type.
  std::string type = "text", subtype = "plain";
  Parameters parameters;  // charset=us-ascii added by those who show it, not here
  bool has_type = false;  // a valid Content-Type stood there
  std::string encoding;   // empty: none given (7bit)
  std::optional<std::string> id, description, md5, location;
  std::vector<std::string> language;
  std::optional<std::string> disposition;  // "attachment", "inline", …
  Parameters disposition_parameters;
};

// RFC 5322 addresses in ENVELOPE's shape (RFC 3501 §7.4.2): a group begins with an address that has only
// a mailbox (its name) and ends with one that has nothing.
struct Address {
  std::optional<std::string> name;   // raw, RFC 2047 words not decoded
  std::optional<std::string> route;  // obsolete source route
  std::optional<std::string> mailbox;
  std::optional<std::string> host;
};

struct Envelope {
  std::optional<std::string> date, subject, in_reply_to, message_id;  // raw, unfolded
  std::vector<Address> from, sender, reply_to, to, cc, bcc;           // sender, reply_to default to from
};

struct Structure {
  std::vector<Part> parts;  // parts[0] is the root; parents stand before children
  Envelope envelope;        // of the message itself
  // Envelopes of messages inside: index of the root part within the message/rfc822 part -> envelope, in
  // ascending order.
  std::vector<std::pair<std::uint32_t, Envelope>> inner_envelopes;
  bool limited = false;  // a limit cut the tree: what lies deeper is served as one leaf
  const Envelope* inner_envelope(std::uint32_t part) const;
};

// The part that an IMAP section number names (RFC 3501 §6.4.5: "1", "2.1", …); nullopt if there is none.
// Part 1 of a non-multipart is its own body; a message/rfc822 part's numbers go on inside it.
std::optional<std::uint32_t> part_at(const Structure& structure, const std::vector<std::uint32_t>& section);

}  // namespace muhur::mime
