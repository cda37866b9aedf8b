#include "server/config_keys.hpp"

#include <fmt/format.h>

#include "base/log.hpp"
#include "http/server.hpp"

namespace muhur::server {
namespace {

Result<std::string> text_of(const Value& v) {
  if (const auto* s = std::get_if<std::string>(&v)) return *s;
  return fail(Code::invalid, "a text in quotes is expected");
}
Result<bool> flag_of(const Value& v) {
  if (const auto* b = std::get_if<bool>(&v)) return *b;
  return fail(Code::invalid, "true or false is expected");
}
Result<std::int64_t> number_of(const Value& v, std::int64_t low, std::int64_t high) {
  const auto* n = std::get_if<std::int64_t>(&v);
  if (n && *n >= low && *n <= high) return *n;
  return fail(Code::invalid, fmt::format("a whole number from {} to {} is expected", low, high));
}
Result<std::uint64_t> size_of(const Value& v, std::uint64_t low, std::uint64_t high) {
  std::uint64_t size = 0;
  if (const auto* n = std::get_if<std::int64_t>(&v)) {
    if (*n < 0) return fail(Code::invalid, "a size cannot be negative");
    size = static_cast<std::uint64_t>(*n);
  } else {
    MUHUR_TRY(const std::string text, text_of(v));
    MUHUR_TRY(size, parse_size(text));
  }
  if (size < low || size > high)
    return fail(Code::invalid,
                fmt::format("a size from {} to {} is expected", format_size(low), format_size(high)));
  return size;
}
Result<Millis> duration_of(const Value& v, Millis low) {
  MUHUR_TRY(const std::string text, text_of(v));
  MUHUR_TRY(const Millis time, parse_duration(text));
  if (time < low) return fail(Code::invalid, fmt::format("at least {} s is expected", low.count() / 1000));
  return time;
}
Result<std::vector<std::string>> listen_of(const Value& v) {
  const auto* list = std::get_if<std::vector<std::string>>(&v);
  if (!list) return fail(Code::invalid, "a list of addresses in brackets is expected");
  for (const auto& item : *list) MUHUR_CHECK(parse_listen(item));
  return *list;
}
Result<std::vector<std::string>> texts_of(const Value& v) {
  const auto* list = std::get_if<std::vector<std::string>>(&v);
  if (!list) return fail(Code::invalid, "a list of texts in brackets is expected");
  return *list;
}
Result<std::vector<std::string>> networks_of(const Value& v) {
  MUHUR_TRY(auto list, texts_of(v));
  for (const auto& network : list) MUHUR_CHECK(http::check_network(network));
  return list;
}
Result<void> put_path(std::filesystem::path& into, const Value& v) {
  MUHUR_TRY(const std::string text, text_of(v));
  if (text.empty()) return fail(Code::invalid, "a path is expected");
  into = text;
  return {};
}

#define MUHUR_SAME(field) [](const Config& a, const Config& b) { return a.field == b.field; }
// Assigns the field what `expr` gives, or returns its error; and compares it.
#define MUHUR_SET(field, expr)                     \
  [](Config& c, const Value& v) -> Result<void> {  \
    MUHUR_TRY(auto got, expr);                     \
    c.field = static_cast<decltype(c.field)>(got); \
    return {};                                     \
  },                                               \
      MUHUR_SAME(field)
#define MUHUR_SET_PATH(field) \
  [](Config& c, const Value& v) { return put_path(c.field, v); }, MUHUR_SAME(field)

constexpr std::uint64_t kGiB = 1ull << 30;

const Key kKeys[] = {
    {"data", Kind::path, "\".\"", "The data directory. Relative to the directory of this file.",
     MUHUR_SET_PATH(data)},
    {"server_key", Kind::path, "\"server.key\"",
     "The 32 random bytes, mode 0600, that open the server's own databases. Relative to `data`; better kept "
     "on another disk or as a systemd credential (`/run/credentials/muhur.service/server.key`).",
     MUHUR_SET_PATH(server_key)},
    {"host_name", Kind::text, "\"\"",
     "The name this server gives of itself in greetings and in Received lines. Empty: the system's.",
     MUHUR_SET(host_name, text_of(v))},
    {"log.level", Kind::text, "\"info\"", "`trace`, `debug`, `info`, `warn`, `error` or `off`.",
     [](Config& c, const Value& v) -> Result<void> {
       MUHUR_TRY(const std::string level, text_of(v));
       for (const char* known : {"trace", "debug", "info", "warn", "error", "off"})
         if (level == known) {
           c.log_level = level;
           return {};
         }
       return fail(Code::invalid, "one of trace, debug, info, warn, error, off is expected");
     },
     MUHUR_SAME(log_level), true},
    {"tls.certificate", Kind::path, "\"tls/certificate.pem\"",
     "The certificate with its chain, PEM. Relative to `data`. Read again at SIGHUP.",
     MUHUR_SET_PATH(tls_certificate)},
    {"tls.key", Kind::path, "\"tls/key.pem\"",
     "The certificate's private key, PEM, mode 0600. Relative to `data`.", MUHUR_SET_PATH(tls_key)},
    {"imap.listen", Kind::list, "[\"127.0.0.1:143\"]",
     "Where IMAP listens in plain text with STARTTLS: `ADDRESS:PORT`, `[IPV6]:PORT`, `*:PORT` (every IPv4 "
     "address) or `unix:PATH`. Off loopback nobody can log in before STARTTLS. `[]`: nowhere.",
     MUHUR_SET(imap_listen, listen_of(v))},
    {"imap.listen_tls", Kind::list, "[\"0.0.0.0:993\"]",
     "Where IMAP listens with TLS from the first byte (imaps).", MUHUR_SET(imap_listen_tls, listen_of(v))},
    {"imap.plaintext_login_on_loopback", Kind::flag, "true",
     "Whether a client on this machine may log in without TLS.",
     MUHUR_SET(imap_plaintext_login_on_loopback, flag_of(v))},
    {"imap.login_timeout", Kind::duration, "\"60s\"",
     "From the greeting to a login; then the connection is closed.",
     MUHUR_SET(imap_login_timeout, duration_of(v, Millis(1000)))},
    {"imap.idle_timeout", Kind::duration, "\"31m\"",
     "How long a logged-in client may be silent. RFC 3501 asks for at least 30 minutes.",
     MUHUR_SET(imap_idle_timeout, duration_of(v, Millis(1000)))},
    {"imap.max_command", Kind::size, "\"64KiB\"", "The longest command, literals aside.",
     MUHUR_SET(imap_max_command, size_of(v, 8192, kGiB))},
    {"lmtp.listen", Kind::list, "[\"unix:run/lmtp.sock\"]",
     "Where LMTP listens, for the MTA: `unix:PATH` or `ADDRESS:PORT`. LMTP knows no password: never let it "
     "listen where others than the MTA can reach it.",
     MUHUR_SET(lmtp_listen, listen_of(v))},
    {"lmtp.socket_mode", Kind::mode, "\"0660\"", "The mode of LMTP's Unix sockets, octal.",
     [](Config& c, const Value& v) -> Result<void> {
       MUHUR_TRY(const std::string text, text_of(v));
       unsigned mode = 0;
       for (const char d : text) {
         if (d < '0' || d > '7' || text.size() > 4)
           return fail(Code::invalid, "an octal mode such as \"0660\" is expected");
         mode = mode * 8 + static_cast<unsigned>(d - '0');
       }
       if (mode == 0 || mode > 0777) return fail(Code::invalid, "an octal mode such as \"0660\" is expected");
       c.lmtp_socket_mode = mode;
       return {};
     },
     MUHUR_SAME(lmtp_socket_mode)},
    {"lmtp.max_recipients", Kind::number, "1000", "The most recipients of one message.",
     MUHUR_SET(lmtp_max_recipients, number_of(v, 1, 100'000))},
    {"lmtp.command_timeout", Kind::duration, "\"5m\"", "How long the MTA may take for its next command.",
     MUHUR_SET(lmtp_command_timeout, duration_of(v, Millis(1000)))},
    {"lmtp.data_timeout", Kind::duration, "\"10m\"",
     "How long the MTA may take for the next part of a message.",
     MUHUR_SET(lmtp_data_timeout, duration_of(v, Millis(1000)))},
    {"http.listen", Kind::list, "[]",
     "Where the sign-in service (OAuth 2.0, OpenID Connect) listens with plain HTTP: on loopback, behind a "
     "web server that does HTTPS. `[]` here and in `http.listen_tls`: no sign-in service.",
     MUHUR_SET(http_listen, listen_of(v))},
    {"http.listen_tls", Kind::list, "[]", "Where it listens with HTTPS, with the certificate of `[tls]`.",
     MUHUR_SET(http_listen_tls, listen_of(v))},
    {"http.issuer", Kind::text, "\"\"",
     "The address that browsers and clients use, `https://id.example.org`, without a path. Never change it: "
     "clients know the server by it. Empty: the listener's own address on this machine, or `host_name` with "
     "HTTPS.",
     MUHUR_SET(http_issuer, text_of(v))},
    {"http.hosts", Kind::list, "[]",
     "Host names that requests may name, with or without port; others are answered 421. `[]`: any.",
     MUHUR_SET(http_hosts, texts_of(v))},
    {"http.trusted_proxies", Kind::list, "[]",
     "Networks (`10.0.0.0/8`, `::1`, or `unix` for Unix sockets) of web servers that are believed when they "
     "say for whom they speak. Without them every visitor has the proxy's address.",
     MUHUR_SET(trusted_proxies, networks_of(v)), true},
    {"http.proxy_header", Kind::text, "\"auto\"",
     "Where they say it: `x-forwarded-for` (and `X-Forwarded-Proto`), or `forwarded` (RFC 7239); the other "
     "one, which may come from the visitor, counts for nothing. `auto`: `Forwarded` in requests that have "
     "neither of the others.",
     [](Config& c, const Value& v) -> Result<void> {
       static constexpr std::pair<std::string_view, http::ProxyHeader> kHeaders[] = {
           {"auto", http::ProxyHeader::either},
           {"x-forwarded-for", http::ProxyHeader::x_forwarded_for},
           {"forwarded", http::ProxyHeader::forwarded}};
       MUHUR_TRY(const std::string word, text_of(v));
       for (const auto& [name, header] : kHeaders)
         if (word == name) {
           c.proxy_header = header;
           return {};
         }
       return fail(Code::invalid, "auto, x-forwarded-for or forwarded is expected");
     },
     MUHUR_SAME(proxy_header), true},
    {"http.metrics_networks", Kind::list, "[]",
     "Networks that may read `/metrics`, beside this machine. A proxy's visitors count by their own address "
     "only when the proxy is trusted.",
     MUHUR_SET(metrics_networks, networks_of(v))},
    {"branding.name", Kind::text, "\"Muhur\"", "The organisation's or service's name, on every page.",
     MUHUR_SET(branding_name, text_of(v))},
    {"branding.colour", Kind::text, "\"\"",
     "The colour of buttons and links, `#rrggbb`; made readable in light and dark. Empty: ours.",
     MUHUR_SET(branding_colour, text_of(v))},
    {"branding.logo", Kind::text, "\"\"",
     "An image (.svg, .png, .jpg, .webp, at most 256 KiB) for the pages. Relative to `data`. Empty: none.",
     MUHUR_SET(branding_logo, text_of(v))},
    {"branding.help_url", Kind::text, "\"\"", "Where users find help: https or mailto. Empty: no link.",
     MUHUR_SET(branding_help_url, text_of(v))},
    {"sign_in.session_idle", Kind::duration, "\"8h\"", "How long a browser's session lives unused.",
     MUHUR_SET(session_idle, duration_of(v, Millis(60'000)))},
    {"sign_in.session_absolute", Kind::duration, "\"30d\"", "How long a browser's session lives at most.",
     MUHUR_SET(session_absolute, duration_of(v, Millis(60'000)))},
    {"sign_in.key_rotation", Kind::duration, "\"90d\"",
     "How long a key signs tokens. The next one is published a day before it is used.",
     MUHUR_SET(key_rotation, duration_of(v, Millis(7 * 86'400'000)))},
    {"sign_in.dynamic_registration", Kind::flag, "false",
     "Whether clients may register themselves (RFC 7591) with an initial token of `muhur client`.",
     MUHUR_SET(dynamic_registration, flag_of(v))},
    {"sign_in.dpop_nonce", Kind::text, "\"off\"",
     "`required`: the DPoP proofs of every client need a nonce of this server's (RFC 9449 §8, §9). `off`: "
     "only those of clients with `require_dpop_nonce`.",
     [](Config& c, const Value& v) -> Result<void> {
       MUHUR_TRY(const std::string word, text_of(v));
       if (word != "off" && word != "required") return fail(Code::invalid, "off or required is expected");
       c.require_dpop_nonce = word == "required";
       return {};
     },
     MUHUR_SAME(require_dpop_nonce)},
    {"sign_in.free_guesses", Kind::number, "5",
     "Wrong passwords for one account that cost no wait; each further one waits longer, to a minute.",
     MUHUR_SET(lockout.free_per_account, number_of(v, 1, 1000))},
    {"sign_in.free_guesses_per_network", Kind::number, "100",
     "Wrong passwords from one network (an IPv4 address, an IPv6 /64) that cost no wait.",
     MUHUR_SET(lockout.free_per_network, number_of(v, 1, 1'000'000))},
    {"sign_in.count_networks", Kind::flag, "true",
     "Whether wrong passwords count by network too. Off only where all visitors have one address.",
     MUHUR_SET(lockout.count_networks, flag_of(v))},
    {"limits.message", Kind::size, "\"50MiB\"", "The largest message, delivered or appended.",
     MUHUR_SET(max_message, size_of(v, 1 << 20, kGiB))},
    {"limits.connections", Kind::number, "10000", "The most connections of one listener.",
     MUHUR_SET(max_connections, number_of(v, 1, 1'000'000)), true},
    {"limits.connections_per_address", Kind::number, "1000",
     "The most connections of one listener from one address. Loopback is not counted.",
     MUHUR_SET(max_connections_per_address, number_of(v, 1, 1'000'000)), true},
    {"passwords.argon2_memory", Kind::size, "\"19MiB\"",
     "Memory of one Argon2id run. Holds for passwords set from now on; older ones keep their own cost.",
     [](Config& c, const Value& v) -> Result<void> {
       MUHUR_TRY(const std::uint64_t bytes, size_of(v, 8 << 20, 4 * kGiB));
       c.argon2.memory_kib = static_cast<std::uint32_t>(bytes >> 10);
       return {};
     },
     MUHUR_SAME(argon2.memory_kib)},
    {"passwords.argon2_passes", Kind::number, "2", "Passes of one Argon2id run over its memory.",
     MUHUR_SET(argon2.passes, number_of(v, 1, 100))},
    {"passwords.threads", Kind::number, "2", "How many passwords are verified at the same time.",
     MUHUR_SET(password_threads, number_of(v, 1, 256))},
    {"passwords.max_waiting", Kind::number, "1000",
     "How many passwords may wait for a thread; the next one is told to come again (503, UNAVAILABLE).",
     MUHUR_SET(passwords_waiting, number_of(v, 1, 1'000'000))},
    {"passwords.upgrade", Kind::flag, "true",
     "Whether a record of another kind (bcrypt) or cost is made anew with Argon2id when its user signs in.",
     MUHUR_SET(upgrade_passwords, flag_of(v))},
    {"passwords.workers", Kind::list, "[]",
     "Addresses of `muhur worker` that verify passwords for this server: `http://10.0.0.2:7080`.",
     MUHUR_SET(workers, texts_of(v))},
    {"passwords.worker_secret", Kind::text, "\"\"",
     "The file with the secret that server and workers share, mode 0600. Relative to `data`.",
     MUHUR_SET(worker_secret, text_of(v))},
    {"passwords.worker_ca", Kind::text, "\"\"",
     "The authority of https workers' certificates, PEM. Relative to `data`. Empty: the system's.",
     MUHUR_SET(worker_ca, text_of(v))},
    {"passwords.worker_deadline", Kind::duration, "\"15s\"",
     "How long one verification may take, whoever is tried.",
     MUHUR_SET(worker_deadline, duration_of(v, Millis(1000)))},
    {"passwords.local_fallback", Kind::flag, "true",
     "Whether this server hashes too while it has workers. `false`: it does not, even when all are away.",
     MUHUR_SET(hash_here_too, flag_of(v))},
    {"storage.threads", Kind::number, "8", "How many threads read and write databases.",
     MUHUR_SET(storage_threads, number_of(v, 1, 1024))},
    {"storage.idle_mailboxes", Kind::number, "200",
     "How many mailboxes that nobody uses stay open, so that the next login costs less.",
     MUHUR_SET(idle_mailboxes, number_of(v, 0, 100'000))},
    {"audit.kept", Kind::duration, "\"400d\"", "How long it is kept who signed in and who changed what.",
     MUHUR_SET(audit_kept, duration_of(v, Millis(86'400'000))), true},
    {"server.io_threads", Kind::number, "0", "Threads that speak with clients. 0: one a core.",
     MUHUR_SET(io_threads, number_of(v, 0, 1024))},
    {"server.drain_notice", Kind::duration, "\"0s\"",
     "How long a server that was told to stop goes on as before while `/readyz` says 503: as long "
     "as a load balancer takes to see it.",
     MUHUR_SET(drain_notice, duration_of(v, Millis(0)))},
    {"server.drain_timeout", Kind::duration, "\"10s\"",
     "How long a stopping server waits for its connections to end by themselves.",
     MUHUR_SET(drain_timeout, duration_of(v, Millis(0))), true},
};

}  // namespace

std::string_view name_of(Kind kind) {
  switch (kind) {
    case Kind::text:
      return "text";
    case Kind::path:
      return "path";
    case Kind::flag:
      return "true/false";
    case Kind::number:
      return "number";
    case Kind::size:
      return "size";
    case Kind::duration:
      return "duration";
    case Kind::list:
      return "list";
    case Kind::mode:
      return "mode";
  }
  return "text";
}

std::span<const Key> config_keys() { return kKeys; }

const Key* find_key(std::string_view name) {
  for (const Key& key : kKeys)
    if (key.name == name) return &key;
  return nullptr;
}

}  // namespace muhur::server
