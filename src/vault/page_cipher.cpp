// The chacha20 page of SQLite3 Multiple Ciphers. L = page size, n = L - 32, K = the file's key.
//
//   page    := body[n] nonce[16] tag[16]
//   body    := ciphertext                                       page 2 and later
//            | salt[16] header[16..24) ciphertext               page 1 (header bytes in plain)
//   counter := LE32(nonce[12..16)) XOR page number
//   otk     := ChaCha20(K, counter, nonce[0..12)), 64 bytes
//   ciphertext := plaintext XOR ChaCha20(otk[32..64), counter + 1, nonce[0..12))
//   tag     := Poly1305(otk[0..32), body nonce)
//
// The 32-bit counter wraps without a carry, which neither OpenSSL (carries into the nonce) nor libsodium
// (aborts) does by itself: xor_stream() splits the work there. libsodium makes the one-time key (cheaper to
// set up), OpenSSL's EVP does the bulk (faster per byte).
#include "vault/page_cipher.hpp"

#include <openssl/evp.h>
#include <sodium.h>

#include "base/random.hpp"
#include "vault/legacy_cipher.hpp"

namespace muhur::vault {
namespace {

constexpr std::size_t kNonce = 16;
constexpr std::size_t kTag = 16;
constexpr std::size_t kReserved = kNonce + kTag;
constexpr std::size_t kPlainFrom = 16;  // header bytes that stay readable in page 1
constexpr std::size_t kPlainTo = 24;
constexpr std::size_t kBlock = 64;

struct Algorithms {
  EVP_CIPHER* chacha20 = EVP_CIPHER_fetch(nullptr, "ChaCha20", nullptr);
  EVP_MAC* poly1305 = EVP_MAC_fetch(nullptr, "POLY1305", nullptr);
};
// Fetched once; never freed, so that files closed by static destructors still find them.
const Algorithms& algorithms() {
  static const auto* const one = new Algorithms;
  return *one;
}

class ChaChaPageCipher final : public PageCipher {
 public:
  ChaChaPageCipher(const CipherChoice& choice, Secret key, const Salt& salt)
      : key_(std::move(key)),
        salt_(salt),
        stores_salt_(choice.plaintext_header == 0),
        check_tags_(choice.check_tags),
        first_(first_encrypted(choice)),
        stream_(EVP_CIPHER_CTX_new()),
        mac_(EVP_MAC_CTX_new(algorithms().poly1305)) {
    // Once: to name the cipher again with each page would make OpenSSL build its state anew.
    EVP_EncryptInit_ex2(stream_, algorithms().chacha20, nullptr, nullptr, nullptr);
  }
  ~ChaChaPageCipher() override {
    EVP_CIPHER_CTX_free(stream_);
    EVP_MAC_CTX_free(mac_);
  }
  ChaChaPageCipher(const ChaChaPageCipher&) = delete;
  ChaChaPageCipher& operator=(const ChaChaPageCipher&) = delete;

  std::size_t reserved() const override { return kReserved; }

  bool encrypt(std::uint32_t page, ByteView plain, Byte* out) override {
    const std::size_t n = plain.size() - kReserved;
    const std::size_t from = page == 1 ? first_ : 0;
    fill_random({out + n, kNonce});
    OneTimeKey otk(*this, page, out + n);
    if (out != plain.data()) std::memcpy(out, plain.data(), from);
    bool ok = xor_stream(otk, plain.data() + from, out + from, n - from, out + n);
    if (page == 1 && stores_salt_) std::memcpy(out, salt_.data(), kSaltSize);
    ok = ok && tag(otk, {out, n + kNonce}, out + n + kNonce);
    if (!ok) ::muhur::wipe({out, plain.size()});
    return ok;
  }

