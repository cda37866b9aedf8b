#pragma once
// The operator's colour, made readable: WCAG 2.2 asks for a contrast of 4.5 between text and what is behind
// it. Private to web/.

#include <optional>
#include <string>
#include <string_view>

namespace muhur::web {

struct Colour {
  double red = 0, green = 0, blue = 0;                        // 0…255
  static std::optional<Colour> parse(std::string_view text);  // "#rrggbb"
  std::string text() const;
  friend bool operator==(const Colour&, const Colour&) = default;
};

double contrast(const Colour& a, const Colour& b);  // WCAG 2.2: 1…21
// The nearest on the way to white or black that has a contrast of at least `least` to `behind`.
Colour readable_on(Colour colour, const Colour& behind, double least = 4.5);

// A stylesheet that sets --accent, --on-accent and --link for light and dark pages.
std::string brand_stylesheet(const Colour& colour);

}  // namespace muhur::web
