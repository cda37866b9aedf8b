#include "vault/serial_thread.hpp"

#include <utility>

namespace muhur::vault {

SerialThread::SerialThread() : state_(std::make_shared<State>()) {}

SerialThread::~SerialThread() {
  {
    const Lock lock(state_->mutex);
    state_->ending = true;
  }
  state_->changed.notify_all();
  if (!thread_.joinable()) return;
  if (thread_.get_id() == std::this_thread::get_id())
    thread_.detach();
  else
    thread_.join();
}

void SerialThread::post(std::function<void()> job) {
  const Lock lock(state_->mutex);
  state_->jobs.push_back(std::move(job));
  if (!thread_.joinable()) thread_ = std::thread([state = state_] { work(state); });
  state_->changed.notify_one();
}

void SerialThread::work(const std::shared_ptr<State>& state) {
  Lock lock(state->mutex);
  while (true) {
    state->changed.wait(lock, [&] MUHUR_NO_TSA { return !state->jobs.empty() || state->ending; });
    if (state->jobs.empty()) return;
    std::function<void()> job = std::move(state->jobs.front());
    state->jobs.pop_front();
    lock.unlock();
    job();
    job = nullptr;  // may end the SerialThread: `state` is our own
    lock.lock();
  }
}

}  // namespace muhur::vault
