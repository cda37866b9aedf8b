#include "imap/watcher.hpp"

#include <atomic>
#include <boost/asio/post.hpp>

namespace muhur::imap {

struct Watcher::State {
  explicit State(boost::asio::any_io_executor e) : executor(std::move(e)) {}
  boost::asio::any_io_executor executor;
  std::atomic<bool> news{false};
  std::atomic<bool> wants_wake{false};
  std::function<void()> wake;  // on the strand only

  // The exchange makes one post of many changes.
  static void post_wake(const std::shared_ptr<State>& self) {
    if (!self->wants_wake.exchange(false)) return;
    boost::asio::post(self->executor, [self] {
      const auto wake = self->wake;  // it may set another one
      if (wake) wake();
    });
  }
};

Watcher::Watcher(boost::asio::any_io_executor executor)
    : state_(std::make_shared<State>(std::move(executor))) {}

void Watcher::watch(mailbox::Changes& changes, mailbox::FolderId folder) {
  subscription_ = {};
  state_->news = false;
  subscription_ = changes.listen([state = state_, folder](mailbox::FolderId changed) {
    if (changed != folder) return;
    state->news = true;
    State::post_wake(state);
  });
}

void Watcher::forget() {
  subscription_ = {};
  state_->news = false;
}

bool Watcher::take_news() { return state_->news.exchange(false); }
void Watcher::put_back() { state_->news = true; }

void Watcher::on_news(std::function<void()> wake) {
  state_->wake = std::move(wake);
  state_->wants_wake = true;
  if (state_->news) State::post_wake(state_);
}

void Watcher::no_wake() {
  state_->wants_wake = false;
  state_->wake = nullptr;
}

}  // namespace muhur::imap
