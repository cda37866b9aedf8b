#pragma once
// Calls back now and then while statements of a connection run: for VACUUM and VACUUM INTO, which tell
// nothing themselves. Private to the vault and its commands.

#include <functional>

#include "vault/connection.hpp"

namespace muhur::vault {

class StepProgress {
 public:
  // `tell` is called on the connection's thread, as long as this object lives; empty: not at all.
  StepProgress(Connection& connection, std::function<void()> tell);
  ~StepProgress();
  StepProgress(const StepProgress&) = delete;
  StepProgress& operator=(const StepProgress&) = delete;

 private:
  Connection& connection_;
  std::function<void()> tell_;
};

}  // namespace muhur::vault
