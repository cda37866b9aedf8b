#pragma once
// ENVELOPE (RFC 3501 §7.4.2).

#include <string>

#include "mime/structure.hpp"

namespace muhur::imap {

void append_envelope(std::string& out, const mime::Envelope& envelope);

}  // namespace muhur::imap
