#include "base/error.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <set>

namespace muhur {
namespace {

TEST(Error, SaysWhatAndRemedyInOneSentenceEach) {
  EXPECT_EQ((Error{Code::io, "it broke", "Mend it"}.text()), "it broke. Mend it");
  EXPECT_EQ((Error{Code::io, "it broke", ""}.text()), "it broke");
}

TEST(Error, EveryCodeHasANameOfItsOwn) {
  std::set<std::string_view> names;
  for (int code = 0; code <= static_cast<int>(Code::internal); ++code)
    names.insert(name_of(static_cast<Code>(code)));
  EXPECT_EQ(names.size(), static_cast<std::size_t>(Code::internal) + 1);
  EXPECT_FALSE(names.contains("unknown"));
}

TEST(Error, AFullDiskIsNoSpace) {
  EXPECT_EQ(fail_errno(ENOSPC, "write x").error().code, Code::no_space);
  EXPECT_EQ(fail_errno(EDQUOT, "write x").error().code, Code::no_space);
}

TEST(Error, AReadOnlyDirectoryIsNotMistakenForAWrongPassword) {
  for (const int number : {EACCES, EPERM, EROFS}) {
    const Error error = fail_errno(number, "open /data/x").error();
    EXPECT_NE(error.code, Code::denied);
    EXPECT_FALSE(error.remedy.empty());
    EXPECT_TRUE(error.what.starts_with("open /data/x: "));
  }
}

Result<int> half(int n) {
  if (n % 2 != 0) return fail(Code::invalid, "odd");
  return n / 2;
}
Result<int> quarter(int n) {
  MUHUR_TRY(const int once, half(n));
  MUHUR_CHECK([&]() -> Result<void> {
    if (once > 100) return fail(Code::limit, "too much");
    return {};
  }());
  return half(once);
}

TEST(Error, TryAndCheckHandTheFirstFailureUp) {
  EXPECT_EQ(quarter(8), 2);
  EXPECT_EQ(quarter(3).error().code, Code::invalid);
  EXPECT_EQ(quarter(6).error().code, Code::invalid);
  EXPECT_EQ(quarter(400).error().code, Code::limit);
}

}  // namespace
}  // namespace muhur
