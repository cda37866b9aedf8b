// The life of a key, in seconds:
//
//   created ──overlap──► active ───────rotate───────► its successor is active ───keep───► removed
//   in the JWKS ─────────signs────────────────────────no longer signs, still in the JWKS
//
// The successor is made one overlap before the active key's time is up, so that whoever caches the JWKS has
// it before it signs. Among the keys of an algorithm that one signs which became active last; a clock that
// was set back makes an older one sign again, which is in the JWKS too.
#include "oidc/signing_keys.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "base/encoding.hpp"
#include "base/sync.hpp"
#include "crypto/mac.hpp"
#include "oidc/schema.hpp"

namespace muhur::oidc {
namespace json = boost::json;
namespace {

constexpr crypto::SigningAlgorithm kAlgorithms[] = {
    crypto::SigningAlgorithm::es256, crypto::SigningAlgorithm::eddsa, crypto::SigningAlgorithm::rs256};

struct Stored {
  std::string kid;
  crypto::SigningKey key;
  std::int64_t created_s = 0;
  std::int64_t active_s = 0;
};

// Never changed once it is published: readers hold it while a rotation makes the next.
struct Keys {
  std::vector<Stored> all;  // in order of active_s
  std::string jwks, etag;
};
using KeysPtr = std::shared_ptr<const Keys>;

// `all` is in order of active_s.
KeysPtr publish(std::vector<Stored> all) {
  auto keys = std::make_shared<Keys>();
  keys->all = std::move(all);
  json::array list;
  for (const auto algorithm : kAlgorithms) {
    for (const Stored& stored : keys->all) {
      if (stored.key.algorithm() != algorithm) continue;
      json::object jwk = json::parse(stored.key.public_key().jwk()).get_object();
      jwk["kid"] = stored.kid;
      jwk["use"] = "sig";
      jwk["alg"] = crypto::name_of(algorithm);
      list.push_back(std::move(jwk));
    }
  }
  keys->jwks = json::serialize(json::object{{"keys", std::move(list)}});
  keys->etag = '"' + to_hex(ByteView(crypto::sha256(as_bytes(keys->jwks))).first(16)) + '"';
  return keys;
}

const Stored* signing_now(const Keys& keys, crypto::SigningAlgorithm algorithm, std::int64_t now_s) {
  const Stored* found = nullptr;
  for (const Stored& stored : keys.all)
    if (stored.key.algorithm() == algorithm && (!found || stored.active_s <= now_s)) found = &stored;
  return found;
}

Result<std::vector<Stored>> load(vault::Connection& c) {
  MUHUR_TRY(auto st,
            c.prepare("SELECT kid, algorithm, private_key, created_s, active_s FROM oidc_signing_keys "
                      "ORDER BY active_s, created_s"));
  std::vector<Stored> all;
  while (true) {
    MUHUR_TRY(const bool row, st.step());
    if (!row) return all;
    const std::string kid(st.text(0));
    const auto algorithm = crypto::signing_algorithm(st.text(1));
    auto key = algorithm ? crypto::SigningKey::from_der(*algorithm, Secret(st.blob(2)))
                         : Result<crypto::SigningKey>(fail(Code::corrupt, "an unknown algorithm"));
    // Never made anew in silence: all that it signed would turn false (and somebody may have swapped it).
    if (!key || key->public_key().thumbprint() != kid)
      return fail(Code::corrupt, "the signing key " + kid + " cannot be read",
                  "Restore directory.db from a backup");
    all.push_back({kid, std::move(*key), st.int64(3), st.int64(4)});
  }
}

Result<void> insert(vault::Connection& c, const Stored& stored) {
  const Secret der = stored.key.der();
  return c.run(
      "INSERT INTO oidc_signing_keys(kid, algorithm, private_key, created_s, active_s) VALUES(?, ?, ?, ?, ?)",
      stored.kid, crypto::name_of(stored.key.algorithm()), der.view(), stored.created_s, stored.active_s);
}

}  // namespace

struct SigningKeys::Impl {
  accounts::Directory& directory;
  SigningKeyOptions options;
  Mutex changing;  // one change at a time: held while the database is written
  mutable Mutex mutex;
  KeysPtr keys MUHUR_GUARDED_BY(mutex) = publish({});

