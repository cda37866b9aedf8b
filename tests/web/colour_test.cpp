#include "web/colour.hpp"

#include <gtest/gtest.h>

#include "web/embedded.hpp"

namespace muhur::web {
namespace {

Colour colour(std::string_view text) { return Colour::parse(text).value(); }

// The value of a variable in the first rule behind `from`.
Colour variable(std::string_view css, std::string_view from, std::string_view name) {
  const auto begin = css.find(fmt::format("--{}:", name), css.find(from));
  return colour(css.substr(css.find('#', begin), 7));
}

TEST(Colour, ContrastIsThatOfWcag) {
  EXPECT_NEAR(contrast(colour("#000000"), colour("#ffffff")), 21, 0.01);
  EXPECT_NEAR(contrast(colour("#777777"), colour("#ffffff")), 4.48, 0.01);
  EXPECT_FALSE(Colour::parse("red"));
  EXPECT_FALSE(Colour::parse("#12345"));
  EXPECT_FALSE(Colour::parse("#1234567"));
  EXPECT_FALSE(Colour::parse("#gggggg"));
  EXPECT_FALSE(Colour::parse("#fff}*{"));
}

// Bug: links were readable on white, and most of them lie on the page around it.
TEST(Colour, OfAnyOperatorBecomesReadable) {
  const std::string_view ours = embedded_file("assets/style.css");
  for (const char* name : {"#ffff00", "#000080", "#ffffff", "#000000", "#808080", "#ff00ff"}) {
    const std::string css = brand_stylesheet(colour(name));
    for (const std::string_view scheme : {":root", "@media (prefers-color-scheme"}) {
      for (const char* behind : {"page", "surface"})
        EXPECT_GE(contrast(variable(css, scheme.substr(0, 6), "link"), variable(ours, scheme, behind)), 4.5)
            << name << scheme << behind;
      EXPECT_GE(contrast(variable(css, scheme.substr(0, 6), "accent"),
                         variable(css, scheme.substr(0, 6), "on-accent")),
                4.5)
          << name << scheme;
    }
  }
  EXPECT_EQ(readable_on(colour("#0000aa"), colour("#ffffff")), colour("#0000aa"));
  // A yellow button stays yellow, with black on it; as a link it is darker.
  const std::string yellow = brand_stylesheet(colour("#ffd400"));
  EXPECT_EQ(variable(yellow, ":root", "accent"), colour("#ffd400"));
  EXPECT_EQ(variable(yellow, ":root", "on-accent"), colour("#000000"));
  EXPECT_NE(variable(yellow, ":root", "link"), colour("#ffd400"));
}

TEST(Stylesheet, IsReadableInBothSchemes) {
  const std::string_view css = embedded_file("assets/style.css");
  for (const std::string_view scheme : {":root", "@media (prefers-color-scheme: dark)"}) {
    const auto pair = [&](std::string_view text, std::string_view behind) {
      return contrast(variable(css, scheme, text), variable(css, scheme, behind));
    };
    for (const auto& [text, behind] :
         std::vector<std::pair<std::string_view, std::string_view>>{{"text", "page"},
                                                                    {"text", "surface"},
                                                                    {"quiet", "surface"},
                                                                    {"link", "surface"},
                                                                    {"link", "page"},
                                                                    {"on-accent", "accent"},
                                                                    {"bad", "bad-surface"},
                                                                    {"good", "good-surface"},
                                                                    {"good", "surface"}})
      EXPECT_GE(pair(text, behind), 4.5) << scheme << " " << text << " on " << behind;
    EXPECT_GE(pair("line", "surface"), 3.0) << scheme;
    EXPECT_GE(pair("bad", "surface"), 3.0) << scheme;
    for (const char* behind : {"page", "surface"}) EXPECT_GE(pair("focus", behind), 3.0) << scheme;
  }
  EXPECT_EQ(variable(css, "@media (prefers-color-scheme: dark)", "surface"), colour("#1b1e24"));
}

}  // namespace
}  // namespace muhur::web