  bool decrypt(std::uint32_t page, ByteView sealed, Byte* out) override {
    const std::size_t n = sealed.size() - kReserved;
    const std::size_t from = page == 1 ? first_ : 0;
    const Byte* const nonce = sealed.data() + n;
    OneTimeKey otk(*this, page, nonce);
    Byte wanted[kTag];
    const bool genuine =
        tag(otk, sealed.first(n + kNonce), wanted) && sodium_memcmp(wanted, nonce + kNonce, kTag) == 0;
    if ((!genuine && check_tags_) || !xor_stream(otk, sealed.data() + from, out + from, n - from, nonce)) {
      std::memset(out, 0, sealed.size());
      return false;
    }
    if (out != sealed.data()) {
      std::memcpy(out, sealed.data(), from);
      std::memcpy(out + n, nonce, kReserved);
    }
    if (page == 1 && stores_salt_) std::memcpy(out, kMagic.data(), kMagic.size());
    return true;
  }

 private:
  struct OneTimeKey {
    OneTimeKey(const ChaChaPageCipher& cipher, std::uint32_t page, const Byte* nonce)
        : counter(load_le32(nonce + 12) ^ page) {
      static constexpr Byte kZeros[kBlock] = {};
      crypto_stream_chacha20_ietf_xor_ic(bytes, kZeros, kBlock, nonce, counter, cipher.key_.data());
    }
    ~OneTimeKey() { sodium_memzero(bytes, sizeof bytes); }
    OneTimeKey(const OneTimeKey&) = delete;
    OneTimeKey& operator=(const OneTimeKey&) = delete;
    std::uint32_t counter;
    Byte bytes[kBlock];
  };

  static std::size_t first_encrypted(const CipherChoice& choice) {
    if (choice.kind == CipherKind::sqleet) return choice.plaintext_header;
    return std::max<std::size_t>(kPlainTo, choice.plaintext_header);
  }

  bool xor_stream(const OneTimeKey& otk, const Byte* in, Byte* out, std::size_t size, const Byte* nonce) {
    const std::uint32_t counter = otk.counter + 1;
    const std::uint64_t before_wrap = ((std::uint64_t{1} << 32) - counter) * kBlock;
    const auto head = static_cast<std::size_t>(std::min<std::uint64_t>(size, before_wrap));
    if (!xor_part(otk, counter, in, out, head, nonce)) return false;
    return head == size || xor_part(otk, 0, in + head, out + head, size - head, nonce);
  }
  bool xor_part(const OneTimeKey& otk, std::uint32_t counter, const Byte* in, Byte* out, std::size_t size,
                const Byte* nonce) {
    Byte iv[kNonce];
    store_le32(iv, counter);
    std::memcpy(iv + 4, nonce, 12);
    int done = 0;
    return EVP_EncryptInit_ex2(stream_, nullptr, otk.bytes + 32, iv, nullptr) == 1 &&
           EVP_EncryptUpdate(stream_, out, &done, in, static_cast<int>(size)) == 1 &&
           static_cast<std::size_t>(done) == size;
  }
  bool tag(const OneTimeKey& otk, ByteView message, Byte* out) {
    std::size_t size = 0;
    return EVP_MAC_init(mac_, otk.bytes, 32, nullptr) == 1 &&
           EVP_MAC_update(mac_, message.data(), message.size()) == 1 &&
           EVP_MAC_final(mac_, out, &size, kTag) == 1 && size == kTag;
  }

  const Secret key_;
  const Salt salt_;
  const bool stores_salt_;
  const bool check_tags_;
  const std::size_t first_;  // first encrypted byte of page 1
  EVP_CIPHER_CTX* const stream_;
  EVP_MAC_CTX* const mac_;
};
static_assert(kPlainFrom == kSaltSize);

}  // namespace

std::uint32_t page_size_in(const Byte* header) {
  const std::uint32_t raw = load_be16(header + 16);
  const std::uint32_t size = raw == 1 ? 65536 : raw;
  return is_page_size(size) ? size : 0;
}

std::unique_ptr<PageCipher> make_page_cipher(const CipherChoice& choice, const Key& key, const Salt& salt) {
  static const bool ready = sodium_init() >= 0 && algorithms().chacha20 && algorithms().poly1305;
  if (!ready || key.empty()) return nullptr;
  if (choice.kind == CipherKind::aes256cbc) return make_aes256cbc(key);
  return std::make_unique<ChaChaPageCipher>(choice, key.derive(salt, choice.kdf_rounds), salt);
}

}  // namespace muhur::vault
