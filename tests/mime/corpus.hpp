#pragma once
// Messages to test with, the same on every machine: some written by hand, each for one oddity, and some put
// together at random from odd pieces. Line ends are CRLF.

#include <cstdint>
#include <string>
#include <vector>

namespace muhur::mime::test {

struct Sample {
  std::string name;  // fit for a file name
  std::string bytes;
};

std::vector<Sample> corpus(std::uint32_t random_count = 300);

std::string with_crlf(std::string_view text);  // LF not preceded by CR becomes CRLF

}  // namespace muhur::mime::test
