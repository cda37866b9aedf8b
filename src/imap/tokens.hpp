#pragma once
// Cuts a stream of octets into commands: lines, with the literals inside them (RFC 3501 §4.3, RFC 7888).
// Incremental: takes pieces of any size and gives the same result for any way of cutting them.
//
// A complete command is handed out as one text: its lines joined, each literal in place as
//   "{" n ["+"] "}" CRLF n octets
// and without the final line break; imap/parser.hpp reads it. A bare line break before a command is
// ignored (iOS sends such). A line may end in LF alone.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "net/budget.hpp"

namespace muhur::imap {

struct ReaderLimits {
  std::size_t command;     // octets of one command, literals aside
  std::uint64_t literals;  // octets of all literals of one command that is no APPEND
  std::uint64_t append;    // octets of all literals of an APPEND
  std::uint64_t swallow;   // octets of one refused command that are read and dropped
};

class CommandReader {
 public:
  enum class State {
    need_more,     // all input taken; nothing to do yet
    continuation,  // the client waits for "+ " before it sends a literal
    command,       // text() is complete; next() goes on
    refused,       // over a limit: the command was dropped and its end reached; next() goes on
    fatal,         // where the next command begins cannot be known: say BYE
  };
  enum class Refusal { none, command_too_long, literal_too_big, message_too_big, too_busy };

  explicit CommandReader(ReaderLimits limits) : limits_(limits) {}
  // From now on the literals of APPENDs take from both, which outlive the reader.
  void take_from(net::Budget& of_user, net::Budget& of_all) { budgets_ = {&of_user, &of_all}; }
  void set_limits(ReaderLimits limits) { limits_ = limits; }

  // Takes from the front of `input` until there is something to say; `taken` is how much.
  State feed(std::string_view input, std::size_t& taken);

  // The next unit is a bare line, not a command: the answer to AUTHENTICATE, the DONE of IDLE.
  void expect_line(std::size_t max_size);

  std::string& text() { return text_; }
  Refusal refusal() const { return refusal_; }
  // The tag of a refused command, "*" when it had none.
  std::string_view tag() const;
  std::uint64_t literal_left() const { return literal_left_; }
  // Nothing of a command has come yet.
  bool resting() const { return text_.empty() && literal_left_ == 0 && refusal_ == Refusal::none; }

  // Forgets the command; `wipe` overwrites it first (it held a password). Large buffers are freed.
  void next(bool wipe);

 private:
  State end_of_line();
  State begin_literal(std::uint64_t size, bool waits);
  void take_line(std::string_view piece);
  void refuse(Refusal why);
  bool is_append() const;
  bool take_memory(std::uint64_t octets);

  ReaderLimits limits_;
  std::array<net::Budget*, 2> budgets_{};  // null: none
  std::array<net::Budget::Share, 2> shares_;
  std::string text_;
  std::string tail_;                // the end of a refused line, where a literal may be announced
  std::size_t line_start_ = 0;      // in text_: where the line under way begins
  std::size_t command_octets_ = 0;  // without literals
  std::uint64_t literal_octets_ = 0;
  std::uint64_t literal_left_ = 0;
  std::uint64_t swallowed_ = 0;
  std::size_t bare_line_ = 0;  // > 0: a bare line of at most this
  Refusal refusal_ = Refusal::none;
};

}  // namespace muhur::imap
