#pragma once
// Hears of changes in one folder for one session: sets a flag, and wakes an IDLE by posting to the
// session's strand. All methods on that strand; the mailbox calls from its own threads.

#include <boost/asio/any_io_executor.hpp>
#include <functional>
#include <memory>

#include "mailbox/changes.hpp"

namespace muhur::imap {

class Watcher {
 public:
  explicit Watcher(boost::asio::any_io_executor executor);

  void watch(mailbox::Changes& changes, mailbox::FolderId folder);  // instead of what it watched
  void forget();

  // Whether something happened since the last call.
  bool take_news();
  void put_back();  // it could not be read: there is still news

  // Calls `wake` once, on the strand, at the next news (or at once if there is some); set again for more.
  void on_news(std::function<void()> wake);
  void no_wake();

 private:
  struct State;
  std::shared_ptr<State> state_;
  mailbox::Changes::Subscription subscription_;
};

}  // namespace muhur::imap
