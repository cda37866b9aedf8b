#include "base/encoding.hpp"

#include <gtest/gtest.h>
#include <sodium.h>

#include "base/random.hpp"

namespace muhur {
namespace {

TEST(Encoding, Base64AgreesWithTheVectorsOfRfc4648) {
  const std::pair<std::string_view, std::string_view> vectors[] = {{"", ""},
                                                                   {"f", "Zg=="},
                                                                   {"fo", "Zm8="},
                                                                   {"foo", "Zm9v"},
                                                                   {"foob", "Zm9vYg=="},
                                                                   {"fooba", "Zm9vYmE="},
                                                                   {"foobar", "Zm9vYmFy"}};
  for (const auto& [plain, coded] : vectors) {
    EXPECT_EQ(to_base64(as_bytes(plain)), coded);
    const auto back = from_base64(coded);
    ASSERT_TRUE(back) << coded;
    EXPECT_EQ(to_string(*back), plain);
  }
}

TEST(Encoding, AgreesWithLibsodiumForRandomBytesOfEverySmallSize) {
  for (std::size_t size = 0; size < 100; ++size) {
    const Bytes bytes = random_bytes(size);
    std::string hex(size * 2 + 1, '\0');
    sodium_bin2hex(hex.data(), hex.size(), bytes.data(), size);
    hex.pop_back();
    EXPECT_EQ(to_hex(bytes), hex);
    EXPECT_EQ(from_hex(hex), bytes);
    for (const int variant : {sodium_base64_VARIANT_ORIGINAL, sodium_base64_VARIANT_URLSAFE_NO_PADDING}) {
      std::string text(sodium_base64_encoded_len(size, variant), '\0');
      sodium_bin2base64(text.data(), text.size(), bytes.data(), size, variant);
      text.pop_back();
      const bool url = variant == sodium_base64_VARIANT_URLSAFE_NO_PADDING;
      EXPECT_EQ(url ? to_base64url(bytes) : to_base64(bytes), text);
      EXPECT_EQ(url ? from_base64url(text) : from_base64(text), bytes);
    }
  }
}

TEST(Encoding, Base64RefusesWhatNoEncoderWrites) {
  for (const std::string_view bad : {"Zg", "Zg=", "Zg===", "Zh==", "Zm9=", "Z g=", "Zg==\n", "=",
                                     "====", "Zm9v=", "Z", "Zm-v", "Zg==Zg=="})
    EXPECT_FALSE(from_base64(bad)) << bad;
  for (const std::string_view bad : {"Zg==", "Zh", "Z", "Zm9+", "Zm9v\n"})
    EXPECT_FALSE(from_base64url(bad)) << bad;
}

TEST(Encoding, HexTakesBothCasesAndNothingElse) {
  EXPECT_EQ(from_hex("00fFA5"), (Bytes{0x00, 0xFF, 0xA5}));
  for (const std::string_view bad : {"0", "0g", "0x", " 00", "00 "}) EXPECT_FALSE(from_hex(bad)) << bad;
}

TEST(Encoding, CrockfordForgivesWhatPeopleMistype) {
  const Bytes key = {0x00, 0x44, 0x32, 0x14, 0xC7, 0x42, 0x54, 0xB6, 0x35, 0xCF,
                     0x84, 0x65, 0x3A, 0x56, 0xD7, 0xC6, 0x75, 0xBE, 0x77, 0xDF};
  EXPECT_EQ(to_crockford(key), "0123-4567-89AB-CDEF-GHJK-MNPQ-RSTV-WXYZ");
  EXPECT_EQ(from_crockford("0123-4567-89AB-CDEF-GHJK-MNPQ-RSTV-WXYZ"), key);
  EXPECT_EQ(from_crockford("ol23 4567 89ab cdef ghjk mnpq rstv wxyz"), key);
  EXPECT_EQ(from_crockford("OI23456789ABCDEFGHJKMNPQRSTVWXYZ"), key);
  EXPECT_FALSE(from_crockford("U123-4567"));
  EXPECT_FALSE(from_crockford("0123_4567"));
}

TEST(Encoding, CrockfordRoundTripsEverySizeAndRefusesStrayBits) {
  for (std::size_t size = 0; size < 64; ++size) {
    const Bytes bytes = random_bytes(size);
    EXPECT_EQ(from_crockford(to_crockford(bytes)), bytes);
  }
  EXPECT_EQ(to_crockford(Bytes{0xFF}), "ZW");
  EXPECT_FALSE(from_crockford("ZZ"));
  EXPECT_FALSE(from_crockford("Z"));
  EXPECT_FALSE(from_crockford("ZW0"));
}

}  // namespace
}  // namespace muhur
