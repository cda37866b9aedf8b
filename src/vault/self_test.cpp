#include "vault/self_test.hpp"

#include <algorithm>
#include <array>

#include "base/bytes.hpp"
#include "vault/page_cipher.hpp"

namespace muhur::vault {
namespace {

// Page 2 of 512 bytes whose ciphertext is all zero, under the key 01 02 … 20 and the nonce 00 01 … 0f. Its
// plaintext, the keystream, and its tag come from a ChaCha20 and Poly1305 written from RFC 8439 alone.
constexpr std::size_t kPage = 512;
constexpr std::size_t kBody = kPage - 32;
constexpr std::uint32_t kNumber = 2;
constexpr std::array<Byte, 16> kTag{0xa3, 0x53, 0xa6, 0x19, 0xcd, 0x43, 0xb9, 0x1e,
                                    0xef, 0x43, 0x23, 0xe9, 0xad, 0x83, 0x92, 0xb4};
constexpr std::array<Byte, 16> kFirst{0x48, 0x03, 0xd7, 0x18, 0xa5, 0x21, 0xbb, 0x56,
                                      0xf9, 0x76, 0xa9, 0x2c, 0xe7, 0xac, 0xd8, 0x1a};
constexpr std::array<Byte, 16> kLast{0x50, 0xc0, 0xc5, 0x08, 0x14, 0x13, 0x9c, 0xaf,
                                     0x84, 0x20, 0xb3, 0x9b, 0x9a, 0x3e, 0x79, 0xfc};

Bytes known_page() {
  Bytes page(kPage);
  for (Byte i = 0; i < 16; ++i) page[kBody + i] = i;
  std::ranges::copy(kTag, page.begin() + kBody + 16);
  return page;
}

std::unique_ptr<PageCipher> known_cipher() {
  Bytes key(kKeySize);
  for (Byte i = 0; i < kKeySize; ++i) key[i] = static_cast<Byte>(i + 1);
  return make_page_cipher({}, Key::raw(Secret(key)), Salt{});
}

std::unexpected<Error> wrong(std::string_view what) {
  return fail(Code::internal, "the page cipher " + std::string(what),
              "Stop the server; look at the OpenSSL and libsodium that are installed, and at the hardware");
}

}  // namespace

Result<void> cipher_self_test() {
  const auto cipher = known_cipher();
  if (!cipher) return wrong("cannot be made");
  const Bytes sealed = known_page();
  Bytes plain(kPage);
  if (!cipher->decrypt(kNumber, sealed, plain.data())) return wrong("refuses a page that is right");
  if (!std::equal(kFirst.begin(), kFirst.end(), plain.begin()) ||
      !std::equal(kLast.begin(), kLast.end(), plain.begin() + kBody - 16))
    return wrong("decrypts a known page to something else");

  Bytes changed = sealed;
  changed[kBody / 2] ^= 1;
  Bytes out(kPage);
  if (cipher->decrypt(kNumber, changed, out.data())) return wrong("accepts a page that was changed");
  if (cipher->decrypt(kNumber + 1, sealed, out.data())) return wrong("accepts a page in another place");

  Bytes again(kPage);
  if (!cipher->encrypt(kNumber, plain, again.data()) || !cipher->decrypt(kNumber, again, out.data()) ||
      !std::equal(plain.begin(), plain.begin() + kBody, out.begin()))
    return wrong("does not open what it has sealed");
  return {};
}

}  // namespace muhur::vault
