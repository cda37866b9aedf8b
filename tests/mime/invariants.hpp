#pragma once
// What must hold for the structure of any octets; for tests and for the fuzzers.

#include <string>
#include <string_view>

#include "mime/structure.hpp"

namespace muhur::mime::test {

// A sentence on the first invariant that is broken; empty if none is.
std::string broken_invariant(const Structure& structure, std::string_view message);

// All of a structure as text, to compare two.
std::string described(const Structure& structure);

}  // namespace muhur::mime::test
