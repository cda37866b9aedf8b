#pragma once
// The text that a search looks at: decoded headers, decoded text parts, HTML as text, attachments' names.

#include <string>
#include <string_view>

#include "base/bytes.hpp"
#include "mime/structure.hpp"

namespace muhur::mime {

// All header lines of the message (and of messages inside), RFC 2047 decoded, UTF-8, "Name: value\n" each.
std::string header_text(ByteView message, const Structure& structure, std::size_t max_bytes);

// Bodies of text/* parts, transfer and charset decoded, HTML stripped to its text; attachments' names;
// parts separated by "\n". At most max_bytes of UTF-8. Of a body no more is looked at than can be expected
// to fill them.
std::string body_text(ByteView message, const Structure& structure, std::size_t max_bytes);

// The text of one text/* part, as body_text has it. `body`: the part's octets in the message.
std::string part_text(ByteView body, const Part& part);

// A part's file name: "filename" of its disposition, else "name" of its type; empty if there is none.
std::string part_name(const Part& part);

// Text of an HTML document: tags, scripts and styles gone, entities decoded, blocks separated.
// `html` is UTF-8, and so is the result.
std::string html_to_text(std::string_view html);

}  // namespace muhur::mime
