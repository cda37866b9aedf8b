#include "net/line_reader.hpp"

#include <gtest/gtest.h>

#include "net/memory_stream.hpp"
#include "net/run.hpp"

namespace muhur::net {
namespace {

class LineReaderTest : public testing::TestWithParam<std::size_t> {
 protected:
  boost::asio::io_context io_;
  std::pair<StreamPtr, StreamPtr> ends_ = memory_stream_pair(io_.get_executor(), {.max_read = GetParam()});
  LineReader reader_{*ends_.second};

  Task<void> send(std::string_view text) { EXPECT_TRUE(co_await ends_.first->write(as_bytes(text))); }
};

TEST_P(LineReaderTest, ReadsLinesWithEitherLineBreak) {
  run(io_, [&]() -> Task<void> {
    co_await send("one\r\ntwo\nthree\r\r\n\r\n");
    EXPECT_EQ((co_await reader_.line(100)).value(), "one");
    EXPECT_EQ((co_await reader_.line(100)).value(), "two");
    EXPECT_EQ((co_await reader_.line(100)).value(), "three\r");
    EXPECT_EQ((co_await reader_.line(100)).value(), "");
    EXPECT_FALSE(reader_.has_buffered());
  }());
}

TEST_P(LineReaderTest, DropsALineThatIsTooLongAndGoesOn) {
  run(io_, [&]() -> Task<void> {
    co_await send("12345\r\n123456\r\n" + std::string(5'000, 'x') + "\nlast\r\n");
    EXPECT_EQ((co_await reader_.line(5)).value(), "12345");
    EXPECT_EQ((co_await reader_.line(5)).error().code, Code::limit);
    EXPECT_EQ((co_await reader_.line(5)).error().code, Code::limit);
    EXPECT_EQ((co_await reader_.line(5)).value(), "last");
  }());
}

TEST_P(LineReaderTest, ReadsCountedBytesBetweenLines) {
  run(io_, [&]() -> Task<void> {
    const std::string body(100'000, 'b');
    co_await send("A {100000+}\r\n" + body + "rest\r\n" + "0123456789next\r\n");
    EXPECT_EQ((co_await reader_.line(100)).value(), "A {100000+}");
    std::string into = "<";
    EXPECT_TRUE(co_await reader_.exactly(body.size(), into));
    EXPECT_EQ(into, "<" + body);
    EXPECT_EQ((co_await reader_.line(100)).value(), "rest");
    EXPECT_TRUE(co_await reader_.discard(10));
    EXPECT_EQ((co_await reader_.line(100)).value(), "next");
  }());
}

TEST_P(LineReaderTest, SomeGivesTheBufferedBytesFirst) {
  run(io_, [&]() -> Task<void> {
    co_await send("line\r\nbody");
    EXPECT_EQ((co_await reader_.line(100)).value(), "line");
    std::string got;
    while (got.size() < 4) got += (co_await reader_.some(3)).value();
    EXPECT_EQ(got, "body");
  }());
}

TEST_P(LineReaderTest, SaysClosedAtTheEndAlsoInTheMiddleOfALine) {
  run(io_, [&]() -> Task<void> {
    co_await send("whole\r\nhal");
    ends_.first->close();
    EXPECT_EQ((co_await reader_.line(100)).value(), "whole");
    EXPECT_EQ((co_await reader_.line(100)).error().code, Code::closed);
    std::string into;
    EXPECT_EQ((co_await reader_.exactly(10, into)).error().code, Code::closed);
  }());
}

TEST_P(LineReaderTest, ForgetsWhatWasSlippedInBehindStarttls) {
  run(io_, [&]() -> Task<void> {
    co_await send("STARTTLS\r\nevil\r\n");
    EXPECT_EQ((co_await reader_.line(100)).value(), "STARTTLS");
    while (reader_.buffered().size() < 6) EXPECT_TRUE(co_await reader_.more());
    EXPECT_TRUE(reader_.has_buffered());
    reader_.drop_buffered();
    EXPECT_FALSE(reader_.has_buffered());
    co_await send("good\r\n");
    EXPECT_EQ((co_await reader_.line(100)).value(), "good");
  }());
}

INSTANTIATE_TEST_SUITE_P(ReadSizes, LineReaderTest, testing::Values(1, 2, 7, 65536));

}  // namespace
}  // namespace muhur::net
