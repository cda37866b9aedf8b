#include "vault/page_codec.hpp"

#include "base/random.hpp"
#include "vault/figures.hpp"

namespace muhur::vault {
namespace {

constexpr int kHeaderPrefix = 24;

bool all_zero(ByteView bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](Byte b) { return b == 0; });
}

Salt salt_at(const Byte* bytes) {
  Salt salt;
  std::memcpy(salt.data(), bytes, salt.size());
  return salt;
}

}  // namespace

int refuse(int rc, const char* why) {
  sqlite3_log(rc, "muhur: %s", why);
  return rc;
}

PageCodec::PageCodec(std::shared_ptr<const Key> key, const CipherChoice& choice, sqlite3_file* main)
    : key_(std::move(key)), choice_(choice), main_(main) {}

int PageCodec::find_page_size(std::uint32_t& size) {
  if (page_size_ == 0 && main_) {
    Byte header[kHeaderPrefix];
    const int rc = main_->pMethods->xRead(main_, header, sizeof header, 0);
    if (rc != SQLITE_OK && rc != SQLITE_IOERR_SHORT_READ) return rc;
    const bool there = rc == SQLITE_OK && !all_zero(header);
    if (there && header_is_readable()) page_size_ = page_size_in(header);
    if (there && page_size_ == 0 && choice_.kind != CipherKind::chacha20)
      page_size_ = choice_.fallback_page_size;
  }
  size = page_size_;
  return SQLITE_OK;
}

std::uint32_t PageCodec::page_size() {
  std::uint32_t size = 0;
  return find_page_size(size) == SQLITE_OK ? size : 0;
}

std::size_t PageCodec::reserved() const { return choice_.kind == CipherKind::aes256cbc ? 0 : 32; }

void PageCodec::set_key(std::shared_ptr<const Key> key, const CipherChoice& choice) {
  if (choice.kind != choice_.kind) page_size_ = 0;
  key_ = std::move(key);
  choice_ = choice;
  cipher_.reset();
  verified_ = false;
}

bool PageCodec::salt_is_in_file() const {
  return choice_.kind != CipherKind::aes256cbc && choice_.plaintext_header == 0 && !choice_.salt;
}

std::unique_ptr<PageCipher> PageCodec::cipher_for(const Salt& salt) const {
  return make_page_cipher(choice_, *key_, salt);
}

// Finds the salt and derives the key, once. Also for a journal that is rolled back before page 1 was read.
int PageCodec::ready(bool writing) {
  if (cipher_) return SQLITE_OK;
  if (choice_.salt) {
    salt_ = *choice_.salt;
  } else if (choice_.plaintext_header > 0 && key_->salt()) {
    salt_ = *key_->salt();
  } else if (salt_is_in_file()) {
    Byte header[kHeaderPrefix] = {};
    const int rc = main_ ? main_->pMethods->xRead(main_, header, sizeof header, 0) : SQLITE_IOERR_SHORT_READ;
    if (rc != SQLITE_OK && rc != SQLITE_IOERR_SHORT_READ) return rc;
    const bool there = rc == SQLITE_OK && !all_zero({header, kSaltSize});
    if (there)
      salt_ = salt_at(header);
    else if (!writing && !key_->is_raw())
      return refuse(SQLITE_IOERR_READ, "a page to decrypt, but no salt in the database file");
    else if (key_->salt())
      salt_ = *key_->salt();
    else
      fill_random(salt_);
  }
  cipher_ = cipher_for(salt_);
  return cipher_ ? SQLITE_OK : refuse(SQLITE_IOERR, "this key does not fit this cipher");
}

int PageCodec::encrypt(std::uint32_t page, const void* plain, Byte* out) {
  if (const int rc = ready(true); rc != SQLITE_OK) return rc;
  counters.pages_encrypted.add();
  if (page == 1) verified_ = true;
  if (cipher_->encrypt(page, {static_cast<const Byte*>(plain), page_size_}, out)) return SQLITE_OK;
  return refuse(SQLITE_IOERR_WRITE, "the cipher failed");
}

int PageCodec::decrypt(std::uint32_t page, const Byte* sealed, void* out) {
  auto* const to = static_cast<Byte*>(out);
  const ByteView view{sealed, page_size_};
  if (const int rc = ready(false); rc != SQLITE_OK) {
    std::memset(to, 0, page_size_);
    return rc;
  }
  counters.pages_decrypted.add();
  if (page == 1) {
    const int rc = decrypt_first(view, to);
    verified_ = verified_ || rc == SQLITE_OK;
    return rc;
  }
  if (cipher_->decrypt(page, view, to)) return SQLITE_OK;
  counters.bad_tags.add();
  return SQLITE_CORRUPT;
}

int PageCodec::decrypt_first(ByteView sealed, Byte* out) {
  const Salt found = salt_at(sealed.data());
  if (!salt_is_in_file() || found == salt_) {
    if (cipher_->decrypt(1, sealed, out)) return SQLITE_OK;
  } else {
    // The database was made anew behind this open handle, under another salt. Believed only if page 1
    // verifies under the key that this salt gives.
    auto other = cipher_for(found);
    if (other && other->decrypt(1, sealed, out)) {
      cipher_ = std::move(other);
      salt_ = found;
      return SQLITE_OK;
    }
    std::memset(out, 0, sealed.size());
  }
  counters.bad_tags.add();
  return SQLITE_NOTADB;
}

bool PageCodec::may_write_first_page(const Byte* plain) const {
  constexpr std::size_t kReserveAt = 20;
  return std::memcmp(plain, kMagic.data(), kMagic.size()) == 0 && page_size_in(plain) == page_size_ &&
         plain[kReserveAt] >= reserved();
}

Byte* PageCodec::scratch(std::size_t size) {
  if (size > scratch_size_) {
    scratch_ = std::make_unique_for_overwrite<Byte[]>(size);
    scratch_size_ = size;
  }
  return scratch_.get();
}

}  // namespace muhur::vault
