#pragma once
// The sample mail of `muhur demo`: what real mail is made of, in a dozen messages.

#include <cstdint>
#include <string>
#include <vector>

namespace muhur::cli {

struct DemoMessage {
  std::string sender;                   // of the envelope
  std::vector<std::string> recipients;  // local parts: "alice"
  std::string bytes;                    // CRLF line ends
};

// Dated within the two weeks before `now_s`, oldest first.
std::vector<DemoMessage> demo_messages(std::int64_t now_s);

}  // namespace muhur::cli
