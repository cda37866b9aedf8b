#pragma once
// One encrypted database in use: a writer with group commit and readers on WAL snapshots.
//
// Writes: callers hand in work; the writer gathers what waits into one IMMEDIATE transaction, gives each
// work a savepoint of its own, commits once, and only after the commit is durable tells each caller its
// own outcome. A work that fails is rolled back alone. A failed commit fails every work of the group, and
// so does a disk that fills up inside a work (SQLite then gives up the whole transaction). vault/writer.hpp
// says who drains and why write() on every thread of a pool cannot deadlock.
// Reads: a reader connection is borrowed for the call and sees one snapshot.
//
// All methods may be called from any thread. write() and read() block: call them where blocking is
// allowed (net/pools.hpp), or use write_async, or co_await (vault/await.hpp). write() inside a work is
// refused (internal); inside a work use the Connection that it was given, with Savepoint and not
// Transaction.

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>

#include "base/clock.hpp"
#include "vault/connection.hpp"
#include "vault/migration.hpp"
#include "vault/slow_statements.hpp"
#include "vault/writer.hpp"

namespace muhur::vault {

// Where the writer's drain runs: posts a job to a thread that may block. Empty: a thread of its own.
using Executor = std::function<void(std::function<void()>)>;

struct DatabaseOptions {
  OpenOptions open;
  std::span<const Migration> migrations;  // lives as long as the program
  // Whether a file that is about to be migrated is copied first, to FILE.before-N (N: the first version that
  // it did not have). The copy has the same key and stays until somebody removes it.
  bool copy_before_migrating = false;
  std::size_t max_readers = 2;  // opened when needed, closed by close_idle_readers()
  std::size_t max_group = 256;  // works in one commit
  Executor executor;
  std::string_view metrics_label = "other";  // db="…" of its figures; lives as long as the program
};

// What the last checkpoint of vault/maintenance.hpp came to. `at_ms` 0: there was none yet.
struct CheckpointFigures {
  std::int64_t at_ms = 0;
  bool complete = false;     // every frame is in the database
  std::uint64_t frames = 0;  // in the WAL
  std::uint64_t moved = 0;   // of them, in the database
};

class Database {
 public:
  using Work = std::function<Result<void>(Connection&)>;
  using Done = std::function<void(Result<void>)>;

  // Opens or creates, migrates, and holds a lock beside the file so that no second process writes it
  // or second Database writes it (busy names the file). A copy of the key is kept, in locked memory, for
  // readers that are opened later.
  static Result<std::shared_ptr<Database>> open(DatabaseOptions options);
  ~Database();  // finishes what was handed in, checkpoints if it was the last, wipes keys

  // `done` runs on the writer's thread after the commit: keep it short.
  void write_async(Work work, Done done);

  // Runs f(Connection&) -> Result<T> as a write; returns after the commit is durable.
  template <class F>
  auto write(F&& f) -> std::invoke_result_t<F&, Connection&> {
    using R = std::invoke_result_t<F&, Connection&>;
    if constexpr (std::is_void_v<typename R::value_type>) {
      return write_blocking([&](Connection& c) -> Result<void> { return f(c); });
    } else {
      std::optional<typename R::value_type> value;
      MUHUR_CHECK(write_blocking([&](Connection& c) -> Result<void> {
        R got = f(c);
        if (!got) return std::unexpected(std::move(got).error());
        value.emplace(std::move(*got));
        return {};
      }));
      return std::move(*value);
    }
  }

  // Runs f(Connection&) -> Result<T> on a reader inside one read transaction.
  template <class F>
  auto read(F&& f) -> std::invoke_result_t<F&, Connection&> {
    MUHUR_TRY(Lease lease, borrow());
    return f(*lease);
  }

  // A reader to keep for a while (a long FETCH). Its snapshot begins at the first read and ends with it.
  // It must end before its Database does.
  class Lease {
   public:
    Lease(Database* owner, std::unique_ptr<Connection> connection);
    Lease(Lease&&) noexcept;
    Lease& operator=(Lease&&) = delete;
    ~Lease();
    Connection& operator*() const { return *connection_; }
    Connection* operator->() const { return connection_.get(); }

   private:
    Database* owner_;
    std::unique_ptr<Connection> connection_;
  };
  // Waits while all readers are lent; busy after the profile's busy_timeout.
  Result<Lease> borrow();
  // Closes readers that nobody has used for that long. Returns how many.
  std::size_t close_idle_readers(Millis idle);

  // Outside any transaction, alone on the writer's connection (VACUUM, checkpoint, optimize).
  Result<void> exclusive(std::function<Result<void>(Connection&)> f);

  // How long the longest reading that is going on has lasted: its snapshot keeps the WAL from being emptied.
  Millis longest_read() const;
  // The page cache of each connection, in KiB: of readers from when they are next used.
  Result<void> set_cache_kib(std::int64_t kib);

  WriterFigures figures() const;
  const SlowStatements& slow_statements() const;
  CheckpointFigures last_checkpoint() const;
  void note_checkpoint(const CheckpointFigures& figures);
  const std::filesystem::path& path() const;

 private:
  struct Impl;
  explicit Database(std::unique_ptr<Impl> impl);
  Result<void> write_blocking(Work work);
  void give_back(std::unique_ptr<Connection> connection);
  std::unique_ptr<Impl> impl_;
};

}  // namespace muhur::vault
