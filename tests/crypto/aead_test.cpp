#include "crypto/aead.hpp"

#include <gtest/gtest.h>
#include <sodium.h>

#include <set>

#include "base/encoding.hpp"
#include "base/random.hpp"

namespace muhur::crypto {
namespace {

const Bytes kContext = to_bytes("user 7");

TEST(Box, OpensWithKeyPurposeAndContext) {
  const Secret key = Secret::random(32);
  for (const std::size_t size : {0U, 1U, 32U, 1000U}) {
    const Bytes plain = random_bytes(size);
    const Bytes box = seal_box(key, plain, "dek-wrap:password", kContext);
    EXPECT_EQ(box.size(), size + kAeadOverhead);
    const auto opened = open_box(key, box, "dek-wrap:password", kContext);
    ASSERT_TRUE(opened);
    EXPECT_TRUE(equal_constant_time(opened->view(), plain));
  }
}

TEST(Box, StaysClosedWhenAnyBitIsFlipped) {
  const Secret key = Secret::random(32);
  const Bytes box = seal_box(key, as_bytes("thirty-two bytes of a mailbox key"), "p", kContext);
  for (std::size_t bit = 0; bit < box.size() * 8; ++bit) {
    Bytes bent = box;
    bent[bit / 8] ^= static_cast<Byte>(1U << bit % 8);
    const auto opened = open_box(key, bent, "p", kContext);
    ASSERT_FALSE(opened) << "bit " << bit;
    EXPECT_EQ(opened.error().code, Code::denied);
  }
}

TEST(Box, StaysClosedWhenCutOrLengthened) {
  const Secret key = Secret::random(32);
  Bytes box = seal_box(key, as_bytes("x"), "p");
  for (std::size_t size = 0; size < box.size(); ++size)
    EXPECT_FALSE(open_box(key, ByteView(box).first(size), "p")) << size;
  box.push_back(0);
  EXPECT_FALSE(open_box(key, box, "p"));
}

TEST(Box, StaysClosedForAnotherKeyPurposeOrContext) {
  const Secret key = Secret::random(32);
  const Bytes box = seal_box(key, as_bytes("x"), "dek-wrap:password", kContext);
  EXPECT_FALSE(open_box(Secret::random(32), box, "dek-wrap:password", kContext));
  EXPECT_FALSE(open_box(key, box, "dek-wrap:app-password", kContext));
  EXPECT_FALSE(open_box(key, box, "dek-wrap:password", as_bytes("user 8")));
  EXPECT_FALSE(open_box(key, box, "dek-wrap:password"));
  EXPECT_FALSE(open_box(Secret::random(16), box, "dek-wrap:password", kContext));
}

TEST(Box, TheBorderBetweenPurposeAndContextCannotBeMoved) {
  const Secret key = Secret::random(32);
  const Bytes box = seal_box(key, as_bytes("x"), "ab", as_bytes("c"));
  EXPECT_FALSE(open_box(key, box, "a", as_bytes("bc")));
  EXPECT_FALSE(open_box(key, box, "abc"));
}

TEST(Box, NoNonceComesTwice) {
  const Secret key = Secret::random(32);
  std::set<std::string> nonces;
  for (int i = 0; i < 500; ++i) {
    const Bytes box = seal_box(key, {}, "p");
    EXPECT_TRUE(nonces.insert(to_hex(ByteView(box).subspan(1, 24))).second);
  }
}

// The drawing at the top of aead.cpp, opened by libsodium itself.
TEST(Box, IsTheFormatThatIsDrawn) {
  const Secret key = Secret::random(32);
  const Bytes box = seal_box(key, as_bytes("hello"), "pur", as_bytes("ctx"));
  ASSERT_EQ(box[0], 1);
  const Bytes ad = {1, 0, 0, 0, 3, 'p', 'u', 'r', 'c', 't', 'x'};
  Bytes plain(5);
  ASSERT_EQ(crypto_aead_xchacha20poly1305_ietf_decrypt(plain.data(), nullptr, nullptr, box.data() + 25,
                                                       box.size() - 25, ad.data(), ad.size(), box.data() + 1,
                                                       key.data()),
            0);
  EXPECT_EQ(to_string(plain), "hello");
}

}  // namespace
}  // namespace muhur::crypto
