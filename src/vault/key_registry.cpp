#include "vault/key_registry.hpp"

#include "base/random.hpp"
#include "base/sync.hpp"

namespace muhur::vault {
namespace {

struct Registry {
  Mutex mutex;
  std::map<std::string, std::shared_ptr<const Key>, std::less<>> keys MUHUR_GUARDED_BY(mutex);
};

// Never destroyed: a connection may be closed by a static destructor.
Registry& registry() {
  static auto* const one = new Registry;
  return *one;
}

}  // namespace

RegisteredKey::RegisteredKey(const Key& key) : id_(random_hex(16)) {
  auto copy = std::make_shared<const Key>(key.copy());
  Registry& all = registry();
  const Lock lock(all.mutex);
  all.keys.emplace(id_, std::move(copy));
}

RegisteredKey::~RegisteredKey() {
  Registry& all = registry();
  const Lock lock(all.mutex);
  all.keys.erase(id_);
}

std::shared_ptr<const Key> find_key(std::string_view id) {
  Registry& all = registry();
  const Lock lock(all.mutex);
  const auto at = all.keys.find(id);
  return at == all.keys.end() ? nullptr : at->second;
}

}  // namespace muhur::vault
