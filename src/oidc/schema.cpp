// directory.db, the part of oidc/, version 1 (counted in oidc_schema_version):
//   oidc_clients         document is the policy as JSON (oidc/client_document.hpp); secret_hash the
//                        SHA-256 of a random secret, NULL for a client without one
//   oidc_signing_keys    private_key is PKCS#8: readable by whoever has server.key, as tokens must be signed
//                        without anybody signed in; a key signs from active_s until its successor's
//   oidc_registrations   the access token (RFC 7592) of a client that registered itself, as SHA-256
//   oidc_initial_tokens  who may register (RFC 7591): SHA-256, and how often still
#include "oidc/schema.hpp"

#include "vault/migration.hpp"

namespace muhur::oidc {
namespace {

constexpr vault::Migration kMigrations[] = {
    {1, "clients, signing keys, registrations", R"sql(
CREATE TABLE oidc_clients(
  id TEXT PRIMARY KEY,
  document TEXT NOT NULL,
  secret_hash BLOB,
  created_ms INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE oidc_signing_keys(
  kid TEXT PRIMARY KEY,
  algorithm TEXT NOT NULL,
  private_key BLOB NOT NULL,
  created_s INTEGER NOT NULL,
  active_s INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE oidc_registrations(
  client_id TEXT PRIMARY KEY REFERENCES oidc_clients(id) ON DELETE CASCADE,
  token_hash BLOB NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE oidc_initial_tokens(
  hash BLOB PRIMARY KEY,
  uses_left INTEGER NOT NULL,
  expires_s INTEGER NOT NULL) STRICT, WITHOUT ROWID;
)sql"},
};

}  // namespace

Result<void> prepare_directory(accounts::Directory& directory) {
  return directory.database().exclusive(
      [](vault::Connection& c) { return vault::migrate(c, kMigrations, "oidc_schema_version"); });
}

}  // namespace muhur::oidc
