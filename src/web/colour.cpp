#include "web/colour.hpp"

#include <cmath>

#include "base/encoding.hpp"

namespace muhur::web {
namespace {

constexpr Colour kWhite{255, 255, 255}, kBlack{0, 0, 0};
// What links lie on in assets/style.css, where they are hardest to read: --page of the light pages, --surface
// of the dark ones.
constexpr Colour kLightPage{244, 242, 239}, kDarkPage{27, 30, 36};

double linear(double channel) {
  const double c = channel / 255;
  return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
}
double luminance(const Colour& c) {
  return 0.2126 * linear(c.red) + 0.7152 * linear(c.green) + 0.0722 * linear(c.blue);
}
Colour mix(const Colour& a, const Colour& b, double part_of_b) {
  const auto one = [&](double x, double y) { return std::round(x + (y - x) * part_of_b); };
  return {one(a.red, b.red), one(a.green, b.green), one(a.blue, b.blue)};
}

}  // namespace

std::optional<Colour> Colour::parse(std::string_view text) {
  if (text.size() != 7 || text.front() != '#') return std::nullopt;
  const auto bytes = from_hex(text.substr(1));
  if (!bytes) return std::nullopt;
  return Colour{double((*bytes)[0]), double((*bytes)[1]), double((*bytes)[2])};
}

std::string Colour::text() const {
  return fmt::format("#{:02x}{:02x}{:02x}", static_cast<int>(red), static_cast<int>(green),
                     static_cast<int>(blue));
}

double contrast(const Colour& a, const Colour& b) {
  const double x = luminance(a), y = luminance(b);
  return (std::max(x, y) + 0.05) / (std::min(x, y) + 0.05);
}

Colour readable_on(Colour colour, const Colour& behind, double least) {
  const Colour& away = contrast(behind, kWhite) > contrast(behind, kBlack) ? kWhite : kBlack;
  for (double part = 0; part < 1; part += 0.02)
    if (const Colour mixed = mix(colour, away, part); contrast(mixed, behind) >= least) return mixed;
  return away;
}

std::string brand_stylesheet(const Colour& colour) {
  // A button says by its own text what it is: its colour stays the operator's as long as it is seen at all.
  const auto rules = [&](const Colour& page, double least_of_button) {
    const Colour link = readable_on(colour, page), button = readable_on(colour, page, least_of_button);
    const Colour& on = contrast(button, kWhite) >= contrast(button, kBlack) ? kWhite : kBlack;
    return fmt::format(":root{{--accent:{};--on-accent:{};--link:{}}}", button.text(), on.text(),
                       link.text());
  };
  return fmt::format("{}\n@media (prefers-color-scheme:dark){{{}}}\n", rules(kLightPage, 1.2),
                     rules(kDarkPage, 3));
}

}  // namespace muhur::web
