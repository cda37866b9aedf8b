#include "bench/storage_cipher.hpp"

#include <openssl/evp.h>

#include <memory>

#include "base/random.hpp"
#include "bench/storage_step.hpp"
#include "vault/page_cipher.hpp"

namespace muhur::bench {
namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kBody = kPage - 32;
constexpr int kBatches = 31;
constexpr int kPages = 1000;  // a batch

template <auto kFree>
struct Freed {
  void operator()(auto* p) const { kFree(p); }
};
using Context = std::unique_ptr<EVP_CIPHER_CTX, Freed<EVP_CIPHER_CTX_free>>;
using Algorithm = std::unique_ptr<EVP_CIPHER, Freed<EVP_CIPHER_free>>;
using MacContext = std::unique_ptr<EVP_MAC_CTX, Freed<EVP_MAC_CTX_free>>;
using Mac = std::unique_ptr<EVP_MAC, Freed<EVP_MAC_free>>;

// Two ways to do a page: way(out, in, key32, nonce16), false when it failed.
class Parts {
 public:
  Parts() { EVP_EncryptInit_ex2(stream_.get(), chacha_.get(), nullptr, nullptr, nullptr); }
  bool operator()(Byte* out, const Byte* in, const Byte* key, const Byte* nonce) {
    int done = 0;
    std::size_t size = 0;
    return EVP_EncryptInit_ex2(stream_.get(), nullptr, key, nonce, nullptr) == 1 &&
           EVP_EncryptUpdate(stream_.get(), out, &done, in, kBody) == 1 &&
           EVP_MAC_init(mac_.get(), key, 32, nullptr) == 1 &&
           EVP_MAC_update(mac_.get(), out, kBody + 16) == 1 &&
           EVP_MAC_final(mac_.get(), out + kBody + 16, &size, 16) == 1;
  }

 private:
  Algorithm chacha_{EVP_CIPHER_fetch(nullptr, "ChaCha20", nullptr)};
  Mac poly_{EVP_MAC_fetch(nullptr, "POLY1305", nullptr)};
  Context stream_{EVP_CIPHER_CTX_new()};
  MacContext mac_{EVP_MAC_CTX_new(poly_.get())};
};

class Aead {
 public:
  Aead() { EVP_EncryptInit_ex2(context_.get(), aead_.get(), nullptr, nullptr, nullptr); }
  bool operator()(Byte* out, const Byte* in, const Byte* key, const Byte* nonce) {
    int done = 0;
    return EVP_EncryptInit_ex2(context_.get(), nullptr, key, nonce, nullptr) == 1 &&
           EVP_EncryptUpdate(context_.get(), out, &done, in, kBody) == 1 &&
           EVP_EncryptFinal_ex(context_.get(), out + done, &done) == 1 &&
           EVP_CIPHER_CTX_ctrl(context_.get(), EVP_CTRL_AEAD_GET_TAG, 16, out + kBody) == 1;
  }

 private:
  Algorithm aead_{EVP_CIPHER_fetch(nullptr, "ChaCha20-Poly1305", nullptr)};
  Context context_{EVP_CIPHER_CTX_new()};
};

template <class F>
Result<double> batch_us(F page) {
  const Stopwatch watch;
  for (std::uint32_t i = 1; i <= kPages; ++i)
    if (!page(i)) return fail(Code::internal, "a cipher failed while it was measured");
  return watch.cpu() / kPages * 1e3;
}

}  // namespace

Result<std::vector<Row>> run_page_cipher() {
  const auto cipher = vault::make_page_cipher({}, vault::Key::random(), vault::Salt{});
  if (!cipher) return fail(Code::internal, "no page cipher");
  const Bytes plain = random_bytes(kPage);
  Bytes sealed(kPage), out(kPage);
  const Bytes key = random_bytes(32);
  Parts parts;
  Aead aead;
  std::vector<double> encrypt, decrypt, with_aead, with_parts;
  // Interleaved, so that a disturbed moment falls on all.
  for (int i = 0; i < kBatches; ++i) {
    MUHUR_TRY(const double e, batch_us([&](auto n) { return cipher->encrypt(n, plain, out.data()); }));
    if (!cipher->encrypt(7, plain, sealed.data())) return fail(Code::internal, "the page cipher failed");
    MUHUR_TRY(const double d, batch_us([&](auto) { return cipher->decrypt(7, sealed, out.data()); }));
    const auto with = [&](auto& how) {
      return batch_us([&](std::uint32_t n) {
        Byte nonce[16] = {};
        store_le32(nonce, n);
        return how(out.data(), plain.data(), key.data(), nonce);
      });
    };
    MUHUR_TRY(const double a, with(aead));
    MUHUR_TRY(const double p, with(parts));
    encrypt.push_back(e);
    decrypt.push_back(d);
    with_aead.push_back(a);
    with_parts.push_back(p);
  }
  return std::vector<Row>{
      {"page_encrypt", "Page encrypted", "us", summarize(std::move(encrypt))},
      {"page_decrypt", "Page verified and decrypted", "us", summarize(std::move(decrypt))},
      {"openssl_aead", "OpenSSL ChaCha20-Poly1305", "us", summarize(std::move(with_aead))},
      {"openssl_parts", "OpenSSL ChaCha20, then Poly1305", "us", summarize(std::move(with_parts))},
  };
}

}  // namespace muhur::bench
