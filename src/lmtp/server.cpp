#include "lmtp/server.hpp"

#include <unordered_map>

#include "base/sync.hpp"
#include "lmtp/session.hpp"

namespace muhur::lmtp {

struct Server::Impl {
  Impl(mail::PostOffice& o, ServerOptions opts) : office(o), options(std::move(opts)) {}
  mail::PostOffice& office;
  const ServerOptions options;
  Mutex mutex;
  bool stopping MUHUR_GUARDED_BY(mutex) = false;
  std::unordered_map<Session*, std::weak_ptr<Session>> sessions MUHUR_GUARDED_BY(mutex);

  // In the list of sessions as long as it lives.
  class Entry {
   public:
    Entry(std::shared_ptr<Impl> owner, const std::shared_ptr<Session>& session)
        : owner_(std::move(owner)), session_(session.get()) {
      const Lock lock(owner_->mutex);
      owner_->sessions[session_] = session;
      if (owner_->stopping) session->stop();
    }
    Entry(const Entry&) = delete;
    Entry& operator=(const Entry&) = delete;
    ~Entry() {
      const Lock lock(owner_->mutex);
      owner_->sessions.erase(session_);
    }

   private:
    std::shared_ptr<Impl> owner_;
    Session* session_;
  };
};

Server::Server(mail::PostOffice& office, ServerOptions options)
    : impl_(std::make_shared<Impl>(office, std::move(options))) {}
Server::~Server() = default;

net::Task<void> Server::serve(net::StreamPtr stream) {
  const auto impl = impl_;  // goes with the last session
  const auto session = std::make_shared<Session>(impl->office, impl->options, std::move(stream));
  const Impl::Entry entry(impl, session);
  co_await session->run();
}

void Server::shutdown() {
  const Lock lock(impl_->mutex);
  impl_->stopping = true;
  for (const auto& [key, weak] : impl_->sessions)
    if (const auto session = weak.lock()) session->stop();
}

}  // namespace muhur::lmtp
