#include "bench/client.hpp"

#include <fmt/format.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <charconv>

namespace muhur::bench {

Result<Endpoint> parse_endpoint(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  Endpoint endpoint;
  const std::string_view port = colon == text.npos ? std::string_view{} : text.substr(colon + 1);
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), endpoint.port);
  if (error != std::errc() || end != port.data() + port.size() || colon == 0)
    return fail(Code::invalid, fmt::format("\"{}\" is not HOST:PORT", text), "for example 127.0.0.1:10143");
  endpoint.host = text.substr(0, colon);
  return endpoint;
}

Result<Socket> Socket::connect(const Endpoint& endpoint) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const std::string port = std::to_string(endpoint.port);
  if (const int rc = getaddrinfo(endpoint.host.c_str(), port.c_str(), &hints, &found); rc != 0)
    return fail(Code::invalid, fmt::format("{}: {}", endpoint.host, gai_strerror(rc)));
  const int fd = ::socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  Socket socket(fd);
  const int rc = fd < 0 ? -1 : ::connect(fd, found->ai_addr, found->ai_addrlen);
  const int error = errno;
  freeaddrinfo(found);
  if (rc != 0) return fail_errno(error, fmt::format("connect to {}:{}", endpoint.host, endpoint.port));
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return socket;
}

Socket::Socket(Socket&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), buffer_(std::move(other.buffer_)), at_(std::exchange(other.at_, 0)) {}
Socket& Socket::operator=(Socket&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(buffer_, other.buffer_);
  std::swap(at_, other.at_);
  return *this;
}
Socket::~Socket() {
  if (fd_ >= 0) ::close(fd_);
}

Result<void> Socket::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return fail_errno(errno, "send");
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return {};
}

Result<void> Socket::fill() {
  if (at_ == buffer_.size()) {
    buffer_.clear();
    at_ = 0;
  }
  char chunk[64 * 1024];
  ssize_t got = 0;
  do {
    got = ::recv(fd_, chunk, sizeof chunk, 0);
  } while (got < 0 && errno == EINTR);
  if (got < 0) return fail_errno(errno, "receive");
  if (got == 0) return fail(Code::closed, "the server closed the connection");
  buffer_.append(chunk, static_cast<std::size_t>(got));
  return {};
}

Result<std::string> Socket::line() {
  for (std::size_t from = at_;;) {
    const std::size_t end = buffer_.find('\n', from);
    if (end != buffer_.npos) {
      std::string found = buffer_.substr(at_, end - at_);
      if (found.ends_with('\r')) found.pop_back();
      at_ = end + 1;
      return found;
    }
    const std::size_t have = buffer_.size() - at_;
    MUHUR_CHECK(fill());
    from = at_ + (buffer_.size() - at_ >= have ? have : 0);
  }
}

Result<void> Socket::skip(std::size_t size) {
  while (size > 0) {
    if (at_ == buffer_.size()) MUHUR_CHECK(fill());
    const std::size_t part = std::min(size, buffer_.size() - at_);
    at_ += part;
    size -= part;
  }
  return {};
}

Result<ImapClient> ImapClient::connect(const Endpoint& endpoint) {
  MUHUR_TRY(Socket socket, Socket::connect(endpoint));
  ImapClient client(std::move(socket));
  MUHUR_TRY(const std::string greeting, client.socket_.line());
  if (!greeting.starts_with("* OK")) return fail(Code::closed, "the server greeted with: " + greeting);
  return client;
}

Result<std::vector<std::string>> ImapClient::answer(std::string_view tag, std::string_view collect) {
  std::vector<std::string> collected;
  while (true) {
    MUHUR_TRY(std::string line, socket_.line());
    if (line.starts_with(tag) && line.size() > tag.size() && line[tag.size()] == ' ') {
      if (line.substr(tag.size() + 1).starts_with("OK")) return collected;
      return fail(Code::invalid, "the server answered: " + line);
    }
    if (!collect.empty() && line.starts_with(collect)) collected.push_back(line);
    while (line.ends_with('}')) {
      const std::size_t open = line.rfind('{');
      std::size_t size = 0;
      std::from_chars(line.data() + open + 1, line.data() + line.size() - 1, size);
      MUHUR_CHECK(socket_.skip(size));
      literal_bytes_ += size;
      MUHUR_TRY(line, socket_.line());
    }
  }
}

Result<std::vector<std::string>> ImapClient::command(std::string_view text, std::string_view collect) {
  const std::string tag = fmt::format("a{}", ++next_);
  MUHUR_CHECK(socket_.send(fmt::format("{} {}\r\n", tag, text)));
  return answer(tag, collect);
}

Result<void> ImapClient::login(std::string_view user, std::string_view password) {
  MUHUR_CHECK(command(fmt::format("LOGIN \"{}\" \"{}\"", user, password)));
  return {};
}

Result<void> ImapClient::append(std::string_view folder, std::string_view message) {
  const std::string tag = fmt::format("a{}", ++next_);
  MUHUR_CHECK(socket_.send(fmt::format("{} APPEND {} {{{}+}}\r\n{}\r\n", tag, folder, message.size(), message)));
  MUHUR_CHECK(answer(tag, {}));
  return {};
}

Result<void> LmtpClient::expect(char first) {
  while (true) {
    MUHUR_TRY(const std::string line, socket_.line());
    if (line.size() > 3 && line[3] == '-') continue;
    if (!line.empty() && line[0] == first) return {};
    return fail(Code::invalid, "the server answered: " + line);
  }
}

Result<LmtpClient> LmtpClient::connect(const Endpoint& endpoint) {
  MUHUR_TRY(Socket socket, Socket::connect(endpoint));
  LmtpClient client(std::move(socket));
  MUHUR_CHECK(client.expect('2'));
  MUHUR_CHECK(client.socket_.send("LHLO bench.example.org\r\n"));
  MUHUR_CHECK(client.expect('2'));
  return client;
}

Result<void> LmtpClient::deliver(std::string_view to, std::string_view message) {
  // The messages of the load have no line that begins with a dot.
  MUHUR_CHECK(socket_.send(fmt::format("MAIL FROM:<bench@example.org>\r\nRCPT TO:<{}>\r\nDATA\r\n", to)));
  MUHUR_CHECK(expect('2'));
  MUHUR_CHECK(expect('2'));
  MUHUR_CHECK(expect('3'));
  MUHUR_CHECK(socket_.send(fmt::format("{}.\r\n", message)));
  return expect('2');
}

}  // namespace muhur::bench
