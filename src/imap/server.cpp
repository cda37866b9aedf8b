#include "imap/server.hpp"

#include <boost/asio/post.hpp>
#include <unordered_set>

#include "base/log.hpp"
#include "base/metrics.hpp"
#include "base/sync.hpp"
#include "imap/session.hpp"

namespace muhur::imap {
namespace {

constexpr std::string_view kShuttingDown = "The server is shutting down: come back in a moment.";

}  // namespace

struct Server::Impl {
  Impl(mail::PostOffice& o, ServerOptions opts) : office(o), options(std::move(opts)) {}
  mail::PostOffice& office;
  const ServerOptions options;
  RecentMarks recents;
  Mutex mutex;
  bool stopping MUHUR_GUARDED_BY(mutex) = false;
  struct Live {
    std::weak_ptr<Session> session;
    boost::asio::any_io_executor executor;
  };
  std::unordered_map<Session*, Live> live MUHUR_GUARDED_BY(mutex);

  bool enter(const std::shared_ptr<Session>& session) {
    const Lock lock(mutex);
    live.emplace(session.get(), Live{session, session->stream().executor()});
    return !stopping;
  }
  void leave(Session* session) {
    const Lock lock(mutex);
    live.erase(session);
  }
};

Server::Server(mail::PostOffice& office, ServerOptions options)
    : impl_(std::make_shared<Impl>(office, std::move(options))) {}
Server::~Server() = default;

net::Task<void> Server::serve(net::StreamPtr stream) {
  static auto& connected = metrics::gauge("muhur_imap_sessions", "IMAP connections");
  const auto impl = impl_;  // outlives this Server, if it has to
  const auto session =
      std::make_shared<Session>(impl->office, impl->options, impl->recents, std::move(stream));
  struct Registered {
    Impl& impl;
    Session* session;
    ~Registered() {
      impl.leave(session);
      connected.add(-1);
    }
  };
  connected.add(1);
  if (!impl->enter(session)) session->stop(kShuttingDown);
  const Registered registered{*impl, session.get()};
  try {
    co_await session->run();
  } catch (const std::exception& error) {
    log::error("imap", "session ended by an exception", {{"what", error.what()}});
    session->stream().close();
  }
}

void Server::shutdown() {
  std::vector<Impl::Live> all;
  {
    const Lock lock(impl_->mutex);
    impl_->stopping = true;
    for (const auto& [session, live] : impl_->live) all.push_back(live);
  }
  for (const auto& live : all) {
    boost::asio::post(live.executor, [weak = live.session] {
      if (const auto session = weak.lock()) session->stop(kShuttingDown);
    });
  }
}

}  // namespace muhur::imap
