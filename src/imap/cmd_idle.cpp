// IDLE (RFC 2177): news as it comes, until DONE. The command waits in its read; the news is written by
// short-lived coroutines on the same strand, so that a resting client costs one read and two timers' worth
// of memory.
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/unicode.hpp"
#include "imap/commands.hpp"

namespace muhur::imap {
namespace {

namespace asio = boost::asio;

constexpr std::size_t kMaxDone = 100;  // of the line that ends an IDLE

// Of the session's strand. Lives until the last of its coroutines and handlers is done, and keeps the session
// for as long; touches it only between start() and the end of stop().
class Newsboy : public std::enable_shared_from_this<Newsboy> {
 public:
  explicit Newsboy(Session& session)
      : kept_(session.shared_from_this()),
        session_(session),
        keep_alive_(session.stream().executor()),
        at_rest_(session.stream().executor()) {}

  void start() {
    listen();
    arm();
  }

  // Nothing new begins.
  void hush() {
    stopped_ = true;
    keep_alive_.cancel();
    session_.watcher().no_wake();
  }

  // After it nothing of this object touches the session any more.
  net::Task<void> stop() {
    hush();
    while (running_) {
      at_rest_.expires_at(asio::steady_timer::time_point::max());
      boost::system::error_code ignored;
      co_await at_rest_.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
    }
  }

 private:
  void listen() {
    session_.watcher().on_news([self = shared_from_this()] { self->kick(); });
  }
  void arm() {
    keep_alive_.expires_after(session_.options().idle_keep_alive);
    keep_alive_.async_wait([self = shared_from_this()](const boost::system::error_code& error) {
      if (error || self->stopped_) return;
      self->say_hello_ = true;
      self->kick();
      self->arm();
    });
  }
  void kick() {
    if (stopped_) return;
    again_ = true;
    if (running_) return;
    running_ = true;
    asio::co_spawn(
        session_.stream().executor(), [self = shared_from_this()] { return self->deliver(); },
        asio::detached);
  }
  net::Task<void> deliver() {
    // Also when memory runs out: whoever stops waits for it.
    struct Running {
      Newsboy& self;
      ~Running() {
        self.running_ = false;
        self.at_rest_.cancel();
      }
    } const running{*this};
    while (again_ && !stopped_) {
      again_ = false;
      if (session_.selected()) {
        listen();  // before looking, so that nothing falls between
        co_await session_.sync(true, false);
      }
      // Nothing was said for a while: finds dead peers, and keeps NATs from forgetting the connection.
      if (std::exchange(say_hello_, false) && session_.out().empty())
        session_.out().append("* OK Still here\r\n");
      if (!co_await session_.flush() || session_.ended()) {
        session_.stream().close();  // wakes the read
        break;
      }
    }
  }

  const std::shared_ptr<Session> kept_;
  Session& session_;
  asio::steady_timer keep_alive_, at_rest_;
  bool running_ = false, stopped_ = false, again_ = false, say_hello_ = false;
};

}  // namespace

Outcome cmd_idle(Session& session, Call& call) {
  if (!call.args.at_end()) co_return bad("IDLE takes no arguments.");
  session.out().append("+ idling\r\n");
  session.reader().next(false);
  session.reader().expect_line(kMaxDone);
  if (!co_await session.flush()) co_return fail(Code::closed, "the client is gone");

  const auto news = std::make_shared<Newsboy>(session);
  // However this command ends, the watcher and the timer let go of the newsboy.
  const struct Hushed {
    Newsboy& news;
    ~Hushed() { news.hush(); }
  } hushed{*news};
  news->start();
  const auto unit = co_await session.next_unit();
  co_await news->stop();
  if (!unit) co_return std::unexpected(unit.error());
  if (*unit != CommandReader::State::command || !equals_ignoring_case(session.reader().text(), "DONE"))
    co_return bad("DONE was expected.");
  co_return ok("Idle completed.");
}

}  // namespace muhur::imap
