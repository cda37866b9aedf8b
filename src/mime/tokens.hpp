#pragma once
// The lexer of structured header values (RFC 5322 §3.2, RFC 2045 §5.1): white space and comments, atoms,
// MIME tokens, quoted strings, phrases, domains. Lenient where mail is: 8-bit octets count as letters.
// Private to mime/. Every reader consumes what it read even when it says `broken`, so a caller that goes
// on from there stays linear.

#include <cstdint>
#include <string>
#include <string_view>

namespace muhur::mime {

enum class Step : std::uint8_t {
  broken,  // malformed here
  end,     // nothing follows; a value may have been read
  more,    // something follows at peek()
};

bool is_atom_char(char c);   // RFC 5322 atext
bool is_token_char(char c);  // atext without '/', '?' and '=': RFC 2045 tokens take '.' besides

class Lexer {
 public:
  // `comment` (may be null) takes the text of the last comment that was passed over.
  explicit Lexer(std::string_view text, std::string* comment = nullptr) : text_(text), comment_(comment) {}

  bool done() const { return at_ >= text_.size(); }
  bool at(char c) const { return at_ < text_.size() && text_[at_] == c; }
  char peek() const { return text_[at_]; }  // REQUIRES: !done()
  void advance() { ++at_; }                 // REQUIRES: !done()
  std::size_t position() const { return at_; }
  void rewind(std::size_t position) { at_ = position; }
  Step step() const { return done() ? Step::end : Step::more; }

  // The readers append to `out` and pass over white space and comments after what they read, not before.
  Step skip_space();
  Step atom(std::string& out);
  Step dot_atom(std::string& out);      // white space around the dots goes, as RFC 822 had it
  Step word_or_dots(std::string& out);  // atom characters and dots, perhaps none
  Step token(std::string& out);         // perhaps none
  Step quoted(std::string& out);        // REQUIRES: at('"')
  Step phrase(std::string& out);        // words joined by one space
  Step domain(std::string& out);        // REQUIRES: at('@')

 private:
  Step skip_comment();
  Step domain_literal(std::string& out);
  void take(char c, std::string& out, std::size_t& certain);
  std::string_view text_;
  std::string* comment_;
  std::size_t at_ = 0;
};

}  // namespace muhur::mime
