#include "mime/scanner.hpp"

#include "base/unicode.hpp"
#include "mime/boundaries.hpp"
#include "mime/part_header.hpp"

// Works line by line. A line that lies whole in a piece is looked at where it is; of one that is cut, only
// its beginning is kept (a boundary fits there) while its length is counted. Headers are gathered, up to
// Limits::header_bytes, and read when they end. Nothing is decided before a line's end, so it does not
// matter where the pieces were cut.

namespace muhur::mime {
namespace {

constexpr std::size_t kHead = 2 + Boundaries::kNeeded;  // "--", a boundary, "--"

// A place in the message: octets and line feeds before it.
struct Mark {
  std::uint64_t offset = 0, feeds = 0;
};

struct Line {
  std::uint64_t start = 0;
  std::uint64_t size = 0;       // with its line break
  std::uint8_t break_size = 0;  // 0 (the message ends here), 1 or 2
  std::string_view head;        // at least the first kHead octets, or all of them

  bool complete() const { return break_size != 0; }
  bool blank() const { return complete() && size == break_size; }
};

}  // namespace

struct Scanner::Impl {
  // `blank`: the empty line after a header was the last line; whether its line break is the header's or a
  // boundary's, the next line tells.
  enum class State : std::uint8_t { header, blank, body };

  // A part that is not closed yet. Lines belong to the last one.
  struct Open {
    std::uint32_t part;
    Mark header, body;  // where they begin
    bool is_mime;       // stands in a multipart
    bool is_digest = false;
  };

  explicit Impl(const Limits& given)
      : limits(given), parameters_left(given.all_parameters), addresses_left(given.all_addresses) {
    open_part({}, false);
  }

  // ---- Lines ----

  void feed(std::string_view text) {
    while (!text.empty()) {
      const auto found = text.find('\n');
      const bool complete = found != std::string_view::npos;
      const auto piece = text.substr(0, complete ? found + 1 : text.size());
      text.remove_prefix(piece.size());
      if (state != State::body && header.size() < limits.header_bytes)
        header += piece.substr(0, limits.header_bytes - header.size());
      if (complete && cut_size == 0) {
        take(Line{here.offset, piece.size(), break_of(piece, '\0'), piece});
        continue;
      }
      if (cut_head.size() < kHead) cut_head += piece.substr(0, kHead - cut_head.size());
      cut_size += piece.size();
      if (complete) {
        take(Line{here.offset, cut_size, break_of(piece, cut_last), cut_head});
        cut_head.clear();
        cut_size = 0;
      }
      cut_last = piece.back();
    }
  }

  static std::uint8_t break_of(std::string_view piece, char before) {
    if (piece.size() >= 2) before = piece[piece.size() - 2];
    return before == '\r' ? 2 : 1;
  }

  void take(const Line& line) {
    ran_into = SIZE_MAX;
    // A line that ends a header is looked at again as what follows the header.
    while (!done_with(line)) {
    }
    here = after(line);
    last_break = line.break_size;
    header_mark = header.size();
  }

  Mark after(const Line& line) const {
    return {here.offset + line.size, here.feeds + (line.complete() ? 1 : 0)};
  }
  // Before the line break that precedes the present line.
  Mark before_break() const { return {here.offset - last_break, here.feeds - (last_break ? 1 : 0)}; }

  // False: look at it again in the state that it led to.
  bool done_with(const Line& line) {
    switch (state) {
      case State::header:
        return header_line(line);
      case State::blank:
        return line_after_blank(line);
      case State::body:
        break;
    }
    body_line(line);
    return true;
  }

  bool header_line(const Line& line) {
    if (line.blank()) {
      read_header(true);
      state = State::blank;
      return true;
    }
    if (!find_boundary(line)) {
      header_has_lines = true;
      return true;
    }
    // The header runs into a boundary, to which the line break between them belongs.
    header.resize(std::min(header.size(), header_mark));
    read_header(false);
    ran_into = std::min(ran_into, open.size() - 1);
    end_header(header_has_lines ? before_break() : open.back().header);
    return false;
  }

  bool line_after_blank(const Line& line) {
    const auto match = find_boundary(line);
    if (match && match->part != open.back().part) {
      ran_into = std::min(ran_into, open.size() - 1);
      end_header(before_break());
    } else {
      end_header(here);
    }
    return false;
  }

  void body_line(const Line& line) {
    const auto match = find_boundary(line);
    if (!match) return;
    // The line break before a boundary belongs to it, unless it ended a header or another boundary.
    const Mark end = before_break().offset < body_floor.offset ? body_floor : before_break();
    while (open.back().part != match->part)
      close(open.size() - 1 < ran_into && ran_into != SIZE_MAX ? here : end);
    while (boundaries.innermost() != match->part) boundaries.pop();
    body_floor = after(line);
    if (line.head.substr(2 + match->length).starts_with("--"))
      boundaries.pop();
    else if (line.complete())
      open_part(after(line), true);
  }

  std::optional<Boundaries::Match> find_boundary(const Line& line) {
    if (boundaries.empty() || !line.head.starts_with("--")) return std::nullopt;
    if (parts.size() >= limits.parts) {
      result.limited = true;
      return std::nullopt;
    }
    return boundaries.find(line.head.substr(2), line.size - 2 - line.break_size, line.complete());
  }

