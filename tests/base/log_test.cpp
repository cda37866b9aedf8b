#include "base/log.hpp"

#include <gtest/gtest.h>

#include "base/secret.hpp"

namespace muhur {
namespace {

using log::Level;
using log::line_of;

TEST(Log, WritesOneLineOfWordsAndFields) {
  EXPECT_EQ(line_of(Level::info, "imap", "signed in", {{"user", 7}, {"peer", "192.0.2.1:99"}}),
            "info imap signed in user=7 peer=192.0.2.1:99");
}

TEST(Log, ASecretPrintsAsStars) {
  const Secret secret = Secret::from_text("hunter2");
  EXPECT_EQ(line_of(Level::warn, "x", "y", {{"key", secret}}), "warn x y key=***");
}

TEST(Log, NoValueCanForgeALineOrAField) {
  EXPECT_EQ(line_of(Level::info, "a", "m", {{"v", "x\ninfo a forged user=1"}}),
            R"(info a m v="x\ninfo a forged user=1")");
  EXPECT_EQ(line_of(Level::info, "a", "m", {{"v", "x user=1"}}), R"(info a m v="x user=1")");
  EXPECT_EQ(line_of(Level::info, "a", "m", {{"v", R"(a"b\c)"}}), R"(info a m v="a\"b\\c")");
  EXPECT_EQ(line_of(Level::info, "a", "m", {{"v", ""}}), R"(info a m v="")");
}

TEST(Log, NoValueCanSteerATerminal) {
  EXPECT_EQ(line_of(Level::info, "a", "m", {{"v", "\x1b[2J"}}), R"(info a m v="\u{1b}[2J")");
  EXPECT_EQ(line_of(Level::info, "a", "m",
                    {{"v",
                      "\xC2\x9B"
                      "2J"}}),
            R"(info a m v="\u{9b}2J")");
  EXPECT_EQ(line_of(Level::info, "a", "m",
                    {{"v",
                      "a\xE2\x80\xAE"
                      "b"}}),
            R"(info a m v="a\u{202e}b")");
  EXPECT_EQ(line_of(Level::info, "a", "m", {{"v", "\xFF"}}), "info a m v=\"\xEF\xBF\xBD\"");
}

TEST(Log, ALongValueIsCut) {
  const std::string line = line_of(Level::info, "a", "m", {{"v", std::string(100'000, 'x')}});
  EXPECT_LT(line.size(), 1200U);
  EXPECT_TRUE(line.ends_with("…\""));
}

TEST(Log, LevelsAreKnownByName) {
  EXPECT_TRUE(log::set_level("error"));
  EXPECT_FALSE(log::enabled(Level::warn));
  EXPECT_TRUE(log::enabled(Level::error));
  EXPECT_TRUE(log::set_level("off"));
  EXPECT_FALSE(log::enabled(Level::error));
  EXPECT_FALSE(log::set_level("loud"));
  EXPECT_TRUE(log::set_level("info"));
}

TEST(Log, WritesToStandardErrorWithItsTime) {
  testing::internal::CaptureStderr();
  log::warn("base", "hello", {{"n", 1}});
  log::debug("base", "unseen");
  const std::string written = testing::internal::GetCapturedStderr();
  EXPECT_TRUE(written.ends_with("warn base hello n=1\n")) << written;
  EXPECT_EQ(std::count(written.begin(), written.end(), '\n'), 1);
}

}  // namespace
}  // namespace muhur
