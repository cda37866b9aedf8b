#pragma once
// One pass over a message's bytes: offsets, octets and lines of every part. Needs no copy of the message,
// takes it in pieces of any size, and gives the same result for any way of cutting it.
// Never fails: what is malformed is described as what it is (a multipart without boundary is a multipart
// without parts). Line ends may be CRLF or LF. Time is linear in the octets, and memory bounded by Limits
// and by the octets of the headers, whatever the input. The structure is the one that Dovecot 2.3 finds,
// so that BODYSTRUCTURE and section numbers are what clients have long been tested with.
//
// Thread-compatible: one thread at a time.

#include <memory>

#include "base/bytes.hpp"
#include "mime/structure.hpp"

namespace muhur::mime {

struct Limits {
  std::uint32_t nesting = 100;             // Dovecot's default
  std::uint32_t parts = 10'000;            // Dovecot's default
  std::uint32_t header_bytes = 1u << 20;   // of one part's header that are looked at
  std::uint32_t parameters = 100;          // of one Content-Type
  std::uint32_t addresses = 5'000;         // of one header
  std::uint32_t all_parameters = 100'000;  // parameters and languages of all parts together
  std::uint32_t all_addresses = 50'000;    // of all envelopes together
};

class Scanner {
 public:
  explicit Scanner(Limits limits = {});
  ~Scanner();
  void feed(ByteView piece);  // the next octets of the message; not kept after the call
  Structure finish();         // once, after the last piece

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

Structure scan(ByteView message, const Limits& limits = {});

}  // namespace muhur::mime
