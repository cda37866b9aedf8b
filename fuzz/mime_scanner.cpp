// Any octets as a message: the structure's invariants hold, it does not matter where the octets were cut, and
// small limits are kept.
#include "mime/scanner.hpp"

#include "check.hpp"
#include "mime/invariants.hpp"

using namespace muhur;

namespace {

constexpr std::string_view kAlways = "Content-Type: multipart/mixed; boundary=b\n\n--b\n";

void check(std::string_view message, const mime::Limits& limits, std::size_t piece) {
  const mime::Structure whole = mime::scan(as_bytes(message), limits);
  const std::string broken = mime::test::broken_invariant(whole, message);
  if (!broken.empty()) fmt::print(stderr, "{}\n", broken);
  FUZZ_CHECK(broken.empty());
  FUZZ_CHECK(whole.parts.size() <= limits.parts);
  mime::Scanner scanner(limits);
  for (std::size_t at = 0; at < message.size(); at += piece)
    scanner.feed(as_bytes(message.substr(at, piece)));
  FUZZ_CHECK(mime::test::described(scanner.finish()) == mime::test::described(whole));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view message(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::size_t piece = 1 + data[0] % 100;
  check(message, {}, piece);
  check(message, {.nesting = 3, .parts = 5, .header_bytes = 60, .parameters = 2, .addresses = 3}, piece);
  check(std::string(kAlways).append(message), {}, piece);
  return 0;
}
