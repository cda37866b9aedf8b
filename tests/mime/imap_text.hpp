#pragma once
// A structure as Dovecot writes it in IMAP, for comparison with Dovecot only: strings are quoted or literal,
// as it happens.

#include <string>

#include "mime/structure.hpp"

namespace muhur::mime::test {

std::string body_structure(const Structure& structure);
std::string envelope_text(const Envelope& envelope);

}  // namespace muhur::mime::test
