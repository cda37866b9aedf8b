#include "web/user_agent.hpp"

#include "base/unicode.hpp"

namespace muhur::web {
namespace {

struct Sign {
  std::string_view mark, name;
};
// In this order: most browsers also claim to be those below them.
constexpr Sign kBrowsers[] = {{"Edg", "Edge"},         {"OPR/", "Opera"},
                              {"Vivaldi/", "Vivaldi"}, {"SamsungBrowser", "Samsung Internet"},
                              {"Firefox/", "Firefox"}, {"FxiOS/", "Firefox"},
                              {"CriOS/", "Chrome"},    {"Chromium/", "Chromium"},
                              {"Chrome/", "Chrome"},   {"Safari/", "Safari"}};
constexpr Sign kSystems[] = {{"Windows", "Windows"}, {"Android", "Android"}, {"iPhone", "iPhone"},
                             {"iPad", "iPad"},       {"Mac OS X", "macOS"},  {"CrOS", "ChromeOS"},
                             {"Linux", "Linux"}};
constexpr std::size_t kShown = 60;

std::string_view find(std::span<const Sign> signs, std::string_view text) {
  for (const Sign& sign : signs)
    if (text.contains(sign.mark)) return sign.name;
  return {};
}

}  // namespace

std::string describe_user_agent(std::string_view user_agent, const Language& t) {
  const auto browser = find(kBrowsers, user_agent), system = find(kSystems, user_agent);
  if (!browser.empty() && !system.empty())
    return t("sessions.agent", {{"browser", browser}, {"system", system}});
  if (user_agent.empty()) return t("sessions.agent_unknown");
  return to_valid_utf8(user_agent.substr(0, kShown));
}

}  // namespace muhur::web
