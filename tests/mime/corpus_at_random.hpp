#pragma once
// One message put together at random, with LF line ends. The same for the same seed.

#include <cstdint>
#include <string>

namespace muhur::mime::test {

std::string message_at_random(std::uint32_t seed);

}  // namespace muhur::mime::test
