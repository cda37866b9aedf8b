#include "imap/server.hpp"

#include "base/log.hpp"
#include "base/metrics.hpp"
#include "imap/session.hpp"
#include "net/session_registry.hpp"

namespace muhur::imap {
namespace {

constexpr std::string_view kShuttingDown = "The server is shutting down: come back in a moment.";

}  // namespace

struct Server::Impl : Shared {
  using Shared::Shared;
  net::SessionRegistry sessions;
};

Server::Server(mail::PostOffice& office, ServerOptions options)
    : impl_(std::make_shared<Impl>(office, std::move(options))) {}
Server::~Server() = default;

net::Task<void> Server::serve(net::StreamPtr stream) {
  static auto& connected = metrics::gauge("muhur_imap_sessions", "IMAP connections");
  struct Counted {
    Counted() { connected.add(1); }
    ~Counted() { connected.add(-1); }
  };
  const auto impl = impl_;  // outlives this Server, if it has to
  const Counted counted;
  const auto session = std::make_shared<Session>(impl, std::move(stream));
  const auto place = impl->sessions.enter(session->stream().executor(), [weak = std::weak_ptr(session)] {
    if (const auto alive = weak.lock()) alive->stop(kShuttingDown);
  });
  try {
    co_await session->run();
  } catch (const std::exception& error) {
    log::error("imap", "session ended by an exception", {{"what", error.what()}});
    session->stream().close();
  }
}

void Server::shutdown() { impl_->sessions.shutdown(); }

}  // namespace muhur::imap
