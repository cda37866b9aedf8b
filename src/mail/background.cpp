#include "mail/background.hpp"

#include "base/log.hpp"

namespace muhur::mail {

void Background::post(std::function<void()> job) {
  {
    const Lock lock(mutex_);
    if (ending_) return;
    ++running_;
  }
  pool_.post([this, job = std::move(job)]() mutable {
    try {
      job();
    } catch (const std::exception& error) {
      log::error("mail", "work in the background ended by an exception", {{"error", error.what()}});
    }
    job = nullptr;  // what it held goes before end() may return
    const Lock lock(mutex_);
    --running_;
    idle_.notify_all();
  });
}

void Background::end() {
  Lock lock(mutex_);
  ending_ = true;
  idle_.wait(lock, [&]() MUHUR_REQUIRES(mutex_) { return running_ == 0; });
}

}  // namespace muhur::mail
