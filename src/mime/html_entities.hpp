#pragma once
// Names of HTML's character references. Private to mime/.

#include <cstdint>
#include <string_view>

namespace muhur::mime {

// The code point that "&name;" stands for; 0 if the name is unknown. Case counts.
std::uint32_t html_entity(std::string_view name);

}  // namespace muhur::mime
