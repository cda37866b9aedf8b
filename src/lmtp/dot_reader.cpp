#include "lmtp/dot_reader.hpp"

namespace muhur::lmtp {

void DotReader::put(std::string_view text) {
  size_ += text.size();
  if (too_large() || dropping_)
    body_ = std::string();  // it will be refused: its memory is better used elsewhere
  else
    body_ += text;
}

std::size_t DotReader::feed(std::string_view bytes) {
  std::size_t at = 0;
  while (at < bytes.size() && state_ != State::done) {
    const char c = bytes[at];
    switch (state_) {
      case State::line_start:
        if (c == '.') {
          state_ = State::dot;
          ++at;
        } else {
          state_ = State::text;
        }
        break;
      case State::text: {
        const auto cr = bytes.find('\r', at);
        const std::size_t end = cr == std::string_view::npos ? bytes.size() : cr + 1;
        put(bytes.substr(at, end - at));
        at = end;
        if (cr != std::string_view::npos) state_ = State::cr;
        break;
      }
      case State::cr:
        if (c == '\n') {
          put("\n");
          ++at;
          state_ = State::line_start;
        } else {
          state_ = State::text;
        }
        break;
      case State::dot:
        if (c == '\r') {
          state_ = State::dot_cr;
          ++at;
        } else {
          state_ = State::text;  // the dot before it was there to be taken away
        }
        break;
      case State::dot_cr:
        if (c == '\n') {
          state_ = State::done;
          ++at;
        } else {
          put("\r");
          state_ = State::cr;
        }
        break;
      case State::done:
        break;
    }
  }
  return at;
}

}  // namespace muhur::lmtp
