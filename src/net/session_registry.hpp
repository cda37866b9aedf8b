#pragma once
// The sessions that a protocol server has now, so that it can ask each of them to end. Thread-safe.

#include <boost/asio/any_io_executor.hpp>
#include <functional>
#include <memory>

namespace muhur::net {

class SessionRegistry {
  struct State;

 public:
  // A session's place in the list: as long as the session lives. It may outlive the registry.
  class Place {
   public:
    Place(std::shared_ptr<State> state, std::uint64_t id) : state_(std::move(state)), id_(id) {}
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;
    ~Place();

   private:
    std::shared_ptr<State> state_;
    std::uint64_t id_;
  };

  SessionRegistry();
  // `stop` is posted to `executor` at shutdown(), or now if that was before. It holds the session weakly.
  [[nodiscard]] Place enter(boost::asio::any_io_executor executor, std::function<void()> stop);
  void shutdown();

 private:
  std::shared_ptr<State> state_;
};

}  // namespace muhur::net
