#include "oidc/clients.hpp"

#include <boost/json/serialize.hpp>
#include <map>

#include "accounts/audit.hpp"
#include "base/encoding.hpp"
#include "base/random.hpp"
#include "base/secret.hpp"
#include "base/sync.hpp"
#include "crypto/mac.hpp"
#include "oidc/client_document.hpp"
#include "oidc/json.hpp"
#include "oidc/schema.hpp"

namespace muhur::oidc {
namespace json = boost::json;
namespace {

// A client's secret is 256 random bits: a plain hash of it gives nothing away, and checking it costs nothing.
using SecretHash = std::optional<crypto::Digest>;

struct Entry {
  std::shared_ptr<const Client> client;
  SecretHash secret;
};
using Table = std::map<std::string, Entry, std::less<>>;

bool has_secret(const Client& client) {
  return client.auth == ClientAuth::basic || client.auth == ClientAuth::post;
}

std::unexpected<Error> no_such_client(std::string_view id) {
  return fail(Code::not_found, "there is no client " + std::string(id),
              "List the clients with: muhur client list");
}

SecretHash hash_of(ByteView stored) {
  crypto::Digest digest;
  if (stored.size() != digest.size()) return std::nullopt;
  std::ranges::copy(stored, digest.begin());
  return digest;
}

Result<Table> load(vault::Connection& c) {
  MUHUR_TRY(auto st, c.prepare("SELECT id, document, secret_hash FROM oidc_clients"));
  Table table;
  while (true) {
    MUHUR_TRY(const bool row, st.step());
    if (!row) return table;
    const std::string id(st.text(0));
    const auto document = parse_object(st.text(1));
    auto client = document ? client_of(*document) : Result<Client>(std::unexpected(document.error()));
    if (!client || client->id != id)
      return fail(Code::corrupt,
                  "the client " + id + " cannot be read: " + (client ? "" : client.error().text()),
                  "A newer program may have written it; otherwise restore directory.db from a backup");
    table[id] = {std::make_shared<const Client>(std::move(*client)), hash_of(st.blob(2))};
  }
}

std::optional<ByteView> view_of(const SecretHash& hash) {
  return hash ? std::optional<ByteView>(*hash) : std::nullopt;
}

Result<void> note(vault::Connection& c, std::int64_t now_ms, std::string action, std::string_view id) {
  return accounts::append_audit(c, now_ms, {.action = std::move(action), .detail = std::string(id)});
}

}  // namespace

struct Clients::Impl {
  accounts::Directory& directory;
  Mutex changing;  // one change at a time, so that memory follows the order of the commits
  mutable Mutex mutex;
  Table table MUHUR_GUARDED_BY(mutex);

  explicit Impl(accounts::Directory& d) : directory(d) {}

