#pragma once
// What a load counts while it runs. One thread's.

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace muhur::bench {

enum class LoginStep : std::uint8_t { authorize, login, token, introspect, refresh };
inline constexpr std::array<std::string_view, 5> kLoginSteps{"authorize", "login", "token", "introspect",
                                                             "refresh"};

struct LoginTally {
  static constexpr std::size_t kMostTexts = 8;

  bool counting = false;                           // not while it warms up, nor after the time is over
  std::array<std::vector<float>, 5> milliseconds;  // of every step that ended while counting
  std::uint64_t iterations = 0;                    // all five steps right
  std::uint64_t errors = 0;                        // ended at an answer that none expected
  std::uint64_t refused = 0;                       // ended at a 503 with Retry-After
  std::map<std::string, std::uint64_t> texts;      // of the errors: the first few that differ

  void step(LoginStep step, double ms) {
    if (counting) milliseconds[static_cast<std::size_t>(step)].push_back(static_cast<float>(ms));
  }
  // Errors count whenever they happen: a warm-up that fails would hide them.
  void error(const std::string& text) {
    ++errors;
    if (texts.size() < kMostTexts || texts.contains(text)) ++texts[text];
  }
};

}  // namespace muhur::bench
