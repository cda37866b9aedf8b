// Permissions, certificate, ports: what the configuration names.
#include <fmt/format.h>
#include <netdb.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/clock.hpp"
#include "crypto/certificate_expiry.hpp"
#include "server/doctor.hpp"
#include "server/operations.hpp"

namespace muhur::server {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSilent =
    "See the server's log; a server that was started with other addresses does not answer here either";

Check permissions(std::string name, const fs::path& path, unsigned forbidden, const char* command) {
  struct stat info{};
  if (::stat(path.c_str(), &info) != 0)
    return failure(std::move(name), fmt::format("{}: {}", path.string(), std::strerror(errno)),
                   "Look at the path in the configuration");
  const unsigned mode = info.st_mode & 07777U;
  const std::string detail = fmt::format("{} has mode {:04o}", path.string(), mode);
  if (mode & forbidden) return failure(std::move(name), detail, fmt::format("{} {}", command, path.string()));
  return fine(std::move(name), detail);
}

Check databases(const fs::path& data) {
  for (const auto& directory : {data, data / "mail"}) {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(directory, error)) {
      std::error_code gone;
      if (!entry.is_regular_file(gone) || entry.path().extension() != ".db") continue;
      const auto mode = entry.status(gone).permissions();
      if (!gone && (mode & (fs::perms::group_all | fs::perms::others_all)) != fs::perms::none)
        return warning("databases", entry.path().string() + " can be opened by others than the owner",
                       "chmod 0600 " + entry.path().string() + " (it is encrypted all the same)");
    }
  }
  return fine("databases", "only their owner can open them");
}

Check certificate(const Config& config) {
  constexpr std::int64_t kDay = 86'400, kSoon = 21 * kDay;
  const auto expires = crypto::certificate_expiry(config.tls_certificate);
  if (!expires) return failure("certificate", expires.error());
  const std::int64_t left = *expires - Clock::system().now_s();
  const std::string until = format_time(*expires * 1000);
  const std::string remedy = "Renew it, put it in place, and `systemctl reload muhur` (SIGHUP)";
  if (left <= 0) return failure("certificate", "expired on " + until, remedy);
  if (left < kSoon)
    return warning("certificate", fmt::format("expires in {} days, on {}", left / kDay, until), remedy);
  return fine("certificate", "valid until " + until);
}

// Whether something answers there, and whether we could listen there ourselves.
struct Socket {
  explicit Socket(int family) : fd(::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0)) {}
  ~Socket() {
    if (fd >= 0) ::close(fd);
  }
  int fd;
};

Check unix_socket(std::string name, const fs::path& path, bool serving) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string text = path.string();
  if (text.size() >= sizeof address.sun_path)
    return failure(std::move(name), text + " is too long for a socket", "Choose a shorter path");
  text.copy(address.sun_path, text.size());
  const Socket probe(AF_UNIX);
  const bool answers = ::connect(probe.fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  if (answers == serving) return fine(std::move(name), text + (serving ? " answers" : " is free"));
  if (serving) return warning(std::move(name), text + " does not answer", kSilent);
  return failure(std::move(name), text + " is in use", "Stop the program that listens there");
}

Check port(std::string name, const ListenAddress& where, bool serving) {
  const std::string shown = fmt::format("{} port {}", where.host, where.port);
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | (serving ? 0 : AI_PASSIVE);
  addrinfo* found = nullptr;
  if (::getaddrinfo(where.host.c_str(), std::to_string(where.port).c_str(), &hints, &found) != 0 || !found)
    return failure(std::move(name), shown + " is no address", "Look at the listen addresses");
  const Socket probe(found->ai_family);
  constexpr int kYes = 1;
  ::setsockopt(probe.fd, SOL_SOCKET, SO_REUSEADDR, &kYes, sizeof kYes);
  const int done = serving ? ::connect(probe.fd, found->ai_addr, found->ai_addrlen)
                           : ::bind(probe.fd, found->ai_addr, found->ai_addrlen);
  const int error = done == 0 ? 0 : errno;
  ::freeaddrinfo(found);
  if (error == 0) return fine(std::move(name), shown + (serving ? " answers" : " is free"));
  const std::string detail = fmt::format("{}: {}", shown, std::strerror(error));
  if (serving) return warning(std::move(name), detail, kSilent);
  return failure(std::move(name), detail,
                 error == EACCES ? "Ports below 1024 need CAP_NET_BIND_SERVICE (the systemd unit gives it)"
                                 : "Stop the program that listens there, or choose another address");
}

}  // namespace

Checks check_installation(const Config& config, bool serving) {
  Checks checks{permissions("server.key", config.server_key, 0077, "chmod 0600"),
                permissions("data directory", config.data, 0022, "chmod go-w"), databases(config.data),
                permissions("TLS key", config.tls_key, 0037, "chmod 0600"), certificate(config)};
  const auto add = [&](const char* name, const std::vector<std::string>& listen) {
    for (const std::string& text : listen) {
      const auto where = parse_listen(text);
      if (!where)
        checks.push_back(failure(name, where.error()));
      else if (where->host.empty())
        checks.push_back(unix_socket(name, config.data / where->unix_path, serving));
      else if (where->port != 0)
        checks.push_back(port(name, *where, serving));
    }
  };
  add("imap", config.imap_listen);
  add("imaps", config.imap_listen_tls);
  add("lmtp", config.lmtp_listen);
  return checks;
}

}  // namespace muhur::server
