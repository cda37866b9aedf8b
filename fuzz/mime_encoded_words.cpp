// Any octets as header text: what is decoded is UTF-8 on one line, and what is encoded is decoded again.
#include "mime/encoded_word.hpp"

#include "base/unicode.hpp"
#include "check.hpp"
#include "mime/fields.hpp"

using namespace muhur;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::string decoded = mime::decode_words(text);
  FUZZ_CHECK(is_utf8(decoded));
  FUZZ_CHECK(!decoded.contains('\n') && !decoded.contains('\r'));

  // Control characters become spaces, and space around the whole is no content: neither comes back.
  std::string plain = to_valid_utf8(text);
  for (char& c : plain)
    if (static_cast<unsigned char>(c) < ' ' || c == 0x7f) c = ' ';
  plain = mime::unfold(plain);
  const std::string encoded = mime::encode_words(plain);
  FUZZ_CHECK(is_ascii(encoded));
  FUZZ_CHECK(mime::decode_words(encoded) == plain);
  return 0;
}
