#include "imap/wire.hpp"

#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <stdexcept>

#include "base/sync.hpp"

namespace muhur::imap::test {

namespace asio = boost::asio;
using Steady = std::chrono::steady_clock;

struct Wire::State {
  State(asio::any_io_executor e, WireOptions o)
      : executor(std::move(e)), options(std::move(o)), moved(executor) {}

  asio::any_io_executor executor;
  const WireOptions options;
  asio::steady_timer moved;  // on the strand: its cancel wakes the server's reads and writes
  Mutex mutex;
  Condition arrived;
  std::string to_server MUHUR_GUARDED_BY(mutex);
  std::string to_test MUHUR_GUARDED_BY(mutex);
  bool test_closed MUHUR_GUARDED_BY(mutex) = false;
  bool server_closed MUHUR_GUARDED_BY(mutex) = false;
  std::chrono::milliseconds time MUHUR_GUARDED_BY(mutex){0};
};

namespace {

void wake(const std::shared_ptr<Wire::State>& state) {
  asio::post(state->executor, [state] { state->moved.cancel(); });
}

class WireStream final : public net::Stream {
 public:
  explicit WireStream(std::shared_ptr<Wire::State> state)
      : state_(std::move(state)), secure_(state_->options.secure) {}
  ~WireStream() override { close(); }

  net::Task<Result<std::size_t>> read_some(MutableBytes into) override {
    while (true) {
      {
        const Lock lock(state_->mutex);
        if (closed_) co_return fail(Code::closed, "closed here");
        if (expired()) co_return fail(Code::timed_out, "deadline");
        if (!state_->to_server.empty()) {
          const std::size_t size = std::min(into.size(), state_->to_server.size());
          std::memcpy(into.data(), state_->to_server.data(), size);
          state_->to_server.erase(0, size);
          co_return size;
        }
        if (state_->test_closed) co_return fail(Code::closed, "closed there");
      }
      co_await wait();
    }
  }

  net::Task<Result<void>> write(ByteView bytes) override {
    while (!bytes.empty()) {
      {
        const Lock lock(state_->mutex);
        if (closed_ || state_->test_closed) co_return fail(Code::closed, "closed");
        if (expired()) co_return fail(Code::timed_out, "deadline");
        const std::size_t room =
            state_->options.capacity - std::min(state_->options.capacity, state_->to_test.size());
        const std::size_t size = std::min(room, bytes.size());
        state_->to_test.append(as_text(bytes.first(size)));
        bytes = bytes.subspan(size);
        state_->arrived.notify_all();
      }
      if (!bytes.empty()) co_await wait();
    }
    co_return Result<void>();
  }

  void expires_after(std::chrono::milliseconds time) override {
    deadline_ = Steady::now() + time;
    state_->moved.cancel();
    const Lock lock(state_->mutex);
    state_->time = time;
    state_->arrived.notify_all();
  }
  net::Task<Result<void>> start_tls(net::TlsContext&) override {
    secure_ = true;
    co_return Result<void>();
  }
  net::Task<void> shutdown() override {
    close();
    co_return;
  }
  void close() override {
    closed_ = true;
    state_->moved.cancel();
    const Lock lock(state_->mutex);
    state_->server_closed = true;
    state_->arrived.notify_all();
  }
  bool secure() const override { return secure_; }
  const net::Peer& peer() const override { return state_->options.peer; }
  asio::any_io_executor executor() override { return state_->executor; }

 private:
  bool expired() const { return deadline_ && Steady::now() >= *deadline_; }
  net::Task<void> wait() {
    state_->moved.expires_at(deadline_.value_or(Steady::time_point::max()));
    boost::system::error_code ignored;
    co_await state_->moved.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
  }

  std::shared_ptr<Wire::State> state_;
  std::optional<Steady::time_point> deadline_;
  bool secure_ = false, closed_ = false;
};

constexpr std::chrono::seconds kPatience{30};

}  // namespace

void Wire::send(std::string_view octets) {
  {
    const Lock lock(state_->mutex);
    state_->to_server.append(octets);
  }
  wake(state_);
}

std::string Wire::line() {
  std::string out;
  {
    Lock lock(state_->mutex);
    const bool came = state_->arrived.wait_for(lock, kPatience, [&]() MUHUR_NO_TSA {
      return state_->to_test.contains('\n') || state_->server_closed;
    });
    if (!came) throw std::runtime_error("no line came, only: " + state_->to_test);
    const std::size_t end = state_->to_test.find('\n');
    out = state_->to_test.substr(0, end == std::string::npos ? end : end + 1);
    state_->to_test.erase(0, out.size());
  }
  wake(state_);
  return out;
}

std::string Wire::octets(std::size_t size) {
  std::string out;
  while (out.size() < size) {
    {
      Lock lock(state_->mutex);
      const bool came = state_->arrived.wait_for(
          lock, kPatience, [&]() MUHUR_NO_TSA { return !state_->to_test.empty() || state_->server_closed; });
      if (!came || state_->to_test.empty()) throw std::runtime_error("octets are missing");
      const std::size_t take = std::min(size - out.size(), state_->to_test.size());
      out.append(state_->to_test, 0, take);
      state_->to_test.erase(0, take);
    }
    wake(state_);
  }
  return out;
}

bool Wire::at_end() {
  Lock lock(state_->mutex);
  const bool came = state_->arrived.wait_for(
      lock, kPatience, [&]() MUHUR_NO_TSA { return !state_->to_test.empty() || state_->server_closed; });
  if (!came) throw std::runtime_error("neither octets nor the end came");
  return state_->to_test.empty();
}

void Wire::until_time_is(std::chrono::milliseconds time) {
  Lock lock(state_->mutex);
  const bool came =
      state_->arrived.wait_for(lock, kPatience, [&]() MUHUR_NO_TSA { return state_->time == time; });
  if (!came) throw std::runtime_error("the time is " + std::to_string(state_->time.count()) + " ms");
}

void Wire::close() {
  {
    const Lock lock(state_->mutex);
    state_->test_closed = true;
  }
  wake(state_);
}

std::pair<net::StreamPtr, std::unique_ptr<Wire>> make_wire(asio::any_io_executor executor,
                                                           WireOptions options) {
  auto state = std::make_shared<Wire::State>(std::move(executor), std::move(options));
  return {std::make_unique<WireStream>(state), std::make_unique<Wire>(state)};
}

}  // namespace muhur::imap::test
