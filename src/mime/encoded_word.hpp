#pragma once
// RFC 2047: text of any charset in header fields.

#include <string>
#include <string_view>

namespace muhur::mime {

// Encoded words decoded to UTF-8. White space between two of them is gone, and neighbours of one charset are
// joined before the charset is decoded (senders cut characters in two). A word whose charset or form is
// wrong stays as it is. Other octets are repaired to UTF-8. Folded input is unfolded; decoded control
// characters become spaces, so that no decoded text can begin a line.
std::string decode_words(std::string_view raw);

// UTF-8 text as encoded words where it is not plain ASCII (or looks like an encoded word); words of at most
// 75 characters, separated by one space. decode_words gives the text back.
std::string encode_words(std::string_view utf8);

}  // namespace muhur::mime
