#include "mime/tokens.hpp"

namespace muhur::mime {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

bool is_alnum_or_8bit(char c) {
  const auto u = static_cast<unsigned char>(c);
  return (u >= '0' && u <= '9') || (u >= 'A' && u <= 'Z') || (u >= 'a' && u <= 'z') || u >= 0x80;
}

bool is_fold(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

// A backslash quotes any character but these: before them it stands for itself (RFC 5322 obs-qp).
bool is_quotable(char c) { return c != '\r' && c != '\n' && c != '\0'; }

}  // namespace

bool is_token_char(char c) {
  return is_alnum_or_8bit(c) || (c != '\0' && std::string_view("!#$%&'*+-^_`{|}~").contains(c));
}

bool is_atom_char(char c) { return is_token_char(c) || c == '/' || c == '?' || c == '='; }

// Of what is never finished, that counts which stands before the last fold, backslash or NUL: the same rule
// for comments and quoted strings.
Step Lexer::skip_comment() {
  std::string text;
  std::size_t certain = 0;
  int level = 1;
  for (++at_; !done(); ++at_) {
    const char c = text_[at_];
    if (c == '(') {
      ++level;
    } else if (c == ')' && --level == 0) {
      ++at_;
      if (comment_) *comment_ = std::move(text);
      return step();
    }
    if (comment_ || c == '\\') take(c, text, certain);
  }
  at_ = text_.size();
  text.resize(certain);
  if (comment_) *comment_ = std::move(text);
  return Step::broken;
}

// One character of a comment or a quoted string, at at_: folds vanish, a backslash takes the next one along.
void Lexer::take(char c, std::string& out, std::size_t& certain) {
  if (c == '\n') {
    if (out.ends_with('\r')) out.pop_back();
    certain = out.size();
  } else if (c == '\0') {
    out += kReplacement;
    certain = out.size();
  } else if (c == '\\' && at_ + 1 < text_.size() && is_quotable(text_[at_ + 1])) {
    certain = out.size();
    out += text_[++at_];
  } else {
    out += c;
  }
}

Step Lexer::skip_space() {
  while (!done()) {
    if (is_fold(peek())) {
      ++at_;
    } else if (peek() == '(') {
      if (skip_comment() == Step::broken) return Step::broken;
    } else {
      return Step::more;
    }
  }
  return Step::end;
}

Step Lexer::atom(std::string& out) {
  if (done() || !is_atom_char(peek())) return Step::broken;
  const auto start = at_;
  while (!done() && is_atom_char(peek())) ++at_;
  out += text_.substr(start, at_ - start);
  return skip_space();
}

Step Lexer::dot_atom(std::string& out) {
  for (;;) {
    if (done() || !is_atom_char(peek())) return Step::broken;
    const auto start = at_;
    while (!done() && is_atom_char(peek())) ++at_;
    out += text_.substr(start, at_ - start);
    if (const Step step = skip_space(); step != Step::more) return step;
    if (peek() != '.') return Step::more;
    ++at_;
    out += '.';
    if (skip_space() != Step::more) return Step::broken;
  }
}

Step Lexer::word_or_dots(std::string& out) {
  const auto start = at_;
  while (!done() && (is_atom_char(peek()) || peek() == '.')) ++at_;
  out += text_.substr(start, at_ - start);
  return skip_space();
}

Step Lexer::token(std::string& out) {
  const auto start = at_;
  while (!done() && (is_token_char(peek()) || peek() == '.')) ++at_;
  out += text_.substr(start, at_ - start);
  return skip_space();
}

Step Lexer::quoted(std::string& out) {
  std::string text;
  std::size_t certain = 0;
  for (++at_; !done(); ++at_) {
    const char c = text_[at_];
    if (c == '"') {
      ++at_;
      out += text;
      return skip_space();
    }
    take(c, text, certain);
  }
  at_ = text_.size();
  text.resize(certain);
  out += text;
  return Step::broken;
}

Step Lexer::phrase(std::string& out) {
  if (done()) return Step::end;
  if (peek() == '.') return Step::broken;
  for (;;) {
    const Step step = peek() == '"' ? quoted(out) : word_or_dots(out);
    if (step != Step::more) return step;
    if (!is_atom_char(peek()) && peek() != '"' && peek() != '.') return Step::more;
    out += ' ';
  }
}

Step Lexer::domain_literal(std::string& out) {
  std::string literal(1, '[');
  for (++at_; !done(); ++at_) {
    const char c = text_[at_];
    if (c == '[') return Step::broken;
    if (c == ']') {
      out += literal;
      out += ']';
      ++at_;
      return skip_space();
    }
    if (c == '\0') {
      literal += kReplacement;
    } else if (c == '\n') {
      if (literal.ends_with('\r')) literal.pop_back();
    } else if (c == '\\') {
      if (at_ + 1 >= text_.size()) {
        at_ = text_.size();
        return Step::broken;
      }
      // Kept, unlike a quoted string's; but not before what it cannot quote.
      if (is_quotable(text_[at_ + 1])) {
        literal += c;
        literal += text_[++at_];
      }
    } else {
      literal += c;
    }
  }
  return Step::broken;
}

Step Lexer::domain(std::string& out) {
  ++at_;
  if (skip_space() != Step::more) return Step::broken;
  return peek() == '[' ? domain_literal(out) : dot_atom(out);
}

}  // namespace muhur::mime
