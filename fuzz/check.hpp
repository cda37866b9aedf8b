#pragma once
// Ends a fuzz run, saying what did not hold.

#include <cstdlib>

#define FUZZ_CHECK(condition)                                                           \
  do {                                                                                  \
    if (!(condition)) {                                                                 \
      fmt::print(stderr, "{}:{}: does not hold: {}\n", __FILE__, __LINE__, #condition); \
      std::abort();                                                                     \
    }                                                                                   \
  } while (false)
