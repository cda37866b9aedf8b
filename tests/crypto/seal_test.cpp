#include "crypto/seal.hpp"

#include <gtest/gtest.h>
#include <sodium.h>

#include "base/random.hpp"

namespace muhur::crypto {
namespace {

TEST(Seal, OnlyThePrivateHalfTakesTheMessageOut) {
  const SealingPair pair = SealingPair::generate();
  const SealingPair other = SealingPair::generate();
  for (const std::size_t size : {0U, 1U, 10'000U}) {
    const Bytes message = random_bytes(size);
    const auto box = seal_to(pair.public_half, message);
    ASSERT_TRUE(box);
    EXPECT_EQ(box->size(), size + kSealOverhead);
    EXPECT_EQ(open_sealed(pair, *box), message);
    ASSERT_FALSE(open_sealed(other, *box));
    EXPECT_EQ(open_sealed(other, *box).error().code, Code::denied);
  }
}

TEST(Seal, AFlippedBitAnywhereCloses) {
  const SealingPair pair = SealingPair::generate();
  const Bytes box = *seal_to(pair.public_half, as_bytes("mail"));
  for (std::size_t bit = 0; bit < box.size() * 8; ++bit) {
    Bytes bent = box;
    bent[bit / 8] ^= static_cast<Byte>(1U << bit % 8);
    ASSERT_FALSE(open_sealed(pair, bent)) << "bit " << bit;
  }
  for (std::size_t size = 0; size < box.size(); ++size)
    EXPECT_FALSE(open_sealed(pair, ByteView(box).first(size)));
}

TEST(Seal, AnUnknownVersionIsUnsupportedNotWrong) {
  const SealingPair pair = SealingPair::generate();
  Bytes box = *seal_to(pair.public_half, as_bytes("mail"));
  box[0] = 2;
  EXPECT_EQ(open_sealed(pair, box).error().code, Code::unsupported);
}

TEST(Seal, RefusesWhatIsNoKey) {
  EXPECT_EQ(seal_to(Bytes(31), as_bytes("x")).error().code, Code::invalid);
  EXPECT_EQ(seal_to(Bytes(32), as_bytes("x")).error().code, Code::invalid);  // a point of low order
}

TEST(Seal, LibsodiumOpensWhatWeSeal) {
  const SealingPair pair = SealingPair::generate();
  const Bytes box = *seal_to(pair.public_half, as_bytes("mail"));
  Bytes plain(4);
  ASSERT_EQ(crypto_box_seal_open(plain.data(), box.data() + 1, box.size() - 1, pair.public_half.data(),
                                 pair.private_half.data()),
            0);
  EXPECT_EQ(to_string(plain), "mail");
}

}  // namespace
}  // namespace muhur::crypto
