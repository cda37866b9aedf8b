#include "server/reload.hpp"

#include "accounts/directory.hpp"
#include "net/tls_context.hpp"
#include "passwords/worker_secret.hpp"
#include "server/config_keys.hpp"
#include "web/layout.hpp"

namespace muhur::server {

Changes compare(const Config& now, const Config& next) {
  Changes changes;
  for (const Key& key : config_keys())
    if (!key.same(now, next)) (key.live ? changes.live : changes.after_restart).push_back(key.name);
  return changes;
}

void copy_live(Config& now, const Config& next) {
  now.log_level = next.log_level;
  now.trusted_proxies = next.trusted_proxies;
  now.proxy_header = next.proxy_header;
  now.max_connections = next.max_connections;
  now.max_connections_per_address = next.max_connections_per_address;
  now.drain_timeout = next.drain_timeout;
  now.audit_kept = next.audit_kept;
}

Result<void> check_files(const Config& config) {
  MUHUR_CHECK(net::TlsContext::from_files(config.tls_certificate, config.tls_key));
  MUHUR_CHECK(accounts::read_server_key(config.server_key));
  if (!config.workers.empty()) {
    if (config.worker_secret.empty())
      return fail(Code::invalid, "passwords.workers is set and passwords.worker_secret is not",
                  "Name the file with the secret that the workers have");
    MUHUR_CHECK(passwords::read_worker_secret(config.worker_secret));
  }
  MUHUR_CHECK(web::Assets::create({.name = config.branding_name,
                                   .colour = config.branding_colour,
                                   .logo = config.branding_logo,
                                   .help_url = config.branding_help_url}));
  return {};
}

}  // namespace muhur::server
