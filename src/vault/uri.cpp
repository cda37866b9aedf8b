#include "vault/uri.hpp"

#include <fmt/format.h>

#include "vault/vfs.hpp"

namespace muhur::vault {
namespace {

// All but unreserved characters and '/' as %XX.
std::string percent_encoded(std::string_view path) {
  std::string out;
  for (const char c : path) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("/-._~").contains(c);
    if (plain)
      out += c;
    else
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

}  // namespace

RegisteredUri::RegisteredUri(const std::filesystem::path& path, const Key* key, std::string_view cipher)
    : text_(fmt::format("file:{}?vfs={}", percent_encoded(path.string()), kVfsName)) {
  if (!key || key->empty()) return;
  text_ += fmt::format("&keyid={}", key_.emplace(*key).id());
  if (!cipher.empty()) text_ += fmt::format("&cipher={}", percent_encoded(cipher));
}

}  // namespace muhur::vault
