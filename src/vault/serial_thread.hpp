#pragma once
// One thread that runs jobs in order, started by the first. The object may end on its own thread: the
// thread then finishes what is posted and goes by itself.

#include <deque>
#include <functional>
#include <memory>
#include <thread>

#include "base/sync.hpp"

namespace muhur::vault {

class SerialThread {
 public:
  SerialThread();
  ~SerialThread();  // runs what was posted, then joins
  SerialThread(const SerialThread&) = delete;
  SerialThread& operator=(const SerialThread&) = delete;
  void post(std::function<void()> job);

 private:
  struct State {
    Mutex mutex;
    Condition changed;
    std::deque<std::function<void()>> jobs MUHUR_GUARDED_BY(mutex);
    bool ending MUHUR_GUARDED_BY(mutex) = false;
  };
  static void work(const std::shared_ptr<State>& state);
  std::shared_ptr<State> state_;
  std::thread thread_;
};

}  // namespace muhur::vault
