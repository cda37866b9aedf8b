#include "mailbox/prepared.hpp"

#include <algorithm>

#include "mailbox/packed.hpp"
#include "mailbox/search_text.hpp"
#include "mailbox/summary.hpp"
#include "mime/header.hpp"
#include "mime/scanner.hpp"

namespace muhur::mailbox {
namespace {

std::optional<std::int64_t> sent_day_of(const mime::Envelope& envelope) {
  if (!envelope.date) return std::nullopt;
  const auto date = mime::parse_date(*envelope.date);
  if (!date) return std::nullopt;
  return day_of(date->seconds, date->zone_minutes);
}

struct Range {
  std::uint64_t start, size;
};

// The bodies of large leaf parts, ascending, apart from each other and behind the head.
std::vector<Range> shared_ranges(const mime::Structure& structure, std::uint64_t head, std::uint64_t total) {
  std::vector<Range> ranges;
  for (const mime::Part& part : structure.parts)
    if (part.kind == mime::Part::Kind::leaf && part.body_size >= kSharedPart && part.body_start >= head &&
        part.body_start + part.body_size <= total)
      ranges.push_back({part.body_start, part.body_size});
  std::sort(ranges.begin(), ranges.end(), [](const Range& a, const Range& b) { return a.start < b.start; });
  std::uint64_t end = head;
  std::erase_if(ranges, [&](const Range& range) {
    if (range.start < end) return true;
    end = range.start + range.size;
    return false;
  });
  return ranges;
}

}  // namespace

std::int64_t day_of(std::int64_t seconds, int zone_minutes) {
  const std::int64_t local = seconds + std::int64_t{zone_minutes} * 60;
  return local >= 0 ? local / 86'400 : -((-local + 86'399) / 86'400);
}

std::optional<std::string> with_crlf(std::string_view message) {
  const auto is_bare = [&](std::size_t at) { return at == 0 || message[at - 1] != '\r'; };
  std::size_t bare = 0;
  for (std::size_t at = message.find('\n'); at != std::string_view::npos; at = message.find('\n', at + 1))
    bare += is_bare(at);
  if (bare == 0) return std::nullopt;
  std::string out;
  out.reserve(message.size() + bare);
  std::size_t from = 0;
  for (std::size_t at = message.find('\n'); at != std::string_view::npos; at = message.find('\n', at + 1)) {
    out.append(message, from, at - from);
    if (is_bare(at)) out.push_back('\r');
    out.push_back('\n');
    from = at + 1;
  }
  out.append(message, from);
  return out;
}

std::vector<Bytes> pack_chunks(ByteView plain) {
  std::vector<Bytes> chunks;
  chunks.reserve(plain.size() / kChunk + 1);
  for (; !plain.empty(); plain = plain.subspan(std::min(kChunk, plain.size())))
    chunks.push_back(pack(plain.first(std::min(kChunk, plain.size()))));
  return chunks;
}

PreparedEmail prepare(std::string_view message, ByteView hash_key,
                      const std::function<bool(const crypto::Digest&)>& is_known) {
  PreparedEmail email;
  email.given = message;
  if (auto normal = with_crlf(message))
    email.normalised = std::make_unique<const std::string>(std::move(*normal));
  const std::string_view bytes = email.bytes();

  const mime::Structure structure = mime::scan(as_bytes(bytes));
  email.summary = encode_summary(structure);
  email.sent_day = sent_day_of(structure.envelope);
  email.text = make_search_text(as_bytes(bytes), structure);

  // The head is the message's own header block as far as it fits one chunk: read without the body.
  const std::uint64_t header = structure.parts.empty() ? 0 : structure.parts[0].header_size;
  email.head_size = std::min<std::uint64_t>({header, kChunk, bytes.size()});
  email.head = pack(bytes.substr(0, email.head_size));

  const auto ranges = shared_ranges(structure, email.head_size, bytes.size());
  if (ranges.empty()) {
    email.chunks = pack_chunks(as_bytes(bytes.substr(email.head_size)));
    return email;
  }
  std::string own;
  std::uint64_t at = email.head_size;
  const auto own_until = [&](std::uint64_t end) {
    if (end == at) return;
    own.append(bytes, at, end - at);
    email.layout.push_back({.attachment = 0, .length = end - at});
    at = end;
  };
  for (const Range& range : ranges) {
    own_until(range.start);
    PreparedAttachment attachment;
    attachment.plain = as_bytes(bytes.substr(range.start, range.size));
    attachment.hash = crypto::blake2b(attachment.plain, hash_key);
    const auto twin = std::find_if(email.attachments.begin(), email.attachments.end(),
                                   [&](const auto& other) { return other.hash == attachment.hash; });
    if (twin == email.attachments.end() && !is_known(attachment.hash))
      attachment.chunks = pack_chunks(attachment.plain);
    email.attachments.push_back(std::move(attachment));
    email.layout.push_back({static_cast<AttachmentId>(email.attachments.size()), range.size});
    at = range.start + range.size;
  }
  own_until(bytes.size());
  email.chunks = pack_chunks(as_bytes(own));
  return email;
}

}  // namespace muhur::mailbox
