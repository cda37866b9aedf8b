#pragma once
// The ";name=value" that follow a media type or a disposition. Private to mime/.

#include "mime/structure.hpp"
#include "mime/tokens.hpp"

namespace muhur::mime {

// Reads all that is left, over what is malformed; RFC 2231 continuations ("name*0", "name*1*") are joined
// where none is missing and stand after the others. All are read, the first `max` are kept.
Parameters read_parameters(Lexer& lexer, std::size_t max);

}  // namespace muhur::mime
