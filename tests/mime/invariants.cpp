#include "mime/invariants.hpp"

namespace muhur::mime::test {
namespace {

// Where the line feeds of a message are.
class LineFeeds {
 public:
  explicit LineFeeds(std::string_view message) {
    for (std::size_t at = 0; (at = message.find('\n', at)) != std::string_view::npos; ++at) at_.push_back(at);
  }
  std::uint64_t count(std::uint64_t start, std::uint64_t size) const {
    return static_cast<std::uint64_t>(std::lower_bound(at_.begin(), at_.end(), start + size) -
                                      std::lower_bound(at_.begin(), at_.end(), start));
  }

 private:
  std::vector<std::uint64_t> at_;
};

std::string text_of(const std::optional<std::string>& value) {
  return value ? fmt::format("<{}>", *value) : "-";
}

std::string text_of(const Parameters& parameters) {
  std::string out;
  for (const auto& [name, value] : parameters) out += fmt::format(";{}={}", name, value);
  return out;
}

std::string text_of(const std::vector<Address>& addresses) {
  std::string out;
  for (const Address& a : addresses)
    out +=
        fmt::format("[{} {} {} {}]", text_of(a.name), text_of(a.route), text_of(a.mailbox), text_of(a.host));
  return out;
}

std::string text_of(const Envelope& e) {
  return fmt::format("{} {} {} {} {} {} {} {} {} {}", text_of(e.date), text_of(e.subject), text_of(e.from),
                     text_of(e.sender), text_of(e.reply_to), text_of(e.to), text_of(e.cc), text_of(e.bcc),
                     text_of(e.in_reply_to), text_of(e.message_id));
}

std::string check_part(const Structure& s, std::uint32_t index, std::uint64_t message_size,
                       const LineFeeds& feeds) {
  const Part& part = s.parts[index];
  if (part.body_start != part.header_start + part.header_size) return "a body begins apart from its header";
  const std::uint64_t end = part.body_start + part.body_size;
  if (end > message_size) return "a part reaches beyond the message";
  if (part.header_lines != feeds.count(part.header_start, part.header_size))
    return "lines of a header are miscounted";
  if (part.body_lines != feeds.count(part.body_start, part.body_size))
    return "lines of a body are miscounted";
  if ((part.parent < 0) != (index == 0)) return "a part other than the first has no parent";
  if (part.parent >= static_cast<std::int32_t>(index)) return "a child stands before its parent";
  if (part.kind == Part::Kind::leaf && !part.children.empty()) return "a leaf has children";
  if (part.kind == Part::Kind::message && part.children.size() != 1) return "a message has not one root";
  std::uint64_t floor = part.body_start, inside = 0;
  for (const std::uint32_t child : part.children) {
    if (child <= index || child >= s.parts.size()) return "a child's number is wrong";
    const Part& c = s.parts[child];
    if (c.parent != static_cast<std::int32_t>(index)) return "a child has another parent";
    if (c.header_start < floor) return "children overlap";
    floor = c.body_start + c.body_size;
    if (floor > end) return "a child reaches beyond its parent";
    inside += c.header_size + c.body_size;
  }
  if (inside > part.body_size) return "children are larger than their parent";
  const bool root = index == 0 || s.parts[static_cast<std::size_t>(part.parent)].kind == Part::Kind::message;
  if (index != 0 && root != (s.inner_envelope(index) != nullptr)) return "an envelope is missing or too many";
  return "";
}

}  // namespace

std::string broken_invariant(const Structure& structure, std::string_view message) {
  if (structure.parts.empty()) return "there is no part";
  const Part& root = structure.parts[0];
  if (root.header_start != 0 || root.header_size + root.body_size != message.size())
    return "the root is not the whole message";
  const LineFeeds feeds(message);
  for (std::uint32_t i = 0; i < structure.parts.size(); ++i)
    if (auto broken = check_part(structure, i, message.size(), feeds); !broken.empty())
      return fmt::format("part {}: {}", i, broken);
  return "";
}

std::string described(const Structure& structure) {
  std::string out = fmt::format("{}\n{}\n", structure.limited, text_of(structure.envelope));
  for (const auto& [index, envelope] : structure.inner_envelopes)
    out += fmt::format("{}: {}\n", index, text_of(envelope));
  for (const Part& p : structure.parts)
    out += fmt::format(
        "{} {} [{}] {}+{}/{} {}+{}/{} {}/{}{} {} {} {} {} {} {} {} {} {}{}\n", static_cast<int>(p.kind),
        p.parent, fmt::join(p.children, ","), p.header_start, p.header_size, p.header_lines, p.body_start,
        p.body_size, p.body_lines, p.type, p.subtype, text_of(p.parameters), p.has_type, p.encoding,
        text_of(p.id), text_of(p.description), text_of(p.md5), text_of(p.location),
        fmt::join(p.language, ","), "", text_of(p.disposition), text_of(p.disposition_parameters));
  return out;
}

}  // namespace muhur::mime::test
