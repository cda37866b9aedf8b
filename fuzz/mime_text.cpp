// Any octets as a message, as HTML and as encoded bodies: the text is UTF-8 and no longer than asked for.
#include "mime/text.hpp"

#include "base/unicode.hpp"
#include "check.hpp"
#include "mime/decode.hpp"
#include "mime/scanner.hpp"

using namespace muhur;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const ByteView message(data + 1, size - 1);
  const std::size_t limit = data[0] * std::size_t{16};
  const mime::Structure structure = mime::scan(message);
  for (const auto& text :
       {mime::body_text(message, structure, limit), mime::header_text(message, structure, limit)}) {
    FUZZ_CHECK(text.size() <= limit);
    FUZZ_CHECK(is_utf8(text));
  }

  const std::string html = to_valid_utf8(as_text(message));
  const std::string text = mime::html_to_text(html);
  FUZZ_CHECK(is_utf8(text));
  FUZZ_CHECK(text.size() <= html.size());

  FUZZ_CHECK(mime::decode_base64(message).size() <= message.size());
  FUZZ_CHECK(mime::decode_quoted_printable(message).size() <= message.size());
  return 0;
}
