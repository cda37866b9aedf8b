#include "vault/page_cipher.hpp"

#include <gtest/gtest.h>
#include <sodium.h>

#include "base/encoding.hpp"
#include "base/random.hpp"
#include "crypto/kdf.hpp"
#include "crypto/mac.hpp"
#include "vault/raw_database.hpp"

namespace muhur::vault {
namespace {

constexpr std::size_t kSize = 512;

Bytes counting(std::size_t size, Byte from) {
  Bytes bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<Byte>(from + i);
  return bytes;
}

Salt test_salt() {
  Salt salt;
  const Bytes bytes = counting(kSaltSize, 0xa0);
  std::copy(bytes.begin(), bytes.end(), salt.begin());
  return salt;
}

std::unique_ptr<PageCipher> cipher(const CipherChoice& choice = {}) {
  return make_page_cipher(choice, Key::raw(Secret(counting(32, 0))), test_salt());
}

Bytes known_page(std::uint32_t page) {
  Bytes plain(kSize);
  for (std::size_t i = 0; i < kSize; ++i) plain[i] = static_cast<Byte>((i * 31 + (i >> 8)) & 255);
  if (page == 1) {
    std::memcpy(plain.data(), kMagic.data(), kMagic.size());
    const Bytes header = *from_hex("0200010120402020");
    std::copy(header.begin(), header.end(), plain.begin() + 16);
  }
  return plain;
}

// The format written down a second time with libsodium alone, byte by byte where the counter wraps.
Bytes reference_page(std::uint32_t page, const Bytes& plain, const Bytes& nonce) {
  const Bytes key = counting(32, 0);
  const std::size_t n = plain.size() - 32;
  Bytes out = plain;
  const std::uint32_t counter = load_le32(nonce.data() + 12) ^ page;
  Byte otk[64] = {};
  crypto_stream_chacha20_ietf_xor_ic(otk, otk, 64, nonce.data(), counter, key.data());
  const std::size_t from = page == 1 ? 24 : 0;
  for (std::size_t at = from, block = 1; at < n; at += 64, ++block)
    crypto_stream_chacha20_ietf_xor_ic(out.data() + at, out.data() + at, std::min<std::size_t>(64, n - at),
                                       nonce.data(), counter + static_cast<std::uint32_t>(block), otk + 32);
  if (page == 1) std::copy_n(test_salt().begin(), 16, out.begin());
  std::copy(nonce.begin(), nonce.end(), out.begin() + static_cast<std::ptrdiff_t>(n));
  crypto_onetimeauth_poly1305(out.data() + n + 16, out.data(), n + 16, otk);
  return out;
}

struct Known {
  std::uint32_t page;
  const char* nonce;
  const char* tag;
  const char* sha256;
};
constexpr Known kKnown[] = {
    {1, "101112131415161718191a1b1c1d1e1f", "eb6295705f048e5a45511e0c809b6d23",
     "39c992baf33973b43338a1b7ff7e86c350e245d5b87d6c2535b839c3ea6d0eb6"},
    {2, "101112131415161718191a1b1c1d1e1f", "341f8011f3f9bc7b58ff7ad5ccf4f9b8",
     "16fffd72e763dda6ab1d20063b59d3a3b09b715964bea683ceca8fdfddd55c69"},
    {3, "101112131415161718191a1bfdffffff", "a4b00c7de81bc656176316811f2cc996",
     "cae60329fad3f91cedd40215d6bcdff159c63656b9cb76bee6640df0b9d705bd"},
};

TEST(PageCipher, ThePagesOfSqlite3McDecryptToWhatWasEncrypted) {
  for (const Known& known : kKnown) {
    const Bytes sealed = reference_page(known.page, known_page(known.page), *from_hex(known.nonce));
    EXPECT_EQ(to_hex(ByteView(sealed).last(16)), known.tag);
    EXPECT_EQ(to_hex(crypto::sha256(sealed)), known.sha256);
    Bytes out(kSize);
    ASSERT_TRUE(cipher()->decrypt(known.page, sealed, out.data()));
    EXPECT_TRUE(std::equal(out.begin(), out.end() - 32, known_page(known.page).begin())) << known.page;
  }
}

TEST(PageCipher, WhatIsEncryptedIsTheFormatByteForByteForEveryPageSize) {
  auto c = cipher();
  for (const std::size_t size : {512u, 1024u, 4096u, 8192u, 65536u}) {
    for (const std::uint32_t page : {1u, 2u, 3u, 77777u, 0xfffffffeu}) {
      Bytes plain = random_bytes(size);
      std::memcpy(plain.data(), kMagic.data(), kMagic.size());
      Bytes sealed(size);
      ASSERT_TRUE(c->encrypt(page, plain, sealed.data()));
      const Bytes nonce(sealed.end() - 32, sealed.end() - 16);
      EXPECT_EQ(sealed, reference_page(page, plain, nonce)) << size << " " << page;
      Bytes in_place = plain;
      ASSERT_TRUE(c->encrypt(page, in_place, in_place.data()));
      ASSERT_TRUE(c->decrypt(page, in_place, in_place.data()));
      EXPECT_TRUE(std::equal(plain.begin(), plain.end() - 32, in_place.begin()));
    }
  }
}

// The counter wraps at 2^32 without a carry: OpenSSL would carry into the nonce, libsodium would abort.
TEST(PageCipher, TheCounterWrapsWhereverInThePageItDoes) {
  auto c = cipher();
  for (const std::uint32_t counter :
       {0xffffffffu, 0xfffffffeu, 0xfffffffdu, 0xffffffd0u, 0xffffffc1u, 0xffffffc0u}) {
    Bytes nonce = counting(16, 0x30);
    store_le32(nonce.data() + 12, counter ^ 9u);
    const Bytes plain = random_bytes(4096);
    const Bytes sealed = reference_page(9, plain, nonce);
    Bytes out(4096);
    ASSERT_TRUE(c->decrypt(9, sealed, out.data()));
    EXPECT_TRUE(std::equal(plain.begin(), plain.end() - 32, out.begin())) << std::hex << counter;
  }
}

TEST(PageCipher, EveryFlippedByteIsSeenAndNothingOfThePageComesOut) {
  auto c = cipher();
  for (const std::uint32_t page : {1u, 2u}) {
    Bytes sealed(kSize);
    ASSERT_TRUE(c->encrypt(page, known_page(page), sealed.data()));
    for (std::size_t i = 0; i < kSize; ++i) {
      Bytes damaged = sealed;
      damaged[i] ^= 0x10;
      Bytes out(kSize, 0xee);
      EXPECT_FALSE(c->decrypt(page, damaged, out.data())) << i;
      EXPECT_EQ(out, Bytes(kSize)) << i;
    }
  }
}

TEST(PageCipher, APageInAnotherPlaceOrOfZerosIsRefused) {
  auto c = cipher();
  Bytes sealed(kSize);
  ASSERT_TRUE(c->encrypt(5, known_page(5), sealed.data()));
  Bytes out(kSize);
  EXPECT_FALSE(c->decrypt(6, sealed, out.data()));
  // Even with the nonce changed so that the counter comes out the same.
  store_le32(sealed.data() + kSize - 20, load_le32(sealed.data() + kSize - 20) ^ 5u ^ 6u);
  EXPECT_FALSE(c->decrypt(6, sealed, out.data()));
  EXPECT_FALSE(c->decrypt(5, Bytes(kSize), out.data()));
}

TEST(PageCipher, ANonceIsNotUsedTwice) {
  auto c = cipher();
  std::vector<Bytes> nonces;
  for (int i = 0; i < 1000; ++i) {
    Bytes sealed(kSize);
    ASSERT_TRUE(c->encrypt(2, known_page(2), sealed.data()));
    nonces.emplace_back(sealed.end() - 32, sealed.end() - 16);
  }
  std::sort(nonces.begin(), nonces.end());
  EXPECT_EQ(std::unique(nonces.begin(), nonces.end()), nonces.end());
}

TEST(PageCipher, WithoutTheTagCheckADamagedPageStillDecrypts) {
  auto checked = cipher();
  auto unchecked = cipher({.check_tags = false});
  Bytes sealed(kSize);
  ASSERT_TRUE(checked->encrypt(2, known_page(2), sealed.data()));
  sealed[100] ^= 1;
  Bytes out(kSize);
  ASSERT_TRUE(unchecked->decrypt(2, sealed, out.data()));
  EXPECT_EQ(out[100], known_page(2)[100] ^ 1);
  EXPECT_EQ(out[101], known_page(2)[101]);
}

TEST(PageCipher, APlaintextHeaderStaysAndTheSaltIsNotInTheFile) {
  auto c = cipher({.plaintext_header = 40});
  Bytes sealed(kSize);
  ASSERT_TRUE(c->encrypt(1, known_page(1), sealed.data()));
  EXPECT_TRUE(std::equal(sealed.begin(), sealed.begin() + 40, known_page(1).begin()));
  Bytes out(kSize);
  ASSERT_TRUE(c->decrypt(1, sealed, out.data()));
  EXPECT_TRUE(std::equal(out.begin(), out.end() - 32, known_page(1).begin()));
}

TEST(PageCipher, SqleetEncryptsPageOneFromItsFirstByteButForTheSalt) {
  auto c = cipher({.kind = CipherKind::sqleet});
  Bytes sealed(kSize);
  ASSERT_TRUE(c->encrypt(1, known_page(1), sealed.data()));
  EXPECT_TRUE(std::equal(sealed.begin(), sealed.begin() + 16, test_salt().begin()));
  EXPECT_NE(Bytes(sealed.begin() + 16, sealed.begin() + 24), *from_hex("0200010120402020"));
  Bytes out(kSize);
  ASSERT_TRUE(c->decrypt(1, sealed, out.data()));
  EXPECT_TRUE(std::equal(out.begin(), out.end() - 32, known_page(1).begin()));
}

TEST(Aes256Cbc, RoundTripsAndKeepsTheHeaderReadable) {
  auto c = make_page_cipher({.kind = CipherKind::aes256cbc}, testing::test_passphrase(), {});
  for (const std::uint32_t page : {1u, 2u, 100000u}) {
    Bytes sealed(kSize);
    ASSERT_TRUE(c->encrypt(page, known_page(page), sealed.data()));
    EXPECT_NE(sealed, known_page(page));
    if (page == 1) {
      EXPECT_EQ(to_hex(ByteView(sealed).subspan(16, 8)), "0200010120402020");
    }
    Bytes out(kSize);
    ASSERT_TRUE(c->decrypt(page, sealed, out.data()));
    EXPECT_EQ(out, known_page(page));
    ASSERT_TRUE(c->decrypt(page, sealed, sealed.data()));
    EXPECT_EQ(sealed, known_page(page));
  }
}

TEST(Aes256Cbc, AnotherPassphraseIsSeenOnPageOne) {
  const CipherChoice choice{.kind = CipherKind::aes256cbc};
  Bytes sealed(kSize);
  ASSERT_TRUE(
      make_page_cipher(choice, testing::test_passphrase(), {})->encrypt(1, known_page(1), sealed.data()));
  Bytes out(kSize);
  EXPECT_FALSE(
      make_page_cipher(choice, Key::passphrase(as_bytes("another")), {})->decrypt(1, sealed, out.data()));
}

TEST(Aes256Cbc, APassphraseIsCutAt32BytesAndARawKeyIsRefused) {
  const CipherChoice choice{.kind = CipherKind::aes256cbc};
  const std::string first(32, 'p');
  Bytes a(kSize);
  Bytes b(kSize);
  ASSERT_TRUE(
      make_page_cipher(choice, Key::passphrase(as_bytes(first)), {})->encrypt(2, known_page(2), a.data()));
  ASSERT_TRUE(make_page_cipher(choice, Key::passphrase(as_bytes(first + "x")), {})
                  ->encrypt(2, known_page(2), b.data()));
  EXPECT_EQ(a, b);
  EXPECT_EQ(make_page_cipher(choice, testing::test_key(), {}), nullptr);
}

// Written by SQLite3 Multiple Ciphers itself (tests/interop/oracle.mjs), passphrase test-password-123.
TEST(LegacyFiles, WhatSqlite3McWroteReadsWithEveryCipher) {
  struct Case {
    const char* file;
    const char* more;
  };
  for (const Case& c :
       {Case{"chacha20.db", ""}, Case{"sqleet.db", "&cipher=sqleet"},
        Case{"sqleet.db", "&cipher=chacha20&legacy=1"}, Case{"aes256cbc.db", "&cipher=aes256cbc"}}) {
    const testing::Directory dir;
    const std::string copy = dir.file("copy.db");
    std::filesystem::copy_file(std::string(MUHUR_SOURCE_DIR "/tests/vault/data/") + c.file, copy);
    const testing::How how{.more = c.more, .reserve = -1};
    {
      testing::RawDatabase db(copy, testing::test_passphrase(), how);
      EXPECT_EQ(db.ask("PRAGMA integrity_check"), "ok") << c.file;
      EXPECT_EQ(db.ask("SELECT count(*) || ' ' || max(body) FROM t"), "20 row 9 of an old file");
      db.must(
          "INSERT INTO t VALUES(21, 'a new row'); PRAGMA journal_mode=WAL; INSERT INTO t VALUES(22, 'in the "
          "WAL')");
    }
    testing::RawDatabase again(copy, testing::test_passphrase(), how);
    EXPECT_EQ(again.ask("SELECT body FROM t WHERE id > 20"), "a new row,in the WAL") << c.file;
    testing::RawDatabase wrong(copy, Key::passphrase(as_bytes("wrong")), how);
    EXPECT_EQ(wrong.run("SELECT * FROM t"), SQLITE_NOTADB) << c.file;
  }
}

TEST(Pbkdf2, GivesTheKeyOfSqlite3Mc) {
  EXPECT_EQ(to_hex(testing::test_passphrase().derive(test_salt()).view()),
            "6545242a2780bd73fa323d5ac47b88bf9fb623357e5635487b23e9d0e1ea8671");
}

}  // namespace
}  // namespace muhur::vault
