#pragma once
// The name under which SQLite opens a database through the vault's VFS: file:PATH?vfs=muhur&keyid=ID, with
// the path percent-encoded and the key registered for as long as this object lives. Private to the vault.

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "vault/key_registry.hpp"

namespace muhur::vault {

class RegisteredUri {
 public:
  // `key` null or empty: without keyid and cipher. `cipher` empty: the default.
  RegisteredUri(const std::filesystem::path& path, const Key* key, std::string_view cipher = {});
  const std::string& text() const { return text_; }

 private:
  std::optional<RegisteredKey> key_;
  std::string text_;
};

}  // namespace muhur::vault
