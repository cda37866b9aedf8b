#include "net/line_reader.hpp"

namespace muhur::net {

Task<Result<std::string>> LineReader::line(std::size_t max_size) {
  bool too_long = false;
  std::size_t scanned = 0;  // of buffered(): holds no LF
  while (true) {
    const std::string_view waiting = buffered();
    if (const auto lf = waiting.find('\n', scanned); lf != std::string_view::npos) {
      std::string_view line = waiting.substr(0, lf);
      if (line.ends_with('\r')) line.remove_suffix(1);
      too_long = too_long || line.size() > max_size;
      std::string result(too_long ? std::string_view() : line);
      consume(lf + 1);
      if (too_long) co_return fail(Code::limit, fmt::format("a line of more than {} bytes", max_size));
      co_return result;
    }
    // One byte more than the limit may be the CR of a line that just fits.
    if (waiting.size() > max_size + 1) too_long = true;
    if (too_long) consume(waiting.size());
    scanned = too_long ? 0 : waiting.size();
    MUHUR_CO_CHECK(co_await fill());
  }
}

Task<Result<void>> LineReader::exactly(std::size_t size, std::string& into) {
  const std::size_t there = std::min(size, buffered().size());
  into.append(buffered().substr(0, there));
  consume(there);
  size -= there;
  // Straight into its place. It grows with what arrives, not with what was announced.
  constexpr std::size_t kStep = 64 * 1024;
  while (size > 0) {
    const std::size_t old = into.size();
    into.resize(old + std::min(size, kStep));
    const MutableBytes room(reinterpret_cast<Byte*>(into.data()) + old, into.size() - old);
    const auto got = co_await stream_.read_some(room);
    into.resize(old + (got ? *got : 0));
    if (!got) co_return std::unexpected(got.error());
    size -= *got;
  }
  co_return Result<void>();
}

Task<Result<void>> LineReader::discard(std::uint64_t size) {
  while (size > 0) {
    if (!has_buffered()) MUHUR_CO_CHECK(co_await fill());
    const auto drop = static_cast<std::size_t>(std::min<std::uint64_t>(size, buffered().size()));
    consume(drop);
    size -= drop;
  }
  co_return Result<void>();
}

Task<Result<std::string>> LineReader::some(std::size_t max_size) {
  if (!has_buffered()) MUHUR_CO_CHECK(co_await fill());
  std::string result(buffered().substr(0, max_size));
  consume(result.size());
  co_return result;
}

void LineReader::consume(std::size_t size) {
  at_ += size;
  if (at_ >= buffer_.size()) {
    buffer_.clear();
    at_ = 0;
  }
}

void LineReader::drop_buffered() {
  buffer_.clear();
  at_ = 0;
}

Task<Result<void>> LineReader::fill() {
  if (at_ > 0) {
    buffer_.erase(0, at_);
    at_ = 0;
  }
  if (buffer_.empty() && next_read_ == kSmallest && buffer_.capacity() > kSmallest) buffer_ = std::string();
  const std::size_t old = buffer_.size();
  buffer_.resize(old + next_read_);
  const auto got = co_await stream_.read_some({reinterpret_cast<Byte*>(buffer_.data()) + old, next_read_});
  buffer_.resize(old + (got ? *got : 0));
  if (!got) co_return std::unexpected(got.error());
  // A read that filled its room is followed by a larger one; one that did not, by the smallest.
  next_read_ = *got == next_read_ ? std::min(next_read_ * 2, kLargest) : kSmallest;
  co_return Result<void>();
}

}  // namespace muhur::net
