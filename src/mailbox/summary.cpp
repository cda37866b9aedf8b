// summary    = version u8 (1) | limited u8 (0, 1) | envelope | parts varint | part…
//              | inner varint | inner × (part index varint | envelope)
// envelope   = shape u8 (1: sender = from, 2: reply-to = from) | date? | subject? | in-reply-to?
//              | message-id? | from list | [sender list] | [reply-to list] | to | cc | bcc list
// list       = count varint | count × (name? | route? | mailbox? | host?)
// part       = shape u8 | parent+1 varint | header start, header size varint
//              | body start - end of header signed varint | body size | header lines | body lines varint
//              | [type text | subtype text] | encoding text | [parameters] | [extras]
// shape      = kind (bits 0, 1) | 4: has a Content-Type | 8: type and subtype given (else text/plain)
//              | 16: parameters | 32: extras
// parameters = count varint | count × (name text | value text)
// extras     = id? | description? | md5? | location? | languages varint | language text… | disposition?
//              | parameters
// A '?' is an optional text (coding.hpp).
#include "mailbox/summary.hpp"

#include <algorithm>

#include "mailbox/coding.hpp"

namespace muhur::mailbox {
namespace {

using mime::Address;
using mime::Envelope;
using mime::Parameters;
using mime::Part;
using mime::Structure;

constexpr std::uint8_t kVersion = 1;
enum EnvelopeShape : std::uint8_t { kSenderIsFrom = 1, kReplyToIsFrom = 2 };
enum PartShape : std::uint8_t { kKindBits = 3, kHasType = 4, kTyped = 8, kParameters = 16, kExtras = 32 };

bool same(const Address& a, const Address& b) {
  return a.name == b.name && a.route == b.route && a.mailbox == b.mailbox && a.host == b.host;
}

bool same(const std::vector<Address>& a, const std::vector<Address>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Address& x, const Address& y) { return same(x, y); });
}

void put(Writer& out, const std::vector<Address>& addresses) {
  out.varint(addresses.size());
  for (const Address& address : addresses) {
    out.optional_text(address.name);
    out.optional_text(address.route);
    out.optional_text(address.mailbox);
    out.optional_text(address.host);
  }
}

std::vector<Address> get_addresses(Reader& in) {
  std::vector<Address> addresses(in.count(4));
  for (Address& address : addresses) {
    address.name = in.optional_text();
    address.route = in.optional_text();
    address.mailbox = in.optional_text();
    address.host = in.optional_text();
  }
  return addresses;
}

void put(Writer& out, const Envelope& envelope) {
  const bool sender = !same(envelope.sender, envelope.from);
  const bool reply_to = !same(envelope.reply_to, envelope.from);
  out.u8(static_cast<std::uint8_t>((sender ? 0 : kSenderIsFrom) | (reply_to ? 0 : kReplyToIsFrom)));
  out.optional_text(envelope.date);
  out.optional_text(envelope.subject);
  out.optional_text(envelope.in_reply_to);
  out.optional_text(envelope.message_id);
  put(out, envelope.from);
  if (sender) put(out, envelope.sender);
  if (reply_to) put(out, envelope.reply_to);
  put(out, envelope.to);
  put(out, envelope.cc);
  put(out, envelope.bcc);
}

Envelope get_envelope(Reader& in) {
  Envelope envelope;
  const std::uint8_t shape = in.u8();
  if (shape > (kSenderIsFrom | kReplyToIsFrom)) in.fail();
  envelope.date = in.optional_text();
  envelope.subject = in.optional_text();
  envelope.in_reply_to = in.optional_text();
  envelope.message_id = in.optional_text();
  envelope.from = get_addresses(in);
  envelope.sender = shape & kSenderIsFrom ? envelope.from : get_addresses(in);
  envelope.reply_to = shape & kReplyToIsFrom ? envelope.from : get_addresses(in);
  envelope.to = get_addresses(in);
  envelope.cc = get_addresses(in);
  envelope.bcc = get_addresses(in);
  return envelope;
}

void put(Writer& out, const Parameters& parameters) {
  out.varint(parameters.size());
  for (const auto& [name, value] : parameters) {
    out.text(name);
    out.text(value);
  }
}

Parameters get_parameters(Reader& in) {
  Parameters parameters(in.count(2));
  for (auto& [name, value] : parameters) {
    name = in.text();
    value = in.text();
  }
  return parameters;
}

// A part that claims a shape its children do not bear is kept as the leaf that it can be served as.
Part::Kind sound_kind(const Part& part) {
  if (part.kind == Part::Kind::message && part.children.size() != 1) return Part::Kind::leaf;
  return part.kind;
}