  Impl(accounts::Directory& d, SigningKeyOptions o) : directory(d), options(o) {}

  KeysPtr now() const {
    const Lock lock(mutex);
    return keys;
  }
  void set(KeysPtr next) {
    const Lock lock(mutex);
    keys = std::move(next);
  }
  std::int64_t clock_s() const { return directory.clock().now_s(); }

  // Stored first, published after the commit.
  Result<void> add(crypto::SigningAlgorithm algorithm, std::int64_t active_s) MUHUR_REQUIRES(changing) {
    MUHUR_TRY(auto key, crypto::SigningKey::generate(algorithm));
    // Never the same second twice: of keys that sign from one moment on, the one that was made last signs,
    // and their times are all that tells so after a restart.
    std::int64_t created_s = clock_s();
    for (const Stored& stored : now()->all) created_s = std::max(created_s, stored.created_s + 1);
    Stored fresh{key.public_key().thumbprint(), key, created_s, active_s};
    MUHUR_CHECK(directory.database().write([&](vault::Connection& c) { return insert(c, fresh); }));
    std::vector<Stored> all = now()->all;
    all.insert(std::ranges::upper_bound(all, fresh.active_s, {}, &Stored::active_s), std::move(fresh));
    set(publish(std::move(all)));
    return {};
  }

