#pragma once
// Buffered reading of lines and counted bytes from a Stream, with limits. While a connection idles its
// buffer is half a KiB, so that ten thousand IDLE clients cost little; it grows with what comes in.

#include <string>

#include "net/stream.hpp"

namespace muhur::net {

class LineReader {
 public:
  explicit LineReader(Stream& stream) : stream_(stream) {}

  // A line without its line break (LF, with a CR before it removed). limit when it is longer than
  // max_size: what was read of it is dropped up to the line's end, and reading can go on.
  Task<Result<std::string>> line(std::size_t max_size);
  // Exactly `size` bytes, appended to `into`.
  Task<Result<void>> exactly(std::size_t size, std::string& into);
  // Reads and drops `size` bytes.
  Task<Result<void>> discard(std::uint64_t size);
  // Whatever is there, at least one byte (from the buffer first). For DATA bodies.
  Task<Result<std::string>> some(std::size_t max_size);
  // Reads at least one byte more into the buffer, behind what is there.
  Task<Result<void>> more() { return fill(); }

  bool has_buffered() const { return at_ < buffer_.size(); }
  std::string_view buffered() const { return std::string_view(buffer_).substr(at_); }
  void consume(std::size_t size);
  void drop_buffered();  // at STARTTLS: what a man in the middle slipped in

 private:
  Task<Result<void>> fill();
  Stream& stream_;
  std::string buffer_;
  std::size_t at_ = 0;
  std::size_t next_read_ = kSmallest;
  static constexpr std::size_t kSmallest = 512, kLargest = 16 * 1024;
};

}  // namespace muhur::net