  // ---- Parts ----

  void open_part(Mark at, bool is_mime) {
    const auto index = static_cast<std::uint32_t>(parts.size());
    Part& part = parts.emplace_back();
    part.header_start = at.offset;
    if (!open.empty()) {
      part.parent = static_cast<std::int32_t>(open.back().part);
      parts[open.back().part].children.push_back(index);
    }
    open.push_back({.part = index, .header = at, .body = at, .is_mime = is_mime});
    state = State::header;
    header_has_lines = false;
  }

  void close(Mark end) {
    const Open& last = open.back();
    Part& part = parts[last.part];
    part.body_size = end.offset - last.body.offset;
    part.body_lines = static_cast<std::uint32_t>(end.feeds - last.body.feeds);
    open.pop_back();
  }

  // The innermost part's header is all there; `blank`: an empty line ends it.
  void read_header(bool blank) {
    Open& last = open.back();
    Part& part = parts[last.part];
    const PartHeader read = read_fields(last, part);
    header.clear();
    const bool deep = open.size() >= limits.nesting;
    last.is_digest = read.is_digest;
    if (read.is_multipart) {
      part.kind = Part::Kind::multipart;
      // Without an empty line there is no body in which the boundary could stand.
      if (!read.boundary || !blank) return;
      if (deep)
        make_leaf(part);
      else
        boundaries.push(*read.boundary, last.part);
    } else if (read.is_message || (!read.has_content_type && in_digest())) {
      if (deep || parts.size() >= limits.parts) return make_leaf(part);
      part.kind = Part::Kind::message;
      part.type = "message";
      part.subtype = "rfc822";
    } else if (read.has_content_type && part.subtype.empty() &&
               equals_ignoring_case(part.type, "multipart")) {
      name_as_octets(part);  // "multipart" and no subtype: nothing that a client could show as one
    }
  }

  void end_header(Mark at) {
    Open& last = open.back();
    last.body = at;
    Part& part = parts[last.part];
    part.header_size = at.offset - part.header_start;
    part.header_lines = static_cast<std::uint32_t>(at.feeds - last.header.feeds);
    part.body_start = at.offset;
    state = State::body;
    body_floor = at;
    // What was gathered since the empty line begins the header of the message inside, if there is one.
    if (part.kind == Part::Kind::message)
      open_part(at, false);
    else
      header.clear();
  }

  PartHeader read_fields(const Open& last, Part& part) {
    const bool is_message_root = part.parent < 0 || parts[part.parent].kind == Part::Kind::message;
    Limits now = limits;
    now.parameters = std::min(limits.parameters, parameters_left);
    now.addresses = std::min(limits.addresses, addresses_left);
    Envelope envelope;
    PartHeader read =
        read_part_header(header, last.is_mime, now, part, is_message_root ? &envelope : nullptr);
    spend(parameters_left,
          part.parameters.size() + part.disposition_parameters.size() + part.language.size());
    if (!is_message_root) return read;
    for (const auto* list :
         {&envelope.from, &envelope.sender, &envelope.reply_to, &envelope.to, &envelope.cc, &envelope.bcc})
      spend(addresses_left, list->size());
    if (part.parent < 0)
      result.envelope = std::move(envelope);
    else
      result.inner_envelopes.emplace_back(last.part, std::move(envelope));
    return read;
  }

  static void spend(std::uint32_t& left, std::size_t used) {
    left -= static_cast<std::uint32_t>(std::min<std::size_t>(left, used));
  }

  bool in_digest() const { return open.size() >= 2 && open[open.size() - 2].is_digest; }

  void make_leaf(Part& part) {
    part.kind = Part::Kind::leaf;
    name_as_octets(part);
    result.limited = true;
  }
  static void name_as_octets(Part& part) {
    part.type = "application";
    part.subtype = "octet-stream";
  }

  Structure finish() {
    if (cut_size != 0) take(Line{here.offset, cut_size, 0, cut_head});
    while (state != State::body) {
      if (state == State::header) read_header(false);
      end_header(here);
    }
    while (!open.empty()) close(here);
    result.parts = std::move(parts);
    return std::move(result);
  }

  Limits limits;
  std::uint32_t parameters_left, addresses_left;
  Structure result;
  std::vector<Part> parts;
  std::vector<Open> open;
  Boundaries boundaries;

  State state = State::header;
  Mark here;                        // where the present line begins
  std::uint8_t last_break = 0;      // size of the line break before it
  Mark body_floor;                  // a part's body does not end before this
  std::size_t ran_into = SIZE_MAX;  // depth of the part whose header the present line ended

  std::string header;           // the lines of the header so far
  std::size_t header_mark = 0;  // where the present line begins in it
  bool header_has_lines = false;

  std::string cut_head;  // a line of which not all has come: its beginning,
  std::uint64_t cut_size = 0;
  char cut_last = 0;
};

Scanner::Scanner(Limits limits) : impl_(std::make_unique<Impl>(limits)) {}
Scanner::~Scanner() = default;
void Scanner::feed(ByteView piece) { impl_->feed(as_text(piece)); }
Structure Scanner::finish() { return impl_->finish(); }

Structure scan(ByteView message, const Limits& limits) {
  Scanner scanner(limits);
  scanner.feed(message);
  return scanner.finish();
}

}  // namespace muhur::mime