  Result<void> remove_old(std::int64_t now_s) MUHUR_REQUIRES(changing) {
    const KeysPtr current = now();
    std::vector<Stored> kept;
    std::vector<std::string> gone;
    for (const Stored& stored : current->all) {
      const auto successor = std::ranges::find_if(current->all, [&](const Stored& other) {
        return other.key.algorithm() == stored.key.algorithm() && other.active_s > stored.active_s;
      });
      if (successor != current->all.end() && successor->active_s + options.keep_s <= now_s)
        gone.push_back(stored.kid);
      else
        kept.push_back(stored);
    }
    if (gone.empty()) return {};
    MUHUR_CHECK(directory.database().write([&](vault::Connection& c) -> Result<void> {
      for (const auto& kid : gone) MUHUR_CHECK(c.run("DELETE FROM oidc_signing_keys WHERE kid = ?", kid));
      return {};
    }));
    set(publish(std::move(kept)));
    return {};
  }
};

SigningKeys::SigningKeys(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
SigningKeys::~SigningKeys() = default;

Result<std::unique_ptr<SigningKeys>> SigningKeys::open(accounts::Directory& directory,
                                                       SigningKeyOptions options) {
  MUHUR_CHECK(prepare_directory(directory));
  auto impl = std::make_unique<Impl>(directory, options);
  MUHUR_TRY(auto stored, directory.database().read(load));
  impl->set(publish(std::move(stored)));
  std::unique_ptr<SigningKeys> keys(new SigningKeys(std::move(impl)));
  // In the JWKS from the start, as nearly every token will be signed with it.
  MUHUR_TRY(const auto first, keys->active(crypto::SigningAlgorithm::es256));
  return keys;
}

Result<ActiveKey> SigningKeys::active(crypto::SigningAlgorithm algorithm) {
  const std::int64_t now_s = impl_->clock_s();
  const KeysPtr keys = impl_->now();
  if (const Stored* stored = signing_now(*keys, algorithm, now_s)) return ActiveKey{stored->kid, stored->key};
  const Lock lock(impl_->changing);
  const KeysPtr meanwhile = impl_->now();
  if (!signing_now(*meanwhile, algorithm, now_s)) MUHUR_CHECK(impl_->add(algorithm, now_s));
  const KeysPtr made = impl_->now();
  const Stored* stored = signing_now(*made, algorithm, now_s);
  return ActiveKey{stored->kid, stored->key};
}

Result<void> SigningKeys::publish_all() {
  for (const auto algorithm : kAlgorithms) {
    MUHUR_TRY(const auto made, active(algorithm));
  }
  return {};
}

std::optional<crypto::PublicKey> SigningKeys::find(std::string_view kid) const {
  const KeysPtr keys = impl_->now();
  const auto at = std::ranges::find(keys->all, kid, &Stored::kid);
  if (at == keys->all.end()) return std::nullopt;
  return at->key.public_key();
}

std::string SigningKeys::jwks() const { return impl_->now()->jwks; }
std::string SigningKeys::jwks_etag() const { return impl_->now()->etag; }

Result<void> SigningKeys::rotate_due() {
  const Lock lock(impl_->changing);
  const std::int64_t now_s = impl_->clock_s();
  const auto& options = impl_->options;
  for (const auto algorithm : kAlgorithms) {
    const KeysPtr keys = impl_->now();
    const Stored* newest = nullptr;
    for (const Stored& stored : keys->all)
      if (stored.key.algorithm() == algorithm) newest = &stored;
    if (!newest || newest->active_s + options.rotate_s - options.overlap_s > now_s) continue;
    MUHUR_CHECK(
        impl_->add(algorithm, std::max(newest->active_s + options.rotate_s, now_s + options.overlap_s)));
  }
  return impl_->remove_old(now_s);
}

Result<void> SigningKeys::rotate_now(crypto::SigningAlgorithm algorithm) {
  const Lock lock(impl_->changing);
  return impl_->add(algorithm, impl_->clock_s());
}

Result<void> SigningKeys::rotate_soon(crypto::SigningAlgorithm algorithm) {
  const Lock lock(impl_->changing);
  const std::int64_t now_s = impl_->clock_s();
  for (const Stored& stored : impl_->now()->all)
    if (stored.key.algorithm() == algorithm && stored.active_s > now_s)
      return fail(Code::exists, "the next key is published already: " + stored.kid, "See `muhur keys list`");
  return impl_->add(algorithm, now_s + impl_->options.overlap_s);
}

std::vector<KeyInfo> SigningKeys::list() const {
  const KeysPtr keys = impl_->now();
  const std::int64_t now_s = impl_->clock_s();
  std::vector<KeyInfo> list;
  for (const auto algorithm : kAlgorithms) {
    const Stored* signing = signing_now(*keys, algorithm, now_s);
    auto state = KeyInfo::State::kept;
    for (const Stored& stored : keys->all) {
      if (stored.key.algorithm() != algorithm) continue;
      if (&stored == signing) state = KeyInfo::State::signs;
      list.push_back({stored.kid, algorithm, stored.created_s, stored.active_s, state});
      if (&stored == signing) state = KeyInfo::State::next;
    }
  }
  return list;
}

Result<void> SigningKeys::remove(std::string_view kid) {
  const Lock lock(impl_->changing);
  const KeysPtr current = impl_->now();
  const auto at = std::ranges::find(current->all, kid, &Stored::kid);
  if (at == current->all.end()) return fail(Code::not_found, "there is no signing key " + std::string(kid));
  if (&*at == signing_now(*current, at->key.algorithm(), impl_->clock_s()))
    return fail(Code::invalid, "that key signs now", "Let another one sign first: muhur keys rotate --now");
  MUHUR_CHECK(impl_->directory.database().write(
      [&](vault::Connection& c) { return c.run("DELETE FROM oidc_signing_keys WHERE kid = ?", kid); }));
  std::vector<Stored> kept;
  for (const Stored& stored : current->all)
    if (stored.kid != kid) kept.push_back(stored);
  impl_->set(publish(std::move(kept)));
  return {};
}

}  // namespace muhur::oidc
