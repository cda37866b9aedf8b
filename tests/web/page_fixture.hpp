#pragma once
// A site and a frame for tests of pages.

#include "web/layout.hpp"

namespace muhur::web {

inline const Site& test_site() {
  static const Site site = [] {
    Branding branding{.name = "Example & Sons", .colour = "#336699", .help_url = "https://example.org/help"};
    return Site{branding, Assets::create(branding).value()};
  }();
  return site;
}
inline Frame frame_in(std::string_view language, std::string self = "/here?a=b&ui_locales=xx") {
  return {test_site(), choose_language(language, ""), std::move(self)};
}
inline std::string header(const http::Response& response, std::string_view name) {
  return std::string(response.headers.get(name).value_or("(none)"));
}

}  // namespace muhur::web
