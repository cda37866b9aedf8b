#include <charconv>

#include "base/unicode.hpp"
#include "mime/html_entities.hpp"
#include "mime/text.hpp"

namespace muhur::mime {
namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_alnum(char c) { return is_letter(c) || (c >= '0' && c <= '9'); }

void append_code_point(std::string& out, std::uint32_t c) {
  if (c == 0 || c > 0x10FFFF || (c >= 0xD800 && c < 0xE000)) c = 0xFFFD;
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += static_cast<char>(0xC0 | c >> 6);
    out += static_cast<char>(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    out += static_cast<char>(0xE0 | c >> 12);
    out += static_cast<char>(0x80 | (c >> 6 & 0x3F));
    out += static_cast<char>(0x80 | (c & 0x3F));
  } else {
    out += static_cast<char>(0xF0 | c >> 18);
    out += static_cast<char>(0x80 | (c >> 12 & 0x3F));
    out += static_cast<char>(0x80 | (c >> 6 & 0x3F));
    out += static_cast<char>(0x80 | (c & 0x3F));
  }
}

// Elements within a line: their tags do not part words. All others do.
bool is_inline(std::string_view name) {
  static constexpr std::string_view kInline[] = {
      "a",   "abbr", "acronym", "b",    "bdi", "bdo",  "big",   "cite",  "code",   "data",
      "del", "dfn",  "em",      "font", "i",   "ins",  "kbd",   "label", "mark",   "nobr",
      "q",   "rp",   "rt",      "ruby", "s",   "samp", "small", "span",  "strike", "strong",
      "sub", "sup",  "time",    "tt",   "u",   "var",  "wbr"};
  return std::find(std::begin(kInline), std::end(kInline), name) != std::end(kInline);
}

// Elements whose content is no text for a reader. Their content has no tags but their own end.
bool is_hidden(std::string_view name) { return name == "script" || name == "style" || name == "template"; }

// One pass. Where something is left open, what was looked for is known to be missing from there on and is
// not looked for again, which keeps the pass linear.
class HtmlReader {
 public:
  explicit HtmlReader(std::string_view html) : html_(html) {}

  std::string read() {
    while (at_ < html_.size()) {
      const char c = html_[at_];
      if (c == '<')
        markup();
      else if (c == '&')
        reference();
      else if (is_space(c))
        space(), ++at_;
      else
        text(html_.substr(at_++, 1));
    }
    while (out_.ends_with('\n') || out_.ends_with(' ')) out_.pop_back();
    return std::move(out_);
  }

 private:
  void text(std::string_view piece) {
    if (pending_) out_ += pending_;
    pending_ = 0;
    out_ += piece;
  }
  void space() {
    if (!pending_ && !out_.empty()) pending_ = ' ';
  }
  void line() {
    if (!out_.empty()) pending_ = '\n';
  }

  void markup() {
    const auto rest = html_.substr(at_);
    if (rest.starts_with("<!--")) return skip_to("-->", 4);
    if (rest.size() < 2) return text(html_.substr(at_++, 1));
    if (rest[1] == '!' || rest[1] == '?') return skip_to(">", 2);
    const std::size_t name_at = rest[1] == '/' ? 2 : 1;
    if (name_at >= rest.size() || !is_letter(rest[name_at])) return text(html_.substr(at_++, 1));
    std::size_t name_end = name_at;
    while (name_end < rest.size() && is_alnum(rest[name_end])) ++name_end;
    const std::string name =
        to_lower_ascii(rest.substr(name_at, std::min<std::size_t>(name_end - name_at, 16)));
    at_ += name_end;
    skip_attributes();
    if (name_at == 1 && is_hidden(name)) skip_hidden(name);
    if (!is_inline(name)) {
      if (name == "td" || name == "th" || name == "img")
        space();
      else
        line();
    }
  }

  // After "<name": to behind the '>', over quoted values.
  void skip_attributes() {
    while (at_ < html_.size()) {
      const char c = html_[at_++];
      if (c == '>') return;
      if ((c != '"' && c != '\'') || html_[at_ - 2] != '=') continue;
      bool& missing = c == '"' ? no_double_quote_ : no_single_quote_;
      if (missing) continue;
      const auto end = html_.find(c, at_);
      if (end == std::string_view::npos)
        missing = true;
      else
        at_ = end + 1;
    }
  }

  void skip_hidden(std::string_view name) {
    for (std::size_t end = at_; (end = html_.find("</", end)) != std::string_view::npos; end += 2) {
      if (!starts_with_ignoring_case(html_.substr(end + 2), name)) continue;
      at_ = end + 2 + name.size();
      return skip_attributes();
    }
    at_ = html_.size();
  }

  void skip_to(std::string_view mark, std::size_t from) {
    const auto end = html_.find(mark, at_ + from);
    at_ = end == std::string_view::npos ? html_.size() : end + mark.size();
  }

  // "&name;", "&#233;", "&#xE9;"; a missing ';' is forgiven after a number. Else the '&' stands for itself.
  void reference() {
    const auto rest = html_.substr(at_ + 1, 32);
    std::uint32_t code_point = 0;
    std::size_t size = 0;
    if (rest.starts_with('#')) {
      const bool hex = rest.size() > 1 && to_lower_ascii(rest[1]) == 'x';
      const char* first = rest.data() + (hex ? 2 : 1);
      const auto [end, error] = std::from_chars(first, rest.data() + rest.size(), code_point, hex ? 16 : 10);
      if (end != first) {
        size = static_cast<std::size_t>(end - rest.data());
        if (error != std::errc() || code_point == 0) code_point = 0xFFFD;
      }
    } else {
      while (size < rest.size() && is_alnum(rest[size])) ++size;
      code_point = size < rest.size() && rest[size] == ';' ? html_entity(rest.substr(0, size)) : 0;
    }
    if (code_point == 0) return text(html_.substr(at_++, 1));
    if (size < rest.size() && rest[size] == ';') ++size;
    at_ += 1 + size;
    if (code_point == 0xA0 || code_point <= ' ') return space();  // no-break space: a space to a search
    if (code_point == 0xAD || code_point == 0x200B || code_point == 0x200C) return;  // invisible within words
    std::string character;
    append_code_point(character, code_point);
    text(character);
  }

  std::string_view html_;
  std::size_t at_ = 0;
  std::string out_;
  char pending_ = 0;  // the separator owed before the next text
  bool no_double_quote_ = false, no_single_quote_ = false;
};

}  // namespace

std::string html_to_text(std::string_view html) { return HtmlReader(html).read(); }

}  // namespace muhur::mime
