// LMTP's parsers: no crash, nothing through that could break a header, and data read the same however cut.
#include <cstdlib>

#include "base/bytes.hpp"
#include "lmtp/dot_reader.hpp"
#include "lmtp/grammar.hpp"

namespace {

using namespace muhur::lmtp;

void require(bool what) {
  if (!what) std::abort();
}

void check_address(std::string_view address) {
  require(address.size() <= kMaxPath);
  for (const char c : address) require(static_cast<unsigned char>(c) >= 0x20 && c != 0x7F);
}

std::pair<std::string, std::size_t> read(std::string_view wire, std::size_t step) {
  DotReader dots(1000);
  std::size_t at = 0;
  while (at < wire.size() && !dots.done()) at += dots.feed(wire.substr(at, step));
  return {dots.take(), at};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input = muhur::as_text({data, size});
  const Command command = parse_command(input.substr(0, input.find('\n')));
  for (const std::string_view rest : {command.rest, input}) {
    if (const auto mail = parse_mail(rest)) check_address(mail->sender);
    for (const bool utf8 : {false, true})
      if (const auto address = parse_rcpt(rest, utf8)) check_address(*address);
    if (const auto name = parse_client_name(rest)) check_address(*name);
    (void)parse_bdat(rest);
  }
  const auto whole = read(input, input.size() + 1);
  require(read(input, 1) == whole);
  require(read(input, 3) == whole);
  return 0;
}
