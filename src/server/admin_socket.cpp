#include "server/admin_socket.hpp"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "base/log.hpp"
#include "net/line_reader.hpp"
#include "server/operations.hpp"

namespace muhur::server {
namespace json = boost::json;
namespace {

constexpr std::size_t kMaxRequest = 256 * 1024;
constexpr std::chrono::seconds kTimeout{120};

void wipe_text(std::string& text) { muhur::wipe({reinterpret_cast<Byte*>(text.data()), text.size()}); }

Result<json::object> parse_object(std::string_view line) {
  boost::system::error_code error;
  json::parse_options limits;
  limits.max_depth = 8;
  json::value value = json::parse(line, error, {}, limits);
  if (error || !value.is_object()) return fail(Code::invalid, "the line is not a JSON object");
  return std::move(value.get_object());
}

struct Socket {
  int fd = -1;
  ~Socket() {
    if (fd >= 0) close(fd);
  }
};

Result<void> send_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return fail_errno(errno, "write to the running server");
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return {};
}

}  // namespace

std::filesystem::path admin_socket_path(const std::filesystem::path& data) { return data / "run/admin.sock"; }

net::Task<void> serve_admin(mail::PostOffice& office, net::StreamPtr stream, oidc::Provider* provider) {
  stream->expires_after(kTimeout);
  net::LineReader reader(*stream);
  json::object reply;
  auto line = co_await reader.line(kMaxRequest);
  if (!line) co_return;
  auto request = parse_object(*line);
  wipe_text(*line);
  if (!request) {
    reply = error_reply(request.error());
  } else {
    const auto* size = request->if_contains("size");
    const std::int64_t wanted = size && size->is_int64() ? size->get_int64() : 0;
    auto body = std::make_shared<std::string>();
    if (wanted < 0 || static_cast<std::uint64_t>(wanted) > office.options().max_message) {
      reply =
          error_reply({Code::limit, "the message is larger than this server takes", "see limits.message"});
    } else {
      if (wanted > 0) {
        const auto got = co_await reader.exactly(static_cast<std::size_t>(wanted), *body);
        if (!got) co_return;
      }
      reply = co_await run_operation(office, std::move(*request), std::move(body), provider);
    }
  }
  std::string text = json::serialize(reply) + '\n';
  wipe(reply);
  stream->expires_after(kTimeout);
  const auto written = co_await stream->write(as_bytes(text));
  wipe_text(text);
  if (!written) log::debug("admin", "the client went away");
  co_await stream->shutdown();
}

Result<json::object> ask_server(const std::filesystem::path& data, json::object request,
                                std::string_view body) {
  const auto path = admin_socket_path(data).string();
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path)
    return fail(Code::invalid, fmt::format("the path {} is too long for a socket", path),
                "use a data directory with a shorter path");
  path.copy(address.sun_path, path.size());
  const Socket connection{socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  if (connection.fd < 0) return fail_errno(errno, "make a socket");
  if (connect(connection.fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    if (errno == ENOENT || errno == ECONNREFUSED || errno == ENOTDIR)
      return fail(Code::not_found, fmt::format("no server listens at {}", path));
    return fail_errno(errno, "connect to " + path);
  }
  if (!body.empty()) request["size"] = body.size();
  std::string text = json::serialize(request) + '\n';
  wipe(request);
  const auto sent = send_all(connection.fd, text);
  wipe_text(text);
  MUHUR_CHECK(sent);
  // A refusal may come before the whole body was taken.
  const auto body_sent = send_all(connection.fd, body);
  std::string answer;
  char buffer[16 * 1024];
  while (true) {
    const ssize_t n = recv(connection.fd, buffer, sizeof buffer, 0);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    answer.append(buffer, static_cast<std::size_t>(n));
  }
  if (answer.empty()) {
    MUHUR_CHECK(body_sent);
    return fail(Code::closed, "the running server closed the connection without an answer", "see its log");
  }
  auto reply = parse_object(answer);
  wipe_text(answer);
  return reply;
}

}  // namespace muhur::server
