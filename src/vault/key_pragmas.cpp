// The PRAGMAs of a database that takes a key, by the names of SQLite3 Multiple Ciphers:
//   key, textkey = 'passphrase' | 'raw:…' | "x'…'"     hexkey = 'hex of the same'
//   rekey, textrekey, hexrekey                          another key, in place
//   cipher, legacy, kdf_iter, …                         before the key; without a value they are read back
//   hmac_check = 0 | 1                                  at any time
// SQLite runs them while it compiles the statement. The statement's text, which holds the key, is SQLite's.
#include "base/encoding.hpp"
#include "vault/keyable_file.hpp"
#include "vault/rekey_pages.hpp"

namespace muhur::vault {
namespace {

int answer(char** argument, std::string_view text) {
  argument[0] = sqlite3_mprintf("%.*s", static_cast<int>(text.size()), text.data());
  return SQLITE_OK;
}
int complain(char** argument, std::string_view text, int rc = SQLITE_ERROR) {
  answer(argument, text);
  return rc;
}

std::string lower(const char* text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

std::optional<Key> key_in(const char* value, bool hex) {
  if (!hex) return Key::parse(as_bytes(value));
  auto bytes = from_hex(value);
  if (!bytes) return std::nullopt;
  Key key = Key::parse(*bytes);
  wipe(*bytes);
  return key;
}

bool is_one_of(const std::string& name, std::initializer_list<const char*> names) {
  return std::ranges::any_of(names, [&](const char* one) { return name == one; });
}

}  // namespace

int KeyableFile::on_pragma(char** argument) {
  const std::string name = lower(argument[1]);
  if (is_one_of(name, {"key", "textkey", "hexkey"})) return on_key(argument, name);
  if (is_one_of(name, {"rekey", "textrekey", "hexrekey"})) return on_rekey(argument, name);
  for (const char* const parameter : kCipherParameters)
    if (name == parameter) return on_parameter(argument, name);
  return SQLITE_NOTFOUND;
}

int KeyableFile::on_key(char** argument, const std::string& name) {
  const char* const value = argument[2];
  if (!value) return complain(argument, "a key cannot be read back");
  if (!*value) return main_ ? complain(argument, "the database has a key already") : answer(argument, "ok");
  auto key = key_in(value, name == "hexkey");
  if (!key) return complain(argument, "hexkey is not hexadecimal");
  if (const char* const why = use_key(std::move(*key))) return complain(argument, why);
  return answer(argument, "ok");
}

int KeyableFile::on_rekey(char** argument, const std::string& name) {
  const char* const value = argument[2];
  if (!value) return complain(argument, "a key cannot be read back");
  if (!main_)
    return is_plain() ? complain(argument,
                                 "the database is not encrypted; VACUUM INTO 'file:NEW?key=KEY' makes an "
                                 "encrypted copy")
                      : complain(argument, "PRAGMA key comes first");
  if (!*value)
    return complain(argument,
                    "a key cannot be taken away in place; VACUUM INTO 'file:NEW?key=' makes a plain copy");
  auto key = key_in(value, name == "hexrekey");
  if (!key) return complain(argument, "hexrekey is not hexadecimal");
  if (!db_ || !*db_) return complain(argument, "there is no connection");
  std::string why;
  const int rc =
      rekey_pages(*db_, schema().c_str(), *main_, std::make_shared<const Key>(std::move(*key)), {}, why);
  return rc == SQLITE_OK ? answer(argument, "ok") : complain(argument, why, rc);
}

int KeyableFile::on_parameter(char** argument, const std::string& name) {
  const char* const value = argument[2];
  if (!value) {
    const auto wanted = main_ ? main_->codec()->choice() : choice().value_or(CipherChoice{});
    if (name == "cipher")
      return answer(argument, main_ ? name_of(wanted.kind) : is_plain() ? "none" : name_of(wanted.kind));
    if (name == "legacy") return answer(argument, wanted.kind == CipherKind::sqleet ? "1" : "0");
    if (name == "hmac_check") return answer(argument, wanted.check_tags ? "1" : "0");
    if (name == "kdf_iter") return answer(argument, std::to_string(wanted.kdf_rounds));
    if (name == "plaintext_header_size") return answer(argument, std::to_string(wanted.plaintext_header));
    if (name == "legacy_page_size") return answer(argument, std::to_string(wanted.fallback_page_size));
    return answer(argument, wanted.salt ? to_hex(*wanted.salt) : "");
  }
  if (main_ && name != "hmac_check" && main_->codec()->verified())
    return complain(argument, "the cipher is chosen before the key is given");
  const auto before = parameters_;
  parameters_[name] = value;
  const auto wanted = choice();
  if (!wanted) {
    parameters_ = before;
    return complain(argument, "an unknown cipher, or a parameter of it that cannot be");
  }
  if (main_) {
    CipherChoice now = name == "hmac_check" ? main_->codec()->choice() : *wanted;
    now.check_tags = wanted->check_tags;
    main_->codec()->set_key(main_->codec()->shared_key(), now);
  }
  return answer(argument, value);
}

}  // namespace muhur::vault
