#include "vault/key.hpp"

#include "base/encoding.hpp"
#include "crypto/kdf.hpp"

namespace muhur::vault {
namespace {

std::array<Byte, kSaltSize> salt_of(ByteView bytes) {
  std::array<Byte, kSaltSize> salt;
  std::copy_n(bytes.begin(), kSaltSize, salt.begin());
  return salt;
}

// `bytes` is a key, or a key and a salt after it.
Key key_and_salt(ByteView bytes) {
  const Secret key(bytes.first(kKeySize));
  return bytes.size() == kKeySize ? Key::raw(key) : Key::raw(key, bytes.subspan(kKeySize));
}

bool is_raw_size(std::size_t size) { return size == kKeySize || size == kKeySize + kSaltSize; }

int hex_digit(Byte c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// Straight into locked memory, without a copy on the way.
std::optional<Key> from_hex_text(ByteView hex) {
  if (hex.size() % 2 != 0 || !is_raw_size(hex.size() / 2)) return std::nullopt;
  Secret bytes(hex.size() / 2);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const int high = hex_digit(hex[2 * i]);
    const int low = hex_digit(hex[2 * i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    bytes.writable()[i] = static_cast<Byte>(high << 4 | low);
  }
  return key_and_salt(bytes.view());
}

}  // namespace

Key Key::raw(const Secret& key32) {
  Key key;
  key.bytes_ = key32.copy();
  key.raw_ = true;
  return key;
}

Key Key::raw(const Secret& key32, ByteView salt16) {
  Key key = raw(key32);
  key.salt_ = salt_of(salt16);
  return key;
}

Key Key::random() { return raw(Secret::random(kKeySize)); }

Key Key::passphrase(ByteView bytes) {
  Key key;
  key.bytes_ = Secret(bytes);
  return key;
}

Key Key::parse(ByteView text) {
  constexpr std::string_view kRaw = "raw:";
  if (as_text(text).starts_with(kRaw)) {
    const ByteView rest = text.subspan(kRaw.size());
    if (is_raw_size(rest.size())) return key_and_salt(rest);
    if (auto key = from_hex_text(rest)) return std::move(*key);
  } else if (text.size() > 3 && (text[0] == 'x' || text[0] == 'X') && text[1] == '\'' &&
             text.back() == '\'') {
    if (auto key = from_hex_text(text.subspan(2, text.size() - 3))) return std::move(*key);
  }
  return passphrase(text);
}

Secret Key::derive(ByteView salt16, std::uint32_t rounds) const {
  if (raw_) return bytes_.copy();
  return crypto::pbkdf2_sha256(bytes_.view(), salt16, rounds, kKeySize);
}

Secret Key::exported() const {
  if (!raw_) return bytes_.copy();
  constexpr std::string_view kDigits = "0123456789abcdef";
  constexpr std::string_view kRaw = "raw:";
  Secret text(kRaw.size() + 2 * bytes_.size());
  auto out = std::copy(kRaw.begin(), kRaw.end(), text.writable().begin());
  for (const Byte b : bytes_.view()) {
    *out++ = static_cast<Byte>(kDigits[b >> 4]);
    *out++ = static_cast<Byte>(kDigits[b & 15]);
  }
  return text;
}

Key Key::copy() const {
  Key key;
  key.bytes_ = bytes_.copy();
  key.raw_ = raw_;
  key.salt_ = salt_;
  return key;
}

}  // namespace muhur::vault
