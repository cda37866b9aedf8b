#include "net/listening_socket.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>

namespace muhur::net {
namespace {

class Descriptor {
 public:
  explicit Descriptor(int family) : fd_(::socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }
  int release() { return std::exchange(fd_, -1); }

 private:
  int fd_;
};

std::unexpected<Error> fail_listen(int error, const std::string& where) {
  if (error == EADDRINUSE)
    return fail(Code::io, fmt::format("listen on {}: the address is in use", where),
                "Stop the program that listens there, or choose another address in muhur.toml");
  if (error == EACCES)
    return fail(
        Code::io, fmt::format("listen on {}: permission denied", where),
        "Ports below 1024 need CAP_NET_BIND_SERVICE (deploy/ has a systemd unit), or choose a higher one");
  return fail_errno(error, "listen on " + where);
}

Result<int> listen_tcp(const TcpAddress& address, const std::string& where) {
  sockaddr_storage storage{};
  socklen_t size = 0;
  auto& v4 = reinterpret_cast<sockaddr_in&>(storage);
  auto& v6 = reinterpret_cast<sockaddr_in6&>(storage);
  if (inet_pton(AF_INET, address.host.c_str(), &v4.sin_addr) == 1) {
    v4.sin_family = AF_INET;
    v4.sin_port = htons(address.port);
    size = sizeof v4;
  } else if (inet_pton(AF_INET6, address.host.c_str(), &v6.sin6_addr) == 1) {
    v6.sin6_family = AF_INET6;
    v6.sin6_port = htons(address.port);
    size = sizeof v6;
  } else {
    return fail(Code::invalid, fmt::format("'{}' is no literal address to listen on", address.host),
                "Write it like 127.0.0.1, 0.0.0.0, ::1 or ::");
  }
  Descriptor fd(storage.ss_family);
  if (fd.get() < 0) return fail_listen(errno, where);
  const int on = 1;
  setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (storage.ss_family == AF_INET6) setsockopt(fd.get(), IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
  if (::bind(fd.get(), reinterpret_cast<sockaddr*>(&storage), size) != 0 || ::listen(fd.get(), 1024) != 0)
    return fail_listen(errno, where);
  return fd.release();
}

Result<int> listen_unix(const std::filesystem::path& path, unsigned mode, const std::string& where) {
  sockaddr_un un{};
  un.sun_family = AF_UNIX;
  if (path.native().size() >= sizeof un.sun_path)
    return fail(Code::invalid, fmt::format("{} is too long for the path of a socket", path.native()),
                fmt::format("At most {} bytes", sizeof un.sun_path - 1));
  std::memcpy(un.sun_path, path.c_str(), path.native().size());
  const auto* address = reinterpret_cast<const sockaddr*>(&un);

  struct stat status{};
  if (lstat(path.c_str(), &status) == 0) {
    if (!S_ISSOCK(status.st_mode))
      return fail(Code::io, fmt::format("{} exists and is no socket", path.native()), "Move it away");
    const Descriptor probe(AF_UNIX);
    if (::connect(probe.get(), address, sizeof un) == 0 || errno == EAGAIN)
      return fail_listen(EADDRINUSE, where);
    if (errno == ECONNREFUSED) ::unlink(path.c_str());  // left by a server that is gone
  }
  Descriptor fd(AF_UNIX);
  if (fd.get() < 0) return fail_listen(errno, where);
  // The file comes into being closed to others (its mode is the descriptor's) and is opened up afterwards.
  fchmod(fd.get(), 0600);
  if (::bind(fd.get(), address, sizeof un) != 0 || ::chmod(path.c_str(), mode) != 0 ||
      ::listen(fd.get(), 1024) != 0)
    return fail_listen(errno, where);
  return fd.release();
}

}  // namespace

std::string name_of(const Address& address) {
  if (const auto* path = std::get_if<std::filesystem::path>(&address)) return path->native();
  const auto& tcp = std::get<TcpAddress>(address);
  return tcp.host.contains(':') ? fmt::format("[{}]:{}", tcp.host, tcp.port)
                                : fmt::format("{}:{}", tcp.host, tcp.port);
}

Result<int> listening_socket(const Address& address, unsigned unix_mode) {
  const std::string where = name_of(address);
  if (const auto* path = std::get_if<std::filesystem::path>(&address))
    return listen_unix(*path, unix_mode, where);
  return listen_tcp(std::get<TcpAddress>(address), where);
}

}  // namespace muhur::net
