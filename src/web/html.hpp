#pragma once
// HTML that is escaped unless it was made here. Text becomes Html only by escaping; names of elements and
// attributes are literals, checked while compiling; addresses in href, src and action pass safe_url.
//
//   el("p", {{"class", "hint"}}, "Hello ", el("b", {}, user_name))

#include <initializer_list>
#include <string>
#include <string_view>

namespace muhur::web {

class Html {
 public:
  Html() = default;
  Html(std::string_view text);  // NOLINT: escapes; what makes `el("p", {}, name)` safe and short
  Html(const std::string& text) : Html(std::string_view(text)) {}
  Html(const char* text) : Html(std::string_view(text)) {}

  Html& operator+=(const Html& more) {
    markup_ += more.markup_;
    return *this;
  }
  friend Html operator+(Html a, const Html& b) { return std::move(a += b); }
  bool empty() const { return markup_.empty(); }
  const std::string& markup() const { return markup_; }

 private:
  friend class Element;
  friend Html document(std::string_view, bool, const Html&, const Html&);
  friend Html inline_script(std::string_view);
  std::string markup_;
};

// The name of an element or attribute: a literal of lower-case letters, digits and '-'. No "on…" (handlers)
// and no "style": the content security policy would refuse them anyway.
class Name {
 public:
  consteval Name(const char* name) : name_(name) {  // NOLINT: implicit on purpose
    if (name_.empty() || name_.starts_with("on") || name_ == "style") throw "not a name for here";
    for (const char c : name_)
      if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-')) throw "not a name";
  }
  constexpr std::string_view text() const { return name_; }

 private:
  std::string_view name_;
};

struct Attribute {
  Attribute(Name n, std::string_view v, bool p = true) : name(n), value(v), present(p) {}
  Attribute(Name n, const std::string& v) : name(n), value(v) {}
  Attribute(Name n, const char* v) : name(n), value(v) {}
  Attribute(Name n, bool p) : name(n), present(p), bare(true) {}  // `required`, `hidden`: there or not
  Name name;
  std::string value;
  bool present = true;
  bool bare = false;
};

class Element {  // builds one; use el()
 public:
  Element(Name tag, std::initializer_list<Attribute> attributes);
  void child(const Html& html) { html_ += html; }
  Html close() &&;

 private:
  Name tag_;
  Html html_;
};

template <class... Children>
Html el(Name tag, std::initializer_list<Attribute> attributes, const Children&... children) {
  Element element(tag, attributes);
  (element.child(Html(children)), ...);
  return std::move(element).close();
}

// The address itself when it is a path or fragment of this site, http(s) with a host, mailto, or a
// private-use scheme with a dot (RFC 8252 §7.1); otherwise "#". "javascript:", "data:", "//host", control
// characters end there.
std::string safe_url(std::string_view url);

std::string escape(std::string_view text);  // & < > " ' and ill-formed UTF-8 and control characters
Html document(std::string_view language, bool right_to_left, const Html& head, const Html& body);
// A script element. Its text is code of ours, never anything from outside; the page allows it by its hash.
Html inline_script(std::string_view literal);

}  // namespace muhur::web
