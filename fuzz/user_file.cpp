// Files of users to import: no crash, and whoever comes out of one can be imported as it is.
#include <fmt/format.h>

#include "check.hpp"
#include "passwords/record.hpp"
#include "server/user_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace muhur;
  const auto file = server::read_user_file(as_text({data, size}));
  if (!file) return 0;
  std::size_t last = 0;
  for (const auto& [line, user] : file->users) {
    FUZZ_CHECK(line > last);
    last = line;
    FUZZ_CHECK(accounts::canonical_address(user.address));
    FUZZ_CHECK(passwords::parse_record(user.record));
    FUZZ_CHECK(user.quota_bytes >= 0);
    for (const char c : user.display_name) FUZZ_CHECK(static_cast<unsigned char>(c) >= 0x20);
  }
  for (const auto& [line, error] : file->bad) FUZZ_CHECK(line > 0 && !error.what.empty());
  return 0;
}
