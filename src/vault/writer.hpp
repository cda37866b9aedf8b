#pragma once
// The one writer of a database: a queue of works and whoever drains it.
//
// Draining. One thread at a time drains: it takes what waits (up to max_group), runs it in one IMMEDIATE
// transaction with a savepoint each, commits once, and then tells each its outcome. That thread is either a
// job of the executor (for submit) or a caller blocked in run(): a blocked caller that sees nobody draining
// drains itself, so that a pool whose every thread is blocked in run() still moves on.
// Order. Works run in the order in which they were handed in.
// Failure. A work that fails or throws is rolled back to its savepoint alone. When SQLite gives up the whole
// transaction inside a work (disk full, I/O error), the works of the group before it are told so too. When
// the COMMIT fails, all are. Either way the next group begins anew.
// Lifetime. close() finishes what was handed in; nothing is ever dropped without its Done being called.
// It may be called from within a Done: the drain that is running then does the closing on its way out.

#include <cstdint>
#include <functional>
#include <memory>

#include "vault/connection.hpp"
#include "vault/lock_file.hpp"

namespace muhur::vault {

struct WriterFigures {
  std::uint64_t works = 0;       // handed in and finished
  std::uint64_t commits = 0;     // transactions that held them
  std::uint64_t failures = 0;    // works that failed
  std::uint64_t busy_waits = 0;  // transactions that waited for another connection's lock
};

class Writer {
 public:
  using Work = std::function<Result<void>(Connection&)>;
  using Done = std::function<void(Result<void>)>;
  using Executor = std::function<void(std::function<void()>)>;

  // `metrics_label`: db="…" of muhur_commits_total.
  Writer(std::unique_ptr<Connection> connection, LockFile lock, std::size_t max_group, Executor executor,
         std::string_view metrics_label = "other");
  ~Writer();  // close()

  void submit(Work work, Done done);
  // Blocks until the commit is durable. Inside a work or a Done of the same writer: internal, at once.
  Result<void> run(Work work);
  // Blocks. Outside any transaction, in its place in the order.
  Result<void> run_alone(Work work);
  void close();
  WriterFigures figures() const;

 private:
  struct Core;
  std::shared_ptr<Core> core_;
};

}  // namespace muhur::vault
