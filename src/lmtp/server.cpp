#include "lmtp/server.hpp"

#include "lmtp/session.hpp"
#include "net/session_registry.hpp"

namespace muhur::lmtp {

struct Server::Impl {
  Impl(mail::PostOffice& o, ServerOptions opts) : office(o), options(std::move(opts)) {}
  mail::PostOffice& office;
  const ServerOptions options;
  net::Budget bodies{options.body_memory};
  net::SessionRegistry sessions;
};

Server::Server(mail::PostOffice& office, ServerOptions options)
    : impl_(std::make_shared<Impl>(office, std::move(options))) {}
Server::~Server() = default;

net::Task<void> Server::serve(net::StreamPtr stream) {
  const auto impl = impl_;  // goes with the last session
  const auto executor = stream->executor();
  const auto session =
      std::make_shared<Session>(impl->office, impl->options, impl->bodies, std::move(stream));
  const auto place = impl->sessions.enter(executor, [weak = std::weak_ptr(session)] {
    if (const auto alive = weak.lock()) alive->stop();
  });
  co_await session->run();
}

void Server::shutdown() { impl_->sessions.shutdown(); }

}  // namespace muhur::lmtp
