#include "vault/keyable_file.hpp"

#include "base/encoding.hpp"
#include "vault/vfs.hpp"

namespace muhur::vault {
namespace {

constexpr int kHeader = 100;  // what SQLite reads when it opens a database
constexpr int kPlainFrom = 16;
constexpr int kPlainTo = 24;

}  // namespace

KeyableFile::KeyableFile(sqlite3_file* base, sqlite3_filename name) : File(base), name_(name) {
  for (const char* const parameter : kCipherParameters)
    if (const char* const value = name ? sqlite3_uri_parameter(name, parameter) : nullptr)
      parameters_[parameter] = value;
}

bool KeyableFile::take_uri(const char** why) {
  *why = nullptr;
  if (!name_) return true;
  if (!choice()) {
    *why = "an unknown cipher, or a parameter of it that cannot be";
    return false;
  }
  for (const char* const parameter : {"key", "textkey", "hexkey"}) {
    const char* const value = sqlite3_uri_parameter(name_, parameter);
    if (!value) continue;
    if (!*value) {
      stays_plain_ = true;
    } else if (std::string_view(parameter) == "hexkey") {
      auto bytes = from_hex(value);
      *why = bytes ? use_key(Key::parse(*bytes)) : "hexkey is not hexadecimal";
      if (bytes) wipe(*bytes);
    } else {
      *why = use_key(Key::parse(as_bytes(value)));
    }
    break;
  }
  return *why == nullptr;
}

std::optional<CipherChoice> KeyableFile::choice() const {
  return parse_cipher_choice([&](const char* parameter) {
    const auto at = parameters_.find(parameter);
    return at == parameters_.end() ? nullptr : at->second.c_str();
  });
}

int KeyableFile::lock_level() {
  int level = SQLITE_LOCK_EXCLUSIVE;  // a VFS that does not say is taken to be in use
  base_->pMethods->xFileControl(base_, SQLITE_FCNTL_LOCKSTATE, &level);
  return level;
}

bool KeyableFile::is_plain() {
  Byte magic[16];
  return base_->pMethods->xRead(base_, magic, sizeof magic, 0) == SQLITE_OK &&
         std::memcmp(magic, kMagic.data(), kMagic.size()) == 0;
}

// The files beside the database take part in the key from when they are opened, and none is while the
// database is not locked. A key that did not fit may be replaced at any time: nothing was read with it.
const char* KeyableFile::use_key(Key key) {
  if (main_) {
    if (main_->codec()->key() == key) return nullptr;
    if (main_->codec()->verified()) return "the database is open with another key; PRAGMA rekey changes it";
  } else if (is_plain()) {
    const auto wanted = choice();
    if (!wanted || wanted->plaintext_header == 0)
      return "the database is not encrypted; VACUUM INTO 'file:NEW?key=KEY' makes an encrypted copy";
  } else if (was_begun_plain_ || lock_level() != SQLITE_LOCK_NONE) {
    return "the database is in use without a key: open it anew";
  }
  const auto wanted = choice();
  if (!wanted) return "an unknown cipher, or a parameter of it that cannot be";
  if (wanted->kind == CipherKind::aes256cbc && key.is_raw())
    return "aes256cbc takes a passphrase, not a raw key";
  give_key(std::make_shared<const Key>(std::move(key)), *wanted);
  if (base_size() == 0)
    reserve_for_cipher();
  else
    find_cipher();
  return nullptr;
}

void KeyableFile::give_key(std::shared_ptr<const Key> key, const CipherChoice& wanted) {
  if (main_) {
    main_->codec()->set_key(std::move(key), wanted);
    return;
  }
  const bool shares = name_ && sqlite3_uri_boolean(name_, "shared", 0) != 0;
  main_ = std::make_unique<MainFile>(base_, std::make_shared<PageCodec>(std::move(key), wanted, base_),
                                     name_ ? name_ : "", shares);
}

bool KeyableFile::first_page_verifies() {
  Byte header[kHeader];
  return main_->read(header, kHeader, 0) == SQLITE_OK && main_->codec()->verified();
}

// Unless a cipher was asked for: chacha20, and aes256cbc where page 1 is that. If it is neither, the key is
// wrong, or page 1 waits in a journal or WAL to be put right: the first use of the database will tell.
void KeyableFile::find_cipher() {
  const auto wanted = choice();
  const auto key = main_->codec()->shared_key();
  if (first_page_verifies() || parameters_.contains("cipher") || parameters_.contains("legacy") ||
      key->is_raw())
    return;
  CipherChoice other = *wanted;
  other.kind = CipherKind::aes256cbc;
  give_key(key, other);
  if (!first_page_verifies()) give_key(key, *wanted);
}

std::string KeyableFile::schema() const {
  if (!db_ || !*db_) return {};
  for (int i = 0; const char* const name = sqlite3_db_name(*db_, i); ++i) {
    sqlite3_file* file = nullptr;
    sqlite3_file_control(*db_, name, SQLITE_FCNTL_FILE_POINTER, static_cast<void*>(&file));
    if (file && file_of(file) == this) return name;
  }
  return {};
}

// While the database is empty SQLite can still be told to leave room for nonce and tag. A database without it
// is refused later (P5).
void KeyableFile::reserve_for_cipher() {
  const std::string name = schema();
  int reserve = static_cast<int>(main_->codec()->reserved());
  if (!name.empty()) sqlite3_file_control(*db_, name.c_str(), SQLITE_FCNTL_RESERVE_BYTES, &reserve);
}

// As with SQLite3 Multiple Ciphers: a database that is attached without a key has its main database's.
bool KeyableFile::inherit_key() {
  if (stays_plain_ || !db_ || !*db_ || schema() == "main") return false;
  sqlite3_file* file = nullptr;
  sqlite3_file_control(*db_, "main", SQLITE_FCNTL_FILE_POINTER, static_cast<void*>(&file));
  File* const above = file_of(file);
  MainFile* const from = above ? above->encrypted() : nullptr;
  const auto wanted = choice();
  if (!from || !wanted) return false;
  CipherChoice like = *wanted;
  if (!parameters_.contains("cipher") && !parameters_.contains("legacy"))
    like.kind = from->codec()->choice().kind;
  give_key(from->codec()->shared_key(), like);
  if (base_size() > 0) find_cipher();
  return true;
}

// Before SQLite takes its first lock. No lock, no journal: neither hot journal nor WAL of a locked database
// is touched.
int KeyableFile::before_use() {
  const sqlite3_int64 size = base_size();
  if (!main_ && (size == 0 || !is_plain()) && !inherit_key() && size > 0)
    return refuse(SQLITE_NOTADB, "a database that is encrypted, or is none, and no key for it");
  if (main_ && size == 0) reserve_for_cipher();
  return SQLITE_OK;
}

int KeyableFile::lock(int level) {
  if (level == SQLITE_LOCK_SHARED && lock_level() == SQLITE_LOCK_NONE)
    if (const int rc = before_use(); rc != SQLITE_OK) return rc;
  was_begun_plain_ = was_begun_plain_ || (!main_ && level > SQLITE_LOCK_SHARED);
  return main_ ? main_->lock(level) : File::lock(level);
}

// What a locked database says of itself when it is opened: page size, WAL mode and reserve, which are plain.
int KeyableFile::read(void* out, int amount, sqlite3_int64 offset) {
  if (main_) return main_->read(out, amount, offset);
  if (offset != 0 || amount != kHeader || base_size() < kHeader || is_plain())
    return File::read(out, amount, offset);
  auto* const header = static_cast<Byte*>(out);
  std::memset(header, 0, kHeader);
  const int rc = base_->pMethods->xRead(base_, header + kPlainFrom, kPlainTo - kPlainFrom, kPlainFrom);
  if (rc == SQLITE_OK && page_size_in(header) != 0) std::memcpy(header, kMagic.data(), kMagic.size());
  return rc;
}

int KeyableFile::control(int op, void* argument) {
  if (op == SQLITE_FCNTL_PDB) db_ = static_cast<sqlite3**>(argument);
  if (op == SQLITE_FCNTL_PRAGMA) {
    const int rc = on_pragma(static_cast<char**>(argument));
    if (rc != SQLITE_NOTFOUND) return rc;
  }
  if (main_) return main_->control(op, argument);
  const int rc = File::control(op, argument);
  if (op == SQLITE_FCNTL_VFSNAME && rc == SQLITE_OK) {
    char** const name = static_cast<char**>(argument);
    *name = sqlite3_mprintf("%s/%z", kVfsName, *name);
  }
  return rc;
}

}  // namespace muhur::vault
