#include "crypto/kdf.hpp"

#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "crypto/mac.hpp"
#include "crypto/sodium_ready.hpp"

namespace muhur::crypto {
namespace {

constexpr std::size_t kSaltSize = crypto_pwhash_argon2id_SALTBYTES;
constexpr std::size_t kHashSize = std::tuple_size_v<Digest>;

}  // namespace

Result<Secret> argon2id(ByteView password, ByteView salt, const Argon2Cost& cost, std::size_t size) {
  sodium_ready();
  if (salt.size() != kSaltSize) return fail(Code::invalid, "an Argon2id salt must have 16 bytes");
  if (cost.memory_kib < 8 || cost.memory_kib > crypto_pwhash_argon2id_MEMLIMIT_MAX / 1024 ||
      cost.passes < 1 || size < crypto_pwhash_argon2id_BYTES_MIN)
    return fail(Code::invalid, "Argon2id needs at least 8 KiB of memory, one pass and 16 bytes of output");
  Secret out(size);
  if (crypto_pwhash_argon2id(out.writable().data(), size, reinterpret_cast<const char*>(password.data()),
                             password.size(), salt.data(), cost.passes,
                             static_cast<std::size_t>(cost.memory_kib) * 1024,
                             crypto_pwhash_argon2id_ALG_ARGON2ID13) != 0)
    return fail(Code::busy, "memory is short for hashing a password",
                "Lower the number of password threads or the memory cost, or give the machine more memory");
  return out;
}

// RFC 5869. Written over HMAC so that output lands in locked memory at once.
Secret hkdf(ByteView key, ByteView salt, std::string_view info, std::size_t size) {
  if (size > 255 * kHashSize) std::abort();  // beyond what HKDF defines: a bug
  const std::array<Byte, kHashSize> no_salt{};
  Digest extracted = hmac_sha256(salt.empty() ? ByteView(no_salt) : salt, key);
  Secret out(size);
  Secret input(kHashSize + info.size() + 1);  // T(n-1) | info | n
  std::size_t have = 0;
  for (Byte n = 1; have < size; ++n) {
    const std::size_t previous = n == 1 ? 0 : kHashSize;
    Byte* at = input.writable().data();
    std::copy(info.begin(), info.end(), at + previous);
    at[previous + info.size()] = n;
    Digest block = hmac_sha256(extracted, {at, previous + info.size() + 1});
    const std::size_t take = std::min(kHashSize, size - have);
    std::copy_n(block.begin(), take, out.writable().begin() + static_cast<std::ptrdiff_t>(have));
    std::copy(block.begin(), block.end(), at);
    wipe(block);
    have += take;
  }
  wipe(extracted);
  return out;
}

Secret pbkdf2_sha256(ByteView password, ByteView salt, std::uint32_t rounds, std::size_t size) {
  Secret out(size);
  if (PKCS5_PBKDF2_HMAC(reinterpret_cast<const char*>(password.data()), static_cast<int>(password.size()),
                        salt.data(), static_cast<int>(salt.size()), static_cast<int>(rounds), EVP_sha256(),
                        static_cast<int>(size), out.writable().data()) != 1)
    std::abort();
  return out;
}

}  // namespace muhur::crypto
