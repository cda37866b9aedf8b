#pragma once
// Messages written by hand, each for one oddity, with LF line ends.

#include <vector>

#include "mime/corpus.hpp"

namespace muhur::mime::test {

std::vector<Sample> samples_by_hand();

}  // namespace muhur::mime::test
