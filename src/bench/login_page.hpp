#pragma once
// Forms of a page, as far as a load needs them: no browser, but no regular expression of one page either.

#include <optional>
#include <string>
#include <string_view>

#include "bench/login_profile.hpp"

namespace muhur::bench {

struct PageForm {
  std::string action;
  FormFields hidden;
};

// The first form whose action contains `action`, with its inputs of type hidden. Character references of
// attribute values (&amp; &lt; &gt; &quot; &#39; and numeric ASCII ones) are decoded.
std::optional<PageForm> find_form(std::string_view html, std::string_view action);

}  // namespace muhur::bench
