#include "net/session_registry.hpp"

#include <boost/asio/post.hpp>
#include <unordered_map>

#include "base/sync.hpp"

namespace muhur::net {

struct SessionRegistry::State {
  struct Entry {
    boost::asio::any_io_executor executor;
    std::function<void()> stop;
  };
  Mutex mutex;
  bool stopping MUHUR_GUARDED_BY(mutex) = false;
  std::uint64_t next_id MUHUR_GUARDED_BY(mutex) = 0;
  std::unordered_map<std::uint64_t, Entry> entries MUHUR_GUARDED_BY(mutex);
};

SessionRegistry::SessionRegistry() : state_(std::make_shared<State>()) {}

SessionRegistry::Place::~Place() {
  const Lock lock(state_->mutex);
  state_->entries.erase(id_);
}

SessionRegistry::Place SessionRegistry::enter(boost::asio::any_io_executor executor,
                                              std::function<void()> stop) {
  const Lock lock(state_->mutex);
  if (state_->stopping) boost::asio::post(executor, stop);
  const std::uint64_t id = state_->next_id++;
  state_->entries.emplace(id, State::Entry{std::move(executor), std::move(stop)});
  return Place(state_, id);
}

void SessionRegistry::shutdown() {
  const Lock lock(state_->mutex);
  state_->stopping = true;
  for (const auto& [id, entry] : state_->entries) boost::asio::post(entry.executor, entry.stop);
}

}  // namespace muhur::net
