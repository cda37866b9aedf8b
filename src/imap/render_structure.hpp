#pragma once
// BODY and BODYSTRUCTURE (RFC 3501 §7.4.2): BODYSTRUCTURE with all extension fields (MD5, disposition,
// language, location, and a multipart's parameters with its boundary), BODY with none.

#include <string>

#include "mime/structure.hpp"

namespace muhur::imap {

void append_structure(std::string& out, const mime::Structure& structure, bool extended);

}  // namespace muhur::imap
