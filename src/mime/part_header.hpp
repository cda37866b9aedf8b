#pragma once
// What a part's header says of the part and of its envelope. Private to mime/.

#include <optional>
#include <string>

#include "mime/scanner.hpp"

namespace muhur::mime {

struct PartHeader {
  bool has_content_type = false;  // the field stood there, valid or not
  bool is_message = false;        // message/rfc822
  bool is_multipart = false;
  bool is_digest = false;
  std::optional<std::string> boundary;
};

// Fills the fields of `part` that come from its header (not offsets, kind or tree), and `envelope` unless
// it is null. `is_mime`: the part stands in a multipart, where Content-… fields always count; elsewhere
// they need a MIME-Version or a Content-Type beside them.
PartHeader read_part_header(std::string_view block, bool is_mime, const Limits& limits, Part& part,
                            Envelope* envelope);

}  // namespace muhur::mime
