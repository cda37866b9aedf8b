#include "imap/tokens.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace muhur::imap {
namespace {

using State = CommandReader::State;

struct Seen {
  State state;
  std::string text;
  bool operator==(const Seen&) const = default;
};

// All that the reader says of `input`, fed in pieces of `size`.
std::vector<Seen> read_all(std::string_view input, std::size_t size, ReaderLimits limits) {
  CommandReader reader(limits);
  std::vector<Seen> seen;
  for (std::size_t at = 0; at < input.size(); at += size) {
    std::string_view piece = input.substr(at, size);
    while (!piece.empty()) {
      std::size_t taken = 0;
      const State state = reader.feed(piece, taken);
      piece.remove_prefix(taken);
      if (state == State::need_more) continue;
      seen.push_back({state, state == State::command ? reader.text() : std::string(reader.tag())});
      if (state == State::fatal) return seen;
      if (state != State::continuation) reader.next(false);
    }
  }
  return seen;
}

constexpr ReaderLimits kLimits{100, 50, 1000, 5000};

// The same for every way of cutting the input.
std::vector<Seen> read_any(std::string_view input, ReaderLimits limits = kLimits) {
  const auto whole = read_all(input, input.size(), limits);
  for (const int size : {1, 2, 3, 7, 16})
    EXPECT_EQ(read_all(input, size, limits), whole) << "pieces of " << size;
  return whole;
}

TEST(CommandReader, CutsLinesIntoCommands) {
  EXPECT_EQ(read_any("a NOOP\r\nb LOGOUT\nc"),
            (std::vector<Seen>{{State::command, "a NOOP"}, {State::command, "b LOGOUT"}}));
}

TEST(CommandReader, IgnoresBareLineBreaksBetweenCommands) {
  // Bug class 2: iOS sends an empty line before a command.
  EXPECT_EQ(read_any("\r\n\r\n\na NOOP\r\n\r\nb NOOP\r\n"),
            (std::vector<Seen>{{State::command, "a NOOP"}, {State::command, "b NOOP"}}));
}

TEST(CommandReader, KeepsLiteralsInPlaceAndAsksForThoseThatWait) {
  EXPECT_EQ(
      read_any("a LOGIN {3}\r\nb\r\n {2+}\r\n{1}\r\n"),
      (std::vector<Seen>{{State::continuation, "a"}, {State::command, "a LOGIN {3}\r\nb\r\n {2+}\r\n{1}"}}))
      << "the octets of a literal are not looked at";
}

TEST(CommandReader, TakesAnEmptyLiteral) {
  EXPECT_EQ(read_any("a LOGIN {0+}\r\n {0+}\r\n\r\n"),
            (std::vector<Seen>{{State::command, "a LOGIN {0+}\r\n {0+}\r\n"}}));
}

TEST(CommandReader, RefusesALongLineAndGoesOn) {
  const std::string input = "a " + std::string(1000, '(') + "\r\nb NOOP\r\n";
  EXPECT_EQ(read_any(input), (std::vector<Seen>{{State::refused, "a"}, {State::command, "b NOOP"}}));
}

TEST(CommandReader, SwallowsAnOversizeLiteralThatDoesNotWait) {
  // Bug class 19: the octets of the literal must not be read as commands.
  const std::string input =
      "a LOGIN {60+}\r\n" + std::string(58, 'x') + "\r\n more {3+}\r\nabc\r\nb NOOP\r\n";
  EXPECT_EQ(read_any(input), (std::vector<Seen>{{State::refused, "a"}, {State::command, "b NOOP"}}));
}

TEST(CommandReader, RefusesAnOversizeLiteralThatWaitsWithoutItsOctets) {
  EXPECT_EQ(read_any("a LOGIN {60}\r\nb NOOP\r\n"),
            (std::vector<Seen>{{State::refused, "a"}, {State::command, "b NOOP"}}));
}

TEST(CommandReader, SwallowsTheLiteralOfALineThatIsTooLongItself) {
  const std::string input = "a " + std::string(200, 'x') + " {10+}\r\n012345678\n tail\r\nb NOOP\r\n";
  EXPECT_EQ(read_any(input), (std::vector<Seen>{{State::refused, "a"}, {State::command, "b NOOP"}}));
}

TEST(CommandReader, CountsLiteralsOfOneCommandTogether) {
  const std::string part = " {20+}\r\n" + std::string(20, 'x');
  EXPECT_EQ(read_any("a X" + part + part + "\r\n").front().state, State::command);
  EXPECT_EQ(read_any("a X" + part + part + part + "\r\n").front().state, State::refused);
}

TEST(CommandReader, AllowsAppendItsOwnSize) {
  const std::string octets(900, 'm');
  EXPECT_EQ(read_any("a append INBOX {900+}\r\n" + octets + "\r\n"),
            (std::vector<Seen>{{State::command, "a append INBOX {900+}\r\n" + octets}}));
  CommandReader reader(kLimits);
  std::size_t taken = 0;
  EXPECT_EQ(reader.feed("a APPEND INBOX {1001}\r\n", taken), State::refused);
  EXPECT_EQ(reader.refusal(), CommandReader::Refusal::message_too_big);
}

TEST(CommandReader, GivesUpWhereTheNextCommandCannotBeFound) {
  EXPECT_EQ(read_any("a X {99999999999999999999999+}\r\n").front().state, State::fatal);
  EXPECT_EQ(read_any("a X {6000+}\r\n").front().state, State::fatal) << "more than it would swallow";
  EXPECT_EQ(read_any("a " + std::string(9000, 'x')).front().state, State::fatal) << "a line without end";
}

TEST(CommandReader, TakesALineThatIsNoCommand) {
  CommandReader reader(kLimits);
  reader.expect_line(20);
  std::size_t taken = 0;
  EXPECT_EQ(reader.feed("DONE {3}\r\nrest", taken), State::command);
  EXPECT_EQ(taken, 10u);
  EXPECT_EQ(reader.text(), "DONE {3}");
  reader.next(true);
  EXPECT_TRUE(reader.resting());
}

}  // namespace
}  // namespace muhur::imap
