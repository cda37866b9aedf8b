#pragma once
// Content-Transfer-Encodings undone (RFC 2045 §6). Lenient: mail is full of encodings that are slightly
// wrong, and a reader wants what is there.

#include <string_view>

#include "base/bytes.hpp"

namespace muhur::mime {

// "base64", "quoted-printable" (ignoring case), others as they are.
Bytes decode_transfer(ByteView body, std::string_view encoding);

// What is not of the alphabet is passed over; padding ends a group and the next one may follow.
Bytes decode_base64(ByteView text);

// White space at line ends is dropped, "=" at a line's end joins it to the next one, and an "=" that no two
// hexadecimal digits follow stands for itself.
Bytes decode_quoted_printable(ByteView text);

}  // namespace muhur::mime
