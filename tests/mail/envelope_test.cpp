#include "mail/envelope.hpp"

#include <gtest/gtest.h>

#include "crypto/aead.hpp"

namespace muhur::mail {
namespace {

TEST(EnvelopeTest, TheOwnerReadsHeadersAndMessageAndNobodyElseDoes) {
  const auto owner = crypto::SealingPair::generate(), other = crypto::SealingPair::generate();
  const Secret key = Secret::random(32);
  const Bytes head = seal_head(owner.public_half, key, "Delivered-To: a\r\n").value();
  const Bytes body = seal_body(key, "Subject: s\r\n\r\nb");
  EXPECT_EQ(open_letter(owner, head, body).value(), "Delivered-To: a\r\nSubject: s\r\n\r\nb");
  EXPECT_EQ(open_letter(other, head, body).error().code, Code::denied);
}

TEST(EnvelopeTest, OneBodyServesSeveralRecipients) {
  const auto a = crypto::SealingPair::generate(), b = crypto::SealingPair::generate();
  const Secret key = Secret::random(32);
  const Bytes body = seal_body(key, "m");
  EXPECT_EQ(open_letter(a, seal_head(a.public_half, key, "To-A: 1\r\n").value(), body).value(),
            "To-A: 1\r\nm");
  EXPECT_EQ(open_letter(b, seal_head(b.public_half, key, "To-B: 2\r\n").value(), body).value(),
            "To-B: 2\r\nm");
}

TEST(EnvelopeTest, EveryFlippedBitAndEveryCutIsNoticed) {
  const auto owner = crypto::SealingPair::generate();
  const Secret key = Secret::random(32);
  const Bytes head = seal_head(owner.public_half, key, "H: 1\r\n").value();
  const Bytes body = seal_body(key, "body");
  for (const Bytes* part : {&head, &body}) {
    for (std::size_t i = 0; i < part->size() * 8; ++i) {
      Bytes bad = *part;
      bad[i / 8] ^= static_cast<Byte>(1 << (i % 8));
      EXPECT_FALSE(open_letter(owner, part == &head ? bad : head, part == &body ? bad : body)) << i;
    }
    for (std::size_t size = 0; size < part->size(); ++size) {
      const Bytes cut(part->begin(), part->begin() + static_cast<std::ptrdiff_t>(size));
      EXPECT_FALSE(open_letter(owner, part == &head ? cut : head, part == &body ? cut : body)) << size;
    }
  }
}

TEST(EnvelopeTest, AHeadOfAnotherBodyDoesNotOpenIt) {
  const auto owner = crypto::SealingPair::generate();
  const Bytes head = seal_head(owner.public_half, Secret::random(32), "").value();
  EXPECT_EQ(open_letter(owner, head, seal_body(Secret::random(32), "x")).error().code, Code::denied);
}

}  // namespace
}  // namespace muhur::mail
