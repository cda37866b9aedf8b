#pragma once
// The original bytes of one message, in zstd chunks inside the mailbox: a part of a large message costs
// the chunks it touches. Bytes of large leaf parts (attachments) are shared between messages by a keyed
// 256-bit hash.

#include <cstdint>
#include <memory>
#include <string>

#include "base/error.hpp"
#include "mailbox/types.hpp"

namespace muhur::mailbox {

class Mailbox;

class Content {
 public:
  Content(Content&&) noexcept;
  Content& operator=(Content&&) noexcept;
  ~Content();

  std::uint64_t size() const;
  // Up to `size` bytes from `offset`; shorter only at the end. Blocks. One thread at a time. They can be read
  // to the end whoever expunges the message meanwhile; its room is given back once no Content of it is left.
  // closed: its mailbox was closed meanwhile. corrupt, io.
  Result<std::string> read(std::uint64_t offset, std::uint64_t size);
  Result<std::string> all() { return read(0, size()); }

 private:
  friend class Mailbox;
  struct Impl;
  explicit Content(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace muhur::mailbox
