#include <gtest/gtest.h>

#include "accounts/users.hpp"

namespace muhur::accounts {
namespace {

TEST(Address, Bug29ComparesWithoutCaseAndInOneNormalForm) {
  EXPECT_EQ(canonical_address("Ayse@Example.ORG"), "ayse@example.org");
  EXPECT_EQ(canonical_address("AYŞE@example.org").value(),
            canonical_address("ays\u0327e@example.org").value());
  EXPECT_EQ(canonical_address("a@example.org."), "a@example.org");
  EXPECT_EQ(canonical_address("user+Tag@example.org"), "user+tag@example.org");
}

TEST(Address, ADomainIsItsALabel) {
  EXPECT_EQ(canonical_address("a@mühür.example"), "a@xn--mhr-hoab.example");
  EXPECT_EQ(canonical_address("a@MÜHÜR.example"), "a@xn--mhr-hoab.example");
  EXPECT_EQ(canonical_address("a@xn--MHR-hoab.example"), "a@xn--mhr-hoab.example");
  EXPECT_EQ(canonical_address("a@faß.example"), "a@xn--fa-hia.example");
  EXPECT_EQ(canonical_domain("localhost"), "localhost");
}

TEST(Address, Bug29LookAlikesOfFormAreTheSameName) {
  EXPECT_EQ(canonical_address("ﬁnn@example.org"), "finn@example.org");
  EXPECT_EQ(canonical_address("ａｄｍｉｎ@example.org"), "admin@example.org");
  EXPECT_EQ(canonical_address("ad\u00ADmin@example.org"), "admin@example.org");
}

TEST(Address, WhatIsNoAddressIsInvalid) {
  for (const std::string_view bad : {"",
                                     "a",
                                     "@",
                                     "a@",
                                     "@example.org",
                                     "a b@example.org",
                                     "a@exa mple.org",
                                     "a\n@example.org",
                                     "\"a\"@example.org",
                                     ".a@example.org",
                                     "a.@example.org",
                                     "a..b@example.org",
                                     "a@-x.org",
                                     "a@x-.org",
                                     "a@x..org",
                                     "a@[127.0.0.1]",
                                     "a@ex_ample.org",
                                     "a<b>@example.org",
                                     "\xFF@example.org",
                                     "a@\xFF.org",
                                     "a@xn--a",
                                     "a\uFF20b@example.org",
                                     "a\u2028b@example.org",
                                     "a\u0085@example.org",
                                     "\u00AD@example.org",
                                     "a@b@example.org"})
    EXPECT_FALSE(canonical_address(bad)) << bad;
  EXPECT_FALSE(canonical_address(std::string(65, 'a') + "@example.org"));
  EXPECT_TRUE(canonical_address(std::string(64, 'a') + "@example.org"));
  EXPECT_FALSE(canonical_address("a@" + std::string(64, 'b') + ".org"));
  EXPECT_FALSE(canonical_address("a@" + std::string(100'000, 'b')));
}

}  // namespace
}  // namespace muhur::accounts
