#pragma once
// Keys by handle. A connection registers its key for the time of opening; the VFS looks it up by the
// handle in the URI and holds its own wiped copy while the file is open. Handles are random 128-bit hex
// and never reused. Thread-safe.

#include <memory>
#include <string>
#include <string_view>

#include "vault/key.hpp"

namespace muhur::vault {

// Unregisters (and wipes) when it goes.
class RegisteredKey {
 public:
  explicit RegisteredKey(const Key& key);
  ~RegisteredKey();
  RegisteredKey(const RegisteredKey&) = delete;
  RegisteredKey& operator=(const RegisteredKey&) = delete;
  const std::string& id() const { return id_; }

 private:
  std::string id_;
};

// The key behind a handle, shared; null when there is none.
std::shared_ptr<const Key> find_key(std::string_view id);

}  // namespace muhur::vault
