#pragma once
// What follows DATA (RFC 5321 §4.5.2): finds its end and takes the doubled dots away. Only CR LF . CR LF ends
// it, or . CR LF at its very beginning; a bare CR, a bare LF and every mixture with dots are content. Where
// servers disagreed on that, a message could smuggle in another one.

#include <cstdint>
#include <string>
#include <string_view>

namespace muhur::lmtp {

class DotReader {
 public:
  // What goes beyond max_size is counted and dropped.
  explicit DotReader(std::uint64_t max_size) : max_size_(max_size) {}

  // Takes bytes as they come; returns how many of them belong to the data. What is behind done()'s end is
  // the next command's.
  std::size_t feed(std::string_view bytes);
  bool done() const { return state_ == State::done; }
  bool too_large() const { return size_ > max_size_; }
  std::size_t kept() const { return body_.size(); }
  // Goes on to the end without keeping anything.
  void drop() {
    dropping_ = true;
    body_ = std::string();
  }
  std::string take() { return std::move(body_); }

 private:
  enum class State { line_start, text, cr, dot, dot_cr, done };
  void put(std::string_view text);
  std::uint64_t max_size_;
  std::uint64_t size_ = 0;
  bool dropping_ = false;
  std::string body_;
  State state_ = State::line_start;
};

}  // namespace muhur::lmtp
