#include "vault/step_progress.hpp"

#include "vault/sqlite.hpp"

namespace muhur::vault {

StepProgress::StepProgress(Connection& connection, std::function<void()> tell)
    : connection_(connection), tell_(std::move(tell)) {
  constexpr int kInstructions = 20'000;  // of SQLite's machine between two calls
  if (!tell_) return;
  sqlite3_progress_handler(
      connection_.handle(), kInstructions,
      [](void* self) {
        static_cast<StepProgress*>(self)->tell_();
        return 0;
      },
      this);
}

StepProgress::~StepProgress() {
  if (tell_) sqlite3_progress_handler(connection_.handle(), 0, nullptr, nullptr);
}

}  // namespace muhur::vault
