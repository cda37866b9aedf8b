#pragma once
// Reads the arguments of one complete command, as imap/tokens.hpp hands it out (RFC 3501 §9). A cursor:
// each method takes what it names and moves on, or takes nothing and says so.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace muhur::imap {

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  bool at_end();                                         // nothing is left but spaces, which it takes
  bool finished() const { return at_ == text_.size(); }  // nothing at all is left
  bool peek(char c) const { return at_ < text_.size() && text_[at_] == c; }
  bool take(char c);  // exactly this one
  bool space() { return take(' '); }
  // This atom, ignoring case, and the end of the atom behind it.
  bool word(std::string_view expected);

  std::optional<std::string_view> atom();  // ATOM-CHARs, at least one
  std::optional<std::string_view> tag();
  // A name with dots and such up to a space, bracket or parenthesis: "BODY.PEEK", "+FLAGS.SILENT".
  std::optional<std::string_view> item_name();
  std::optional<std::string> string();        // quoted or literal
  std::optional<std::string_view> literal();  // its octets, where they lie
  std::optional<std::string> astring();       // atom (']' and octets above 127 allowed) or string
  std::optional<std::string> list_mailbox();  // astring that may hold wildcards
  // nullopt: syntax error; an empty inner optional is NIL.
  std::optional<std::optional<std::string>> nstring();
  std::optional<std::string_view> flag();      // "\Seen" or a keyword
  std::optional<std::string_view> set_text();  // the octets of a sequence set
  std::optional<std::uint32_t> number();
  std::optional<std::uint64_t> number64();

  std::string_view rest() const { return text_.substr(at_); }

 private:
  std::optional<std::string> quoted();
  template <class Allowed>
  std::optional<std::string_view> run(Allowed allowed);
  std::string_view text_;
  std::size_t at_ = 0;
};

bool is_atom_char(char c);

}  // namespace muhur::imap
