#include "crypto/mac.hpp"

#include <gtest/gtest.h>

#include "base/encoding.hpp"

namespace muhur::crypto {
namespace {

TEST(Mac, Sha256AgreesWithFips180) {
  EXPECT_EQ(to_hex(sha256({})), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(to_hex(sha256(as_bytes("abc"))),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(to_hex(sha256(as_bytes("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"))),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

TEST(Mac, Sha256InPiecesIsTheSameWhereverItIsCut) {
  const std::string text(200, 'q');
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    Sha256 hash;
    hash.update(as_bytes(text).first(cut));
    hash.update(as_bytes(text).subspan(cut));
    ASSERT_EQ(hash.finish(), sha256(as_bytes(text)));
    ASSERT_EQ(hash.finish(), sha256({}));  // begins anew
  }
}

TEST(Mac, HmacAgreesWithRfc4231) {
  const struct {
    Bytes key;
    Bytes data;
    std::string_view mac;
  } vectors[] = {
      {Bytes(20, 0x0b), to_bytes("Hi There"),
       "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"},
      {to_bytes("Jefe"), to_bytes("what do ya want for nothing?"),
       "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"},
      {Bytes(20, 0xaa), Bytes(50, 0xdd), "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"},
      {*from_hex("0102030405060708090a0b0c0d0e0f10111213141516171819"), Bytes(50, 0xcd),
       "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"},
      {Bytes(131, 0xaa), to_bytes("Test Using Larger Than Block-Size Key - Hash Key First"),
       "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"},
      {Bytes(131, 0xaa),
       to_bytes(
           "This is a test using a larger than block-size key and a larger than block-size data. The key "
           "needs to be hashed before being used by the HMAC algorithm."),
       "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"},
  };
  for (const auto& v : vectors) EXPECT_EQ(to_hex(hmac_sha256(v.key, v.data)), v.mac);
}

TEST(Mac, AnEmptyHmacKeyIsNotTheKeyOfLastTime) {
  const Digest before = hmac_sha256({}, as_bytes("x"));
  (void)hmac_sha256(as_bytes("other"), as_bytes("x"));
  EXPECT_EQ(hmac_sha256({}, as_bytes("x")), before);
  EXPECT_EQ(to_hex(hmac_sha256({}, {})), "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad");
}

TEST(Mac, Blake2bAgreesWithTheReference) {
  EXPECT_EQ(to_hex(blake2b({})), "0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8");
  EXPECT_EQ(to_hex(blake2b(as_bytes("abc"))),
            "bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319");
  EXPECT_NE(blake2b(as_bytes("abc"), as_bytes("0123456789abcdef")), blake2b(as_bytes("abc")));
}

}  // namespace
}  // namespace muhur::crypto
