#include "mime/address.hpp"

#include "mime/tokens.hpp"

namespace muhur::mime {
namespace {

// Reads addresses one after the other, each as a group, else as "name <address>", else as a bare address.
// A failed reading is taken back to where it began, at most twice an address.
class AddressReader {
 public:
  AddressReader(std::string_view value, std::size_t max) : lexer_(value, &comment_), max_(max) {}

  std::vector<Address> read() {
    if (lexer_.skip_space() == Step::more) list();
    return std::move(addresses_);
  }

 private:
  void list() {
    while (!full()) {
      if (address() == Step::end || !lexer_.at(',')) return;
      lexer_.advance();
      const Step step = lexer_.skip_space();
      if (step == Step::broken) add_completed();  // it ends in rubbish: say that something was there
      if (step != Step::more) return;
    }
  }

  Step address() {
    const auto start = lexer_.position();
    const Step step = group();
    if (step != Step::broken) return step;
    lexer_.rewind(start);
    return mailbox();
  }

  // group = display-name ":" [mailbox-list] ";"
  // Once the colon was seen it is a group, whatever follows: never `broken` then.
  Step group() {
    text_.clear();
    if (lexer_.phrase(text_) != Step::more || lexer_.peek() != ':') return Step::broken;
    lexer_.advance();
    Step step = lexer_.skip_space();
    if (addresses_.size() + 2 > max_) {
      full_ = true;
      return Step::end;
    }
    addresses_.emplace_back().mailbox = text_;
    in_group_ = true;
    if (step == Step::more && lexer_.peek() != ';') step = members();
    in_group_ = false;
    if (step != Step::broken) {
      if (lexer_.at(';')) {
        lexer_.advance();
        step = lexer_.skip_space();
      } else {
        step = Step::broken;
      }
    }
    addresses_.emplace_back();
    current_ = {};
    return step == Step::end ? Step::end : Step::more;
  }

  Step members() {
    while (!full()) {
      mailbox();
      if (!lexer_.at(',')) break;
      lexer_.advance();
      if (lexer_.skip_space() != Step::more) return Step::broken;
    }
    return Step::more;
  }

  Step mailbox() {
    const auto start = lexer_.position();
    invalid_ = false;
    Step step = name_and_address();
    if (step == Step::broken) {
      lexer_.rewind(start);
      step = bare_address();
      if (invalid_ && !current_.name && current_.mailbox && !current_.host) {
        current_.name = std::move(current_.mailbox);
        current_.mailbox.reset();
      }
    }
    add_completed();
    return step;
  }

  // name-addr = [display-name] "<" … ">"
  Step name_and_address() {
    text_.clear();
    if (lexer_.phrase(text_) != Step::more || lexer_.peek() != '<') return Step::broken;
    if (!text_.empty()) current_.name = text_;
    if (angle_address() == Step::broken) current_.host = kSyntaxError;
    return lexer_.step();
  }

  // angle-addr = "<" [route ":"] local-part ["@" domain] ">"
  Step angle_address() {
    lexer_.advance();
    if (lexer_.skip_space() != Step::more) return Step::broken;
    if (lexer_.peek() == '@') {
      if (route() == Step::more && lexer_.at(':')) {
        lexer_.advance();
      } else {
        current_.route = kInvalidRoute;
        if (lexer_.done()) return Step::broken;
      }
      if (lexer_.skip_space() != Step::more) return Step::broken;
    }
    if (lexer_.peek() != '>') {
      if (local_part() != Step::more) return Step::broken;
      if (lexer_.peek() == '@' && domain() != Step::more) return Step::broken;
    }
    if (!lexer_.at('>')) return Step::broken;
    lexer_.advance();
    return lexer_.skip_space();
  }

  // obs-domain-list = "@" domain *("," "@" domain)
  Step route() {
    text_.clear();
    while (lexer_.at('@')) {
      if (!text_.empty()) text_ += ',';
      text_ += '@';
      if (const Step step = lexer_.domain(text_); step != Step::more) return step;
      while (lexer_.skip_space() == Step::more && lexer_.peek() == ',') lexer_.advance();
    }
    if (lexer_.done()) return Step::end;
    current_.route = text_;
    return Step::more;
  }

  // addr-spec = local-part "@" domain; else a lone word is a mailbox, and several words are a name.
  Step bare_address() {
    comment_.clear();
    bool domain_seen = false;
    const bool is_quoted = lexer_.at('"');
    Step step = local_part();
    if (step != Step::more) invalid_ = true;
    if (step != Step::end && lexer_.at('@')) {
      domain_seen = true;
      if (const Step after = domain(); after != Step::more) step = after;
    }
    if (!comment_.empty()) {
      current_.name = comment_;
    } else if (!domain_seen) {
      text_ += ' ';
      const auto size = text_.size();
      (void)lexer_.phrase(text_);
      if (text_.size() != size) {
        current_.mailbox.reset();
        current_.name = text_;
      } else if (!is_quoted) {
        current_.host = "";
      }
      invalid_ = true;
      step = Step::broken;
    }
    return step;
  }

  Step local_part() {
    text_.clear();
    const Step step = lexer_.at('"') ? lexer_.quoted(text_) : dotted_atoms();
    if (step != Step::broken) current_.mailbox = text_;
    return step;
  }

  // A dot-atom in which dots may begin, end and repeat ("a..b.@example.org" is seen in the wild).
  Step dotted_atoms() {
    Step step = Step::broken;
    do {
      while (lexer_.at('.')) {
        text_ += '.';
        lexer_.advance();
        if (lexer_.done()) return Step::end;
        step = Step::more;
      }
      if (lexer_.at('@')) break;
      step = lexer_.atom(text_);
    } while (step == Step::more && lexer_.at('.'));
    return step;
  }

  Step domain() {
    text_.clear();
    const Step step = lexer_.domain(text_);
    if (step != Step::broken) current_.host = text_;
    return step;
  }

  // The rooms left; inside a group one is kept for its end.
  bool full() const { return full_ || addresses_.size() + (in_group_ ? 1 : 0) >= max_; }

  void add_completed() {
    if (!current_.mailbox) current_.mailbox = kMissingMailbox;
    if (!current_.host || current_.host->empty()) current_.host = kMissingDomain;
    if (full())
      full_ = true;
    else
      addresses_.push_back(std::move(current_));
    current_ = {};
  }

  std::string comment_;  // the last comment read: a bare address' name
  std::string text_;     // what is being read
  Lexer lexer_;
  std::size_t max_;
  bool full_ = false, in_group_ = false;
  bool invalid_ = false;  // the address being read broke the syntax
  Address current_;
  std::vector<Address> addresses_;
};

}  // namespace

std::vector<Address> parse_addresses(std::string_view value, std::size_t max_addresses) {
  return AddressReader(value, max_addresses).read();
}

}  // namespace muhur::mime
