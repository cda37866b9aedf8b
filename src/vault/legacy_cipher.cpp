// aes256cbc. P = the passphrase, cut or padded (PDF's padding string) to 32 bytes.
//
//   K        := SHA-256 applied 4002 times, first to P
//   page key := SHA-256(K LE32(page) "sAlT")
//   iv       := MD5 of four steps of a linear congruential generator that starts at page + 1
//   page     := AES-256-CBC(page key, iv, plaintext)                               page 2 and later
//   page 1   := c0[0..8) c1[0..8) header[16..24) c1[8..)    with c0 = CBC(plaintext[0..16)),
//                                                           c1 = CBC(plaintext[16..)), each from the iv
// An older scheme has page 1 like the others; it is read, never written.
#include "vault/legacy_cipher.hpp"

#include <openssl/evp.h>

namespace muhur::vault {
namespace {

constexpr std::size_t kPasswordSize = 32;
constexpr int kRounds = 4002;
constexpr Byte kPadding[kPasswordSize] = {0x28, 0xBF, 0x4E, 0x5E, 0x4E, 0x75, 0x8A, 0x41, 0x64, 0x00, 0x4E,
                                          0x56, 0xFF, 0xFA, 0x01, 0x08, 0x2E, 0x2E, 0x00, 0xB6, 0xD0, 0x68,
                                          0x3E, 0x80, 0x2F, 0x0C, 0xA9, 0xFE, 0x64, 0x53, 0x69, 0x7A};

struct Algorithms {
  EVP_CIPHER* cbc = EVP_CIPHER_fetch(nullptr, "AES-256-CBC", nullptr);
  EVP_MD* sha256 = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  EVP_MD* md5 = EVP_MD_fetch(nullptr, "MD5", nullptr);
};
const Algorithms& algorithms() {
  static const auto* const one = new Algorithms;
  return *one;
}

bool digest(const EVP_MD* algorithm, ByteView in, Byte* out) {
  return EVP_Digest(in.data(), in.size(), out, nullptr, algorithm, nullptr) == 1;
}

Secret stretched(ByteView passphrase) {
  Secret key(kPasswordSize);
  const std::size_t given = std::min(passphrase.size(), kPasswordSize);
  std::copy_n(passphrase.begin(), given, key.writable().begin());
  std::copy_n(kPadding, kPasswordSize - given, key.writable().begin() + static_cast<std::ptrdiff_t>(given));
  for (int i = 0; i < kRounds; ++i)
    if (!digest(algorithms().sha256, key.view(), key.writable().data())) return {};
  return key;
}

bool make_iv(std::uint32_t page, Byte* iv) {
  std::int32_t z = static_cast<std::int32_t>(page + 1);
  Byte steps[16];
  for (int i = 0; i < 4; ++i) {
    const std::int32_t q = z / 52774;
    z = 40692 * (z - 52774 * q) - 3791 * q;
    if (z < 0) z += 2147483399;
    store_le32(steps + 4 * i, static_cast<std::uint32_t>(z));
  }
  return digest(algorithms().md5, steps, iv);
}

class AesPageCipher final : public PageCipher {
 public:
  explicit AesPageCipher(Secret key) : key_(std::move(key)), context_(EVP_CIPHER_CTX_new()) {}
  ~AesPageCipher() override { EVP_CIPHER_CTX_free(context_); }
  AesPageCipher(const AesPageCipher&) = delete;
  AesPageCipher& operator=(const AesPageCipher&) = delete;

  std::size_t reserved() const override { return 0; }

  bool encrypt(std::uint32_t page, ByteView plain, Byte* out) override {
    if (page != 1) return settle(cbc(page, plain, out, true), plain.size(), out);
    Byte header[8];
    std::memcpy(header, plain.data() + 16, sizeof header);
    if (!cbc(1, plain.first(16), out, true) || !cbc(1, plain.subspan(16), out + 16, true))
      return settle(false, plain.size(), out);
    std::memcpy(out + 8, out + 16, sizeof header);
    std::memcpy(out + 16, header, sizeof header);
    return true;
  }

  bool decrypt(std::uint32_t page, ByteView sealed, Byte* out) override {
    if (page != 1) return settle(cbc(page, sealed, out, false), sealed.size(), out);
    Byte header[8];
    std::memcpy(header, sealed.data() + 16, sizeof header);
    const bool readable =
        page_size_in(sealed.data()) != 0 && header[5] == 64 && header[6] == 32 && header[7] == 32;
    if (!readable)  // the older scheme, or no page of ours
      return settle(cbc(1, sealed, out, false) && std::memcmp(out, kMagic.data(), kMagic.size()) == 0,
                    sealed.size(), out);
    if (out != sealed.data()) std::memcpy(out, sealed.data(), sealed.size());
    std::memcpy(out + 16, out + 8, sizeof header);
    const ByteView rest{out + 16, sealed.size() - 16};
    const bool ok = cbc(1, rest, out + 16, false) && std::memcmp(out + 16, header, sizeof header) == 0;
    std::memcpy(out, kMagic.data(), kMagic.size());
    return settle(ok, sealed.size(), out);
  }

 private:
  static bool settle(bool ok, std::size_t size, Byte* out) {
    if (!ok) std::memset(out, 0, size);
    return ok;
  }

  bool cbc(std::uint32_t page, ByteView in, Byte* out, bool encrypting) {
    constexpr std::string_view kSuffix = "sAlT";
    Secret material(kPasswordSize + 4 + kSuffix.size());
    Byte* const at = material.writable().data();
    std::memcpy(at, key_.data(), kPasswordSize);
    store_le32(at + kPasswordSize, page);
    std::memcpy(at + kPasswordSize + 4, kSuffix.data(), kSuffix.size());
    Secret page_key(kPasswordSize);
    Byte iv[16];
    int done = 0;
    return digest(algorithms().sha256, material.view(), page_key.writable().data()) && make_iv(page, iv) &&
           EVP_CipherInit_ex2(context_, algorithms().cbc, page_key.data(), iv, encrypting, nullptr) == 1 &&
           EVP_CIPHER_CTX_set_padding(context_, 0) == 1 &&
           EVP_CipherUpdate(context_, out, &done, in.data(), static_cast<int>(in.size())) == 1 &&
           static_cast<std::size_t>(done) == in.size();
  }

  const Secret key_;
  EVP_CIPHER_CTX* const context_;
};

}  // namespace

std::unique_ptr<PageCipher> make_aes256cbc(const Key& key) {
  if (key.is_raw() || !algorithms().cbc || !algorithms().sha256 || !algorithms().md5) return nullptr;
  Secret stretched_key = stretched(key.bytes());
  if (stretched_key.empty()) return nullptr;
  return std::make_unique<AesPageCipher>(std::move(stretched_key));
}

}  // namespace muhur::vault
