#include "http/connection_pool.hpp"

#include <boost/asio/post.hpp>

namespace muhur::http {
namespace {

// Streams are closed where they live, never by another thread.
void let_go(net::StreamPtr stream) {
  auto executor = stream->executor();
  boost::asio::post(executor, [held = std::shared_ptr<net::Stream>(std::move(stream))] { held->close(); });
}

}  // namespace

net::StreamPtr ConnectionPool::take(const std::string& key) {
  std::vector<Waiting> old;
  net::StreamPtr taken;
  {
    const Lock lock(mutex_);
    const auto found = waiting_.find(key);
    if (found == waiting_.end()) return nullptr;
    auto& list = found->second;
    if (std::chrono::steady_clock::now() - list.back().since < keep_) {
      taken = std::move(list.back().stream);
      list.pop_back();
    } else {
      old = std::move(list);  // the last is the youngest
      list.clear();
    }
    if (list.empty()) waiting_.erase(found);
  }
  for (auto& waiting : old) let_go(std::move(waiting.stream));
  return taken;
}

void ConnectionPool::give(const std::string& key, net::StreamPtr stream) {
  {
    const Lock lock(mutex_);
    auto& list = waiting_[key];
    if (list.size() < most_) {
      list.push_back({std::move(stream), std::chrono::steady_clock::now()});
      return;
    }
    if (list.empty()) waiting_.erase(key);
  }
  let_go(std::move(stream));
}

std::size_t ConnectionPool::idle() const {
  const Lock lock(mutex_);
  std::size_t sum = 0;
  for (const auto& [_, list] : waiting_) sum += list.size();
  return sum;
}

}  // namespace muhur::http
