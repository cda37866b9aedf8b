#include "mime/part_header.hpp"

#include "base/unicode.hpp"
#include "mime/header.hpp"

namespace muhur::mime {
namespace {

bool is(const Field& field, std::string_view name) { return equals_ignoring_case(field.name, name); }

// Gives the memory of the rest back: a header may hold a hundred thousand.
template <class T>
void keep_first(std::vector<T>& all, std::size_t count) {
  if (all.size() <= count) return;
  all.resize(count);
  all.shrink_to_fit();
}

void read_content_type(std::string_view value, const Limits& limits, Part& part, PartHeader& header) {
  header.has_content_type = true;
  // All parameters are read: the boundary may stand behind more of them than a part keeps.
  auto content = parse_content_type(value, value.size());
  part.has_type = content.has_value();
  if (!content) content = salvage_content_type(value);
  part.type = content->type;
  part.subtype = content->subtype;
  part.parameters = std::move(content->parameters);
  if (part.has_type) {
    header.is_message =
        equals_ignoring_case(part.type, "message") && equals_ignoring_case(part.subtype, "rfc822");
    header.is_multipart = equals_ignoring_case(part.type, "multipart");
    header.is_digest = header.is_multipart && equals_ignoring_case(part.subtype, "digest");
  }
  if (header.is_multipart)
    for (const auto& [name, text] : part.parameters)
      if (name == "boundary") {
        header.boundary = text;
        break;
      }
  keep_first(part.parameters, limits.parameters);
}

// A field that begins with "Content-". Of several the first that says something counts.
void read_content_field(const Field& field, const Limits& limits, Part& part, PartHeader& header) {
  if (is(field, "Content-Type")) {
    if (!header.has_content_type) read_content_type(field.value, limits, part, header);
  } else if (is(field, "Content-Transfer-Encoding")) {
    if (part.encoding.empty()) part.encoding = parse_encoding(field.value);
  } else if (is(field, "Content-ID")) {
    if (!part.id) part.id = unfold(field.value);
  } else if (is(field, "Content-Description")) {
    if (!part.description) part.description = unfold(field.value);
  } else if (is(field, "Content-MD5")) {
    if (!part.md5) part.md5 = unfold(field.value);
  } else if (is(field, "Content-Location")) {
    if (!part.location) part.location = unfold(field.value);
  } else if (is(field, "Content-Language")) {
    if (part.language.empty()) part.language = parse_languages(field.value);
    keep_first(part.language, limits.parameters);
  } else if (is(field, "Content-Disposition")) {
    if (!part.disposition_parameters.empty()) return;
    auto disposition = parse_disposition(field.value, limits.parameters);
    if (!disposition) return;
    disposition->parameters.shrink_to_fit();
    part.disposition = std::move(disposition->kind);
    part.disposition_parameters = std::move(disposition->parameters);
  }
}

// Several fields of one name count as one list: else a message could show its reader another sender than
// the one that was checked.
void add_addresses(const Field& field, const Limits& limits, std::vector<Address>& out) {
  const std::size_t room = limits.addresses - std::min<std::size_t>(limits.addresses, out.size());
  auto more = parse_addresses(field.value, room);
  out.insert(out.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

void read_envelope_field(const Field& field, const Limits& limits, Envelope& envelope) {
  if (is(field, "Date"))
    envelope.date = unfold(field.value);
  else if (is(field, "Subject"))
    envelope.subject = unfold(field.value);
  else if (is(field, "Message-ID"))
    envelope.message_id = unfold(field.value);
  else if (is(field, "In-Reply-To"))
    envelope.in_reply_to = unfold(field.value);
  else if (is(field, "From"))
    add_addresses(field, limits, envelope.from);
  else if (is(field, "Sender"))
    add_addresses(field, limits, envelope.sender);
  else if (is(field, "Reply-To"))
    add_addresses(field, limits, envelope.reply_to);
  else if (is(field, "To"))
    add_addresses(field, limits, envelope.to);
  else if (is(field, "Cc"))
    add_addresses(field, limits, envelope.cc);
  else if (is(field, "Bcc"))
    add_addresses(field, limits, envelope.bcc);
}

void forget_content(Part& part) {
  const Part plain;
  part.type = plain.type;
  part.subtype = plain.subtype;
  part.parameters.clear();
  part.has_type = false;
  part.encoding.clear();
  part.id = part.description = part.md5 = part.location = part.disposition = std::nullopt;
  part.language.clear();
  part.disposition_parameters.clear();
}

}  // namespace

PartHeader read_part_header(std::string_view block, bool is_mime, const Limits& limits, Part& part,
                            Envelope* envelope) {
  PartHeader header;
  FieldReader reader(block);
  while (const auto field = reader.next()) {
    if (starts_with_ignoring_case(field->name, "Content-"))
      read_content_field(*field, limits, part, header);
    else if (is(*field, "MIME-Version"))
      is_mime = true;
    else if (envelope)
      read_envelope_field(*field, limits, *envelope);
  }
  if (!is_mime && !header.has_content_type) forget_content(part);
  if (envelope) {
    if (envelope->sender.empty()) envelope->sender = envelope->from;
    if (envelope->reply_to.empty()) envelope->reply_to = envelope->from;
  }
  return header;
}

}  // namespace muhur::mime
