#include "vault/readers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace muhur::vault {
namespace {

OpenOptions for_readers(OpenOptions options) {
  options.mode = OpenMode::read_write;
  options.query_only = true;
  options.profile.optimize_on_open = false;
  return options;
}

}  // namespace

Readers::Readers(OpenOptions options, std::size_t most)
    : options_(for_readers(std::move(options))), most_(std::max<std::size_t>(most, 1)) {}

Readers::~Readers() = default;

Result<std::unique_ptr<Connection>> Readers::take() {
  MUHUR_TRY(auto connection, begun());
  const Lock lock(mutex_);
  lent_[connection.get()] = std::chrono::steady_clock::now();
  return connection;
}

Result<std::unique_ptr<Connection>> Readers::begun() {
  MUHUR_TRY(auto connection, idle_or_new());
  Result<void> ready = connection->set_cache_kib(cache_kib_);
  if (ready) ready = connection->run("BEGIN");
  if (!ready) {
    give_back(std::move(connection));
    return std::unexpected(std::move(ready).error());
  }
  return connection;
}

Millis Readers::longest() const {
  const auto now = std::chrono::steady_clock::now();
  Millis longest{0};
  const Lock lock(mutex_);
  for (const auto& [connection, since] : lent_)
    longest = std::max(longest, std::chrono::duration_cast<Millis>(now - since));
  return longest;
}

Result<std::unique_ptr<Connection>> Readers::idle_or_new() {
  {
    Lock lock(mutex_);
    const bool got = returned_.wait_for(lock, Millis(options_.profile.busy_timeout_ms),
                                        [&] MUHUR_NO_TSA { return !idle_.empty() || open_ < most_; });
    if (!got)
      return fail(Code::busy, fmt::format("all {} readers of {} are in use", most_, options_.path.string()),
                  "Try again later");
    if (!idle_.empty()) {
      auto connection = std::move(idle_.back().connection);
      idle_.pop_back();
      return connection;
    }
    ++open_;
  }
  auto opened = Connection::open(options_);
  if (!opened) {
    const Lock lock(mutex_);
    --open_;
    returned_.notify_one();
  }
  return opened;
}

void Readers::give_back(std::unique_ptr<Connection> connection) {
  const Connection* const back = connection.get();
  if (connection->in_transaction()) (void)connection->run("ROLLBACK");
  if (connection->in_transaction()) connection.reset();
  const Lock lock(mutex_);
  lent_.erase(back);
  if (connection)
    idle_.push_back({std::move(connection), std::chrono::steady_clock::now()});
  else
    --open_;
  returned_.notify_one();
}

std::size_t Readers::close_idle(Millis idle) {
  const auto limit = std::chrono::steady_clock::now() - idle;
  std::vector<Idle> closing;  // closed without the lock
  const Lock lock(mutex_);
  while (!idle_.empty() && idle_.front().since <= limit) {
    closing.push_back(std::move(idle_.front()));
    idle_.erase(idle_.begin());
  }
  open_ -= closing.size();
  return closing.size();
}

}  // namespace muhur::vault
