#include "web/html.hpp"

#include "base/unicode.hpp"

namespace muhur::web {
namespace {

constexpr std::string_view kVoid[] = {"br", "hr", "img", "input", "link", "meta"};
constexpr std::string_view kAddresses[] = {"href", "src", "action", "formaction"};

}  // namespace

std::string escape(std::string_view text) {
  std::string repaired;
  if (!is_utf8(text)) {
    repaired = to_valid_utf8(text);
    text = repaired;
  }
  std::string out;
  out.reserve(text.size() + text.size() / 8);
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      case '\n':
      case '\t':
        out += c;
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F)
          out += "\xEF\xBF\xBD";  // U+FFFD: no control characters in HTML
        else
          out += c;
    }
  }
  return out;
}

Html::Html(std::string_view text) : markup_(escape(text)) {}

std::string safe_url(std::string_view url) {
  for (const char c : url)
    if (static_cast<unsigned char>(c) <= ' ' || c == 0x7F || c == '\\') return "#";
  if (url.starts_with('#')) return std::string(url);
  if (url.starts_with('/')) return url.starts_with("//") ? "#" : std::string(url);
  const auto colon = url.find(':');
  if (colon == std::string_view::npos) return "#";
  const std::string scheme = to_lower_ascii(url.substr(0, colon));
  const std::string_view rest = url.substr(colon + 1);
  if (scheme == "http" || scheme == "https")
    return rest.starts_with("//") && rest.size() > 2 && rest[2] != '/' ? std::string(url) : "#";
  if (scheme == "mailto") return std::string(url);
  // RFC 8252 §7.1: a reversed domain name, which no scheme that browsers act upon has.
  if (!scheme.contains('.') || scheme.front() < 'a' || scheme.front() > 'z') return "#";
  for (const char c : scheme)
    if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '+')) return "#";
  return std::string(url);
}

Element::Element(Name tag, std::initializer_list<Attribute> attributes) : tag_(tag) {
  std::string& out = html_.markup_;
  out += '<';
  out += tag.text();
  for (const Attribute& attribute : attributes) {
    if (!attribute.present) continue;
    out += ' ';
    out += attribute.name.text();
    if (attribute.bare) continue;
    out += "=\"";
    const bool address = std::ranges::find(kAddresses, attribute.name.text()) != std::end(kAddresses);
    out += escape(address ? safe_url(attribute.value) : attribute.value);
    out += '"';
  }
  out += '>';
}

Html Element::close() && {
  if (std::ranges::find(kVoid, tag_.text()) == std::end(kVoid)) {
    html_.markup_ += "</";
    html_.markup_ += tag_.text();
    html_.markup_ += '>';
  }
  return std::move(html_);
}

Html inline_script(std::string_view literal) {
  Html html;
  html.markup_ = fmt::format("<script>{}</script>", literal);
  return html;
}

Html document(std::string_view language, bool right_to_left, const Html& head, const Html& body) {
  Html html;
  html.markup_ = "<!DOCTYPE html>\n";
  html += el("html", {{"lang", language}, {"dir", right_to_left ? "rtl" : "ltr"}}, el("head", {}, head),
             el("body", {}, body));
  html.markup_ += '\n';
  return html;
}

}  // namespace muhur::web
