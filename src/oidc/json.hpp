#pragma once
// JSON from outside: strict and bounded.

#include <boost/json/object.hpp>
#include <optional>
#include <string_view>

#include "base/error.hpp"

namespace muhur::oidc {

// invalid: not an object, nested deeper than 32, a name that stands twice in one object (two readers may
// take different ones), anything after the object. The caller bounds the size.
Result<boost::json::object> parse_object(std::string_view text);

// A member that is a text; nullopt when it is absent or something else.
std::optional<std::string_view> text_of(const boost::json::object& object, std::string_view name);

}  // namespace muhur::oidc
