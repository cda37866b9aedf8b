#pragma once
// The server's configuration: a TOML file, then MUHUR_… of the environment over it. Each key is described
// once, in server/config_keys.cpp; docs/configuration.md, `muhur config` and the example file come from
// there.

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "accounts/lockout.hpp"
#include "base/clock.hpp"
#include "base/error.hpp"
#include "crypto/kdf.hpp"
#include "http/proxies.hpp"

namespace muhur::server {

struct Config {
  std::filesystem::path data = ".";
  std::filesystem::path server_key = "server.key";
  std::string host_name;
  std::string log_level = "info";

  std::filesystem::path tls_certificate = "tls/certificate.pem";
  std::filesystem::path tls_key = "tls/key.pem";

  std::vector<std::string> imap_listen{"127.0.0.1:143"};
  std::vector<std::string> imap_listen_tls{"0.0.0.0:993"};
  bool imap_plaintext_login_on_loopback = true;
  Millis imap_login_timeout{60'000};
  Millis imap_idle_timeout{31 * 60'000};
  std::size_t imap_max_command = 64 * 1024;

  std::vector<std::string> lmtp_listen{"unix:run/lmtp.sock"};
  unsigned lmtp_socket_mode = 0660;
  std::size_t lmtp_max_recipients = 1000;
  Millis lmtp_command_timeout{300'000};
  Millis lmtp_data_timeout{600'000};

  std::vector<std::string> http_listen;
  std::vector<std::string> http_listen_tls;
  std::string http_issuer;
  std::vector<std::string> http_hosts;
  std::vector<std::string> trusted_proxies;
  http::ProxyHeader proxy_header = http::ProxyHeader::either;
  std::vector<std::string> metrics_networks;

  std::string branding_name = "Muhur";
  std::string branding_colour;
  std::filesystem::path branding_logo;  // empty: none
  std::string branding_help_url;

  Millis session_idle{8LL * 3'600'000};
  Millis session_absolute{30LL * 86'400'000};
  Millis key_rotation{90LL * 86'400'000};
  bool dynamic_registration = false;
  bool require_dpop_nonce = false;
  accounts::LockoutLimits lockout;

  std::size_t passwords_waiting = 1'000;
  bool upgrade_passwords = true;
  std::vector<std::string> workers;
  std::filesystem::path worker_secret;  // empty: none
  std::filesystem::path worker_ca;      // empty: the system's
  Millis worker_deadline{15'000};
  bool hash_here_too = true;

  std::uint64_t max_message = 50ull << 20;
  std::size_t max_connections = 10'000;
  std::size_t max_connections_per_address = 1'000;

  crypto::Argon2Cost argon2;
  std::size_t password_threads = 2;
  std::size_t storage_threads = 8;
  std::size_t io_threads = 0;  // 0: one a core
  std::size_t idle_mailboxes = 200;
  Millis drain_notice{0};
  Millis drain_timeout{10'000};
  Millis audit_kept{400LL * 86'400'000};

  // What the file and the environment set, by key: for `muhur config show`.
  std::map<std::string, std::string> set_by;
};

using Environment = std::map<std::string, std::string>;
// The MUHUR_… variables of this process.
Environment process_environment();

// Reads, checks, and makes every path absolute: `data` lies relative to the file's directory, every other
// path relative to `data`. Errors name the file, the line, the key, and for an unknown key the nearest one.
Result<Config> load_config(const std::filesystem::path& file, const Environment& environment);
// The same without a file: the built-in values with `data` given.
Result<Config> default_config(const std::filesystem::path& data, const Environment& environment);

// "127.0.0.1:143", "[::1]:143", "localhost:143", "*:993" (all IPv4 addresses), "unix:PATH".
struct ListenAddress {
  std::string host;                 // empty for a Unix socket
  std::uint16_t port = 0;           // 0: any free one
  std::filesystem::path unix_path;  // relative to the data directory, or absolute
};
Result<ListenAddress> parse_listen(std::string_view text);

}  // namespace muhur::server