  Entry entry(std::string_view id) const {
    const Lock lock(mutex);
    const auto at = table.find(id);
    return at == table.end() ? Entry{} : at->second;
  }
  void put(Entry entry) {
    const Lock lock(mutex);
    table[entry.client->id] = std::move(entry);
  }
};

Clients::Clients(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Clients::~Clients() = default;

Result<std::unique_ptr<Clients>> Clients::open(accounts::Directory& directory) {
  MUHUR_CHECK(prepare_directory(directory));
  auto impl = std::make_unique<Impl>(directory);
  MUHUR_TRY(auto table, directory.database().read(load));
  {
    const Lock lock(impl->mutex);
    impl->table = std::move(table);
  }
  return std::unique_ptr<Clients>(new Clients(std::move(impl)));
}

std::shared_ptr<const Client> Clients::find(std::string_view id) const { return impl_->entry(id).client; }

std::vector<std::shared_ptr<const Client>> Clients::list() const {
  const Lock lock(impl_->mutex);
  std::vector<std::shared_ptr<const Client>> all;
  for (const auto& [id, entry] : impl_->table) all.push_back(entry.client);
  return all;
}

Result<std::string> Clients::add(Client client, const Also& also) {
  if (client.name.empty()) client.name = client.id;
  MUHUR_CHECK(check_client(client));
  const std::int64_t now_ms = impl_->directory.clock().now_ms();
  client.created_ms = now_ms;
  std::string secret = has_secret(client) ? random_token() : "";
  Entry entry{std::make_shared<const Client>(std::move(client)), std::nullopt};
  if (!secret.empty()) entry.secret = crypto::sha256(as_bytes(secret));
  const Client& made = *entry.client;
  const std::string document = json::serialize(document_of(made));
  const Lock lock(impl_->changing);
  MUHUR_CHECK(impl_->directory.database().write([&](vault::Connection& c) -> Result<void> {
    MUHUR_TRY(auto st, c.prepare("INSERT INTO oidc_clients(id, document, secret_hash, created_ms) "
                                 "VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING"));
    MUHUR_TRY(const auto added, st.bind(made.id, document, view_of(entry.secret), now_ms).run_counted());
    if (added == 0) return fail(Code::exists, "there is a client " + made.id + " already");
    if (also) MUHUR_CHECK(also(c));
    return note(c, now_ms, "client-added", made.id);
  }));
  impl_->put(std::move(entry));
  return secret;
}

Result<void> Clients::update(const Client& client) {
  MUHUR_CHECK(check_client(client));
  const std::int64_t now_ms = impl_->directory.clock().now_ms();
  const Lock lock(impl_->changing);
  Entry entry = impl_->entry(client.id);
  if (!entry.client) return no_such_client(client.id);
  Client changed = client;
  changed.created_ms = entry.client->created_ms;
  if (!has_secret(changed)) entry.secret.reset();
  const std::string document = json::serialize(document_of(changed));
  MUHUR_CHECK(impl_->directory.database().write([&](vault::Connection& c) -> Result<void> {
    MUHUR_CHECK(c.run("UPDATE oidc_clients SET document = ?, secret_hash = ? WHERE id = ?", document,
                      view_of(entry.secret), changed.id));
    return note(c, now_ms, "client-changed", changed.id);
  }));
  entry.client = std::make_shared<const Client>(std::move(changed));
  impl_->put(std::move(entry));
  return {};
}

Result<std::string> Clients::rotate_secret(std::string_view id) {
  const std::int64_t now_ms = impl_->directory.clock().now_ms();
  const Lock lock(impl_->changing);
  Entry entry = impl_->entry(id);
  if (!entry.client) return no_such_client(id);
  if (!has_secret(*entry.client))
    return fail(Code::invalid, "the client " + entry.client->id + " has no secret: it uses " +
                                   std::string(name_of(entry.client->auth)));
  std::string secret = random_token();
  entry.secret = crypto::sha256(as_bytes(secret));
  MUHUR_CHECK(impl_->directory.database().write([&](vault::Connection& c) -> Result<void> {
    MUHUR_CHECK(c.run("UPDATE oidc_clients SET secret_hash = ? WHERE id = ?", *view_of(entry.secret), id));
    return note(c, now_ms, "client-secret-rotated", id);
  }));
  impl_->put(std::move(entry));
  return secret;
}

Result<void> Clients::remove(std::string_view id) {
  const std::int64_t now_ms = impl_->directory.clock().now_ms();
  const Lock lock(impl_->changing);
  if (!impl_->entry(id).client) return no_such_client(id);
  MUHUR_CHECK(impl_->directory.database().write([&](vault::Connection& c) -> Result<void> {
    MUHUR_CHECK(c.run("DELETE FROM oidc_clients WHERE id = ?", id));
    return note(c, now_ms, "client-removed", id);
  }));
  const Lock memory(impl_->mutex);
  if (const auto at = impl_->table.find(id); at != impl_->table.end()) impl_->table.erase(at);
  return {};
}

bool Clients::secret_matches(const Client& client, std::string_view secret) const {
  const auto given = crypto::sha256(as_bytes(secret));
  const SecretHash stored = impl_->entry(client.id).secret;
  const crypto::Digest nobodys{};  // the same work for a client without a secret
  return equal_constant_time(given, stored.value_or(nobodys)) && stored.has_value();
}

}  // namespace muhur::oidc
