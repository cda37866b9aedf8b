#include "net/memory_stream.hpp"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace muhur::net {
namespace {
namespace asio = boost::asio;
using SteadyTime = std::chrono::steady_clock::time_point;

// One direction. `moved` is a timer only in name: its cancel wakes who waits for bytes or for room.
struct Pipe {
  explicit Pipe(const asio::any_io_executor& executor) : moved(executor) {}
  std::deque<Byte> bytes;
  bool ended = false;
  asio::steady_timer moved;
};

class MemoryStream final : public Stream {
 public:
  MemoryStream(asio::any_io_executor executor, std::shared_ptr<Pipe> in, std::shared_ptr<Pipe> out,
               MemoryOptions options)
      : executor_(std::move(executor)),
        in_(std::move(in)),
        out_(std::move(out)),
        options_(std::move(options)) {}
  ~MemoryStream() override { close(); }

  Task<Result<std::size_t>> read_some(MutableBytes into) override {
    while (true) {
      MUHUR_CO_CHECK(usable());
      if (!in_->bytes.empty()) break;
      if (in_->ended) co_return fail(Code::closed, "the peer closed the connection");
      co_await wait(*in_);
    }
    const std::size_t size = std::min({into.size(), in_->bytes.size(), options_.max_read});
    std::copy_n(in_->bytes.begin(), size, into.begin());
    in_->bytes.erase(in_->bytes.begin(), in_->bytes.begin() + static_cast<std::ptrdiff_t>(size));
    in_->moved.cancel();
    co_return size;
  }

  Task<Result<void>> write(ByteView bytes) override {
    while (!bytes.empty()) {
      MUHUR_CO_CHECK(usable());
      if (out_->ended) co_return fail(Code::closed, "the peer closed the connection");
      const std::size_t size =
          std::min(bytes.size(), options_.capacity - std::min(options_.capacity, out_->bytes.size()));
      if (size == 0) {
        co_await wait(*out_);
        continue;
      }
      out_->bytes.insert(out_->bytes.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
      bytes = bytes.subspan(size);
      out_->moved.cancel();
    }
    co_return Result<void>();
  }

  void expires_after(std::chrono::milliseconds time) override {
    if (time > std::chrono::hours(24))
      deadline_.reset();
    else
      deadline_ = std::chrono::steady_clock::now() + time;
    in_->moved.cancel();
    out_->moved.cancel();
  }
  Task<Result<void>> start_tls(TlsContext&) override {
    secure_ = true;
    co_return Result<void>();
  }
  Task<void> shutdown() override {
    close();
    co_return;
  }
  void close() override {
    closed_ = true;
    for (Pipe* pipe : {in_.get(), out_.get()}) {
      pipe->ended = true;
      pipe->moved.cancel();
    }
  }
  bool secure() const override { return secure_; }
  const Peer& peer() const override { return options_.peer; }
  asio::any_io_executor executor() override { return executor_; }

 private:
  Result<void> usable() const {
    if (closed_) return fail(Code::closed, "the connection is closed");
    if (deadline_ && std::chrono::steady_clock::now() >= *deadline_)
      return fail(Code::timed_out, "the peer took too long");
    return {};
  }
  Task<void> wait(Pipe& pipe) {
    boost::system::error_code ignored;
    pipe.moved.expires_at(deadline_.value_or(SteadyTime::max()));
    co_await pipe.moved.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
  }

  asio::any_io_executor executor_;
  std::shared_ptr<Pipe> in_, out_;
  MemoryOptions options_;
  std::optional<SteadyTime> deadline_;
  bool closed_ = false, secure_ = false;
};

}  // namespace

std::pair<StreamPtr, StreamPtr> memory_stream_pair(asio::any_io_executor executor, MemoryOptions options) {
  auto there = std::make_shared<Pipe>(executor);
  auto back = std::make_shared<Pipe>(executor);
  MemoryOptions near = options;
  near.peer = {"192.0.2.1", 24, false};
  return {std::make_unique<MemoryStream>(executor, back, there, near),
          std::make_unique<MemoryStream>(executor, there, back, options)};
}

}  // namespace muhur::net
