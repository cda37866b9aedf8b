#pragma once
// What a User-Agent field means to people. Private to web/.

#include <string>
#include <string_view>

#include "web/i18n.hpp"

namespace muhur::web {

// "Firefox on Linux"; what is not recognised is cut short and shown as it is.
std::string describe_user_agent(std::string_view user_agent, const Language& t);

}  // namespace muhur::web
