#include "vault/key.hpp"

#include <gtest/gtest.h>

#include "base/encoding.hpp"
#include "vault/key_registry.hpp"

namespace muhur::vault {
namespace {

const std::string kHexKey = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";
const std::string kHexSalt = "a0a1a2a3a4a5a6a7a8a9aaabacadaeaf";

std::string key_of(const Key& key) { return to_hex(key.derive(Bytes(16)).view()); }
std::string salt_of(const Key& key) { return key.salt() ? to_hex(*key.salt()) : "none"; }

TEST(Key, EveryRawFormGivesTheSameKey) {
  const std::string binary = to_string(*from_hex(kHexKey));
  const std::string binary_salt = to_string(*from_hex(kHexSalt));
  struct Case {
    std::string text;
    std::string salt;
  };
  for (const Case& c :
       {Case{"raw:" + binary, "none"}, Case{"raw:" + binary + binary_salt, kHexSalt},
        Case{"raw:" + kHexKey, "none"}, Case{"raw:" + kHexKey + kHexSalt, kHexSalt},
        Case{"x'" + kHexKey + "'", "none"}, Case{"X'" + kHexKey + kHexSalt + "'", kHexSalt}}) {
    const Key key = Key::parse(as_bytes(c.text));
    EXPECT_TRUE(key.is_raw());
    EXPECT_EQ(key_of(key), kHexKey);
    EXPECT_EQ(salt_of(key), c.salt);
  }
}

TEST(Key, WhatOnlyLooksRawIsAPassphrase) {
  for (const std::string& text :
       {std::string("raw:short"), "raw:" + kHexKey.substr(1) + "g", "x'" + kHexKey,
        "x'" + kHexKey.substr(2) + "'", std::string("test-password-123"), std::string("x'")}) {
    const Key key = Key::parse(as_bytes(text));
    EXPECT_FALSE(key.is_raw()) << text;
    EXPECT_EQ(as_text(key.bytes()), text);
  }
}

TEST(Key, ExportsInAFormThatParsesBack) {
  const Key raw = Key::random();
  const Key back = Key::parse(raw.exported().view());
  EXPECT_TRUE(back.is_raw());
  EXPECT_EQ(key_of(back), key_of(raw));
  const Key phrase = Key::passphrase(as_bytes("open sesame"));
  EXPECT_EQ(phrase.exported().text(), "open sesame");
}

TEST(Key, RandomKeysDiffer) { EXPECT_NE(key_of(Key::random()), key_of(Key::random())); }

TEST(KeyRegistry, AKeyIsFoundByItsHandleAndOnlyWhileItIsRegistered) {
  std::string id;
  {
    const RegisteredKey one(Key::parse(as_bytes("raw:" + kHexKey)));
    const RegisteredKey two(Key::random());
    id = one.id();
    EXPECT_NE(one.id(), two.id());
    EXPECT_EQ(one.id().size(), 32u);
    ASSERT_TRUE(find_key(id));
    EXPECT_EQ(key_of(*find_key(id)), kHexKey);
  }
  EXPECT_FALSE(find_key(id));
  EXPECT_FALSE(find_key(""));
}

TEST(KeyRegistry, AKeyInUseOutlivesItsRegistration) {
  auto registered = std::make_unique<RegisteredKey>(Key::parse(as_bytes("raw:" + kHexKey)));
  const auto held = find_key(registered->id());
  registered.reset();
  EXPECT_EQ(key_of(*held), kHexKey);
}

}  // namespace
}  // namespace muhur::vault
