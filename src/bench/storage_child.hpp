#pragma once
// One configuration measured once, in a process of its own.

#include <boost/json/object.hpp>
#include <filesystem>
#include <string_view>

#include "base/error.hpp"

namespace muhur::bench {

// Runs this program as `bench storage --one NAME --directory DIRECTORY --json -` and reads what it prints.
// internal: it failed, and said why on standard error.
Result<boost::json::object> run_in_child(std::string_view name, const std::filesystem::path& directory);

}  // namespace muhur::bench