void put(Writer& out, const Part& part) {
  const bool typed = part.type != "text" || part.subtype != "plain";
  const bool extras = part.id || part.description || part.md5 || part.location || !part.language.empty() ||
                      part.disposition || !part.disposition_parameters.empty();
  out.u8(static_cast<std::uint8_t>(static_cast<int>(sound_kind(part)) | (part.has_type ? kHasType : 0) |
                                   (typed ? kTyped : 0) | (part.parameters.empty() ? 0 : kParameters) |
                                   (extras ? kExtras : 0)));
  out.varint(static_cast<std::uint64_t>(part.parent + 1));
  out.varint(part.header_start);
  out.varint(part.header_size);
  out.signed_varint(static_cast<std::int64_t>(part.body_start - (part.header_start + part.header_size)));
  out.varint(part.body_size);
  out.varint(part.header_lines);
  out.varint(part.body_lines);
  if (typed) {
    out.text(part.type);
    out.text(part.subtype);
  }
  out.text(part.encoding);
  if (!part.parameters.empty()) put(out, part.parameters);
  if (!extras) return;
  out.optional_text(part.id);
  out.optional_text(part.description);
  out.optional_text(part.md5);
  out.optional_text(part.location);
  out.varint(part.language.size());
  for (const std::string& language : part.language) out.text(language);
  out.optional_text(part.disposition);
  put(out, part.disposition_parameters);
}

Part get_part(Reader& in, std::size_t index, std::uint64_t message_size) {
  Part part;
  const std::uint8_t shape = in.u8();
  const std::uint8_t kind = shape & kKindBits;
  if (kind > static_cast<std::uint8_t>(Part::Kind::message) || shape >= kExtras * 2) in.fail();
  part.kind = static_cast<Part::Kind>(kind);
  part.has_type = (shape & kHasType) != 0;
  part.parent = static_cast<std::int32_t>(in.varint(index)) - 1;
  if ((part.parent < 0) != (index == 0)) in.fail();  // one root, and it is the first
  part.header_start = in.varint(message_size);
  part.header_size = in.varint(message_size - part.header_start);
  const std::uint64_t header_end = part.header_start + part.header_size;
  part.body_start = header_end + static_cast<std::uint64_t>(in.signed_varint());
  if (part.body_start > message_size) {
    in.fail();
    part.body_start = 0;
  }
  part.body_size = in.varint(message_size - part.body_start);
  part.header_lines = static_cast<std::uint32_t>(in.varint(UINT32_MAX));
  part.body_lines = static_cast<std::uint32_t>(in.varint(UINT32_MAX));
  if (shape & kTyped) {
    part.type = in.text();
    part.subtype = in.text();
  }
  part.encoding = in.text();
  if (shape & kParameters) part.parameters = get_parameters(in);
  if (!(shape & kExtras)) return part;
  part.id = in.optional_text();
  part.description = in.optional_text();
  part.md5 = in.optional_text();
  part.location = in.optional_text();
  part.language.resize(in.count(1));
  for (std::string& language : part.language) language = in.text();
  part.disposition = in.optional_text();
  part.disposition_parameters = get_parameters(in);
  return part;
}

bool is_sound(const Part& part) {
  switch (part.kind) {
    case Part::Kind::leaf:
      return part.children.empty();
    case Part::Kind::message:
      return part.children.size() == 1;
    case Part::Kind::multipart:
      return true;
  }
  return false;
}

}  // namespace

Bytes encode_summary(const Structure& structure) {
  Writer out;
  out.u8(kVersion);
  out.u8(structure.limited ? 1 : 0);
  put(out, structure.envelope);
  out.varint(structure.parts.size());
  for (const Part& part : structure.parts) put(out, part);
  out.varint(structure.inner_envelopes.size());
  for (const auto& [index, envelope] : structure.inner_envelopes) {
    out.varint(index);
    put(out, envelope);
  }
  return out.take();
}

std::optional<Envelope> decode_envelope(ByteView bytes) {
  Reader in(bytes);
  if (in.u8() != kVersion) return std::nullopt;
  in.u8();
  Envelope envelope = get_envelope(in);
  if (!in.ok()) return std::nullopt;
  return envelope;
}

std::optional<Structure> decode_summary(ByteView bytes, std::uint64_t message_size) {
  Reader in(bytes);
  if (in.u8() != kVersion) return std::nullopt;
  Structure structure;
  structure.limited = in.u8() != 0;
  structure.envelope = get_envelope(in);
  const std::size_t parts = in.count(9);  // the least bytes of a part
  if (parts == 0) return std::nullopt;
  structure.parts.reserve(parts);
  for (std::size_t i = 0; i < parts && in.ok(); ++i) {
    structure.parts.push_back(get_part(in, i, message_size));
    const std::int32_t parent = structure.parts.back().parent;
    if (in.ok() && parent >= 0)
      structure.parts[static_cast<std::size_t>(parent)].children.push_back(static_cast<std::uint32_t>(i));
  }
  const std::size_t inner = in.count(2);
  for (std::size_t i = 0; i < inner && in.ok(); ++i) {
    const auto index = static_cast<std::uint32_t>(in.varint(parts - 1));
    structure.inner_envelopes.emplace_back(index, get_envelope(in));
  }
  if (!in.done() || !std::all_of(structure.parts.begin(), structure.parts.end(), is_sound))
    return std::nullopt;
  return structure;
}

}  // namespace muhur::mailbox
