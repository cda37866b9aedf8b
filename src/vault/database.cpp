#include "vault/database.hpp"

#include <fmt/format.h>

#include "base/log.hpp"
#include "base/sync.hpp"
#include "vault/backup.hpp"
#include "vault/lock_file.hpp"
#include "vault/readers.hpp"

namespace muhur::vault {
namespace {

// A copy that is there already is whole (vault/backup.hpp) and from before the first try.
Result<void> keep_copy(Connection& connection, const Key& key, std::span<const Migration> migrations) {
  MUHUR_TRY(const int have, schema_version(connection));
  if (have == 0 || have >= static_cast<int>(migrations.size())) return {};
  std::filesystem::path copy = connection.path();
  copy += fmt::format(".before-{}", have + 1);
  std::error_code error;
  if (std::filesystem::exists(copy, error)) return {};
  if (auto made = backup(connection, {.path = copy, .key = &key}); !made) {
    Error why = std::move(made).error();
    why.what = fmt::format("copy {} before its migration: {}", connection.path().string(), why.what);
    return std::unexpected(std::move(why));
  }
  log::info("vault", "copied before a migration", {{"copy", copy.string()}});
  return {};
}

}  // namespace

struct Database::Impl {
  std::filesystem::path path;
  Key key;
  std::shared_ptr<SlowStatements> slow;
  std::unique_ptr<Writer> writer;
  std::unique_ptr<Readers> readers;
  mutable Mutex mutex;
  CheckpointFigures last_checkpoint MUHUR_GUARDED_BY(mutex);

  // The readers go first: the writer's connection is then the last one and checkpoints as it closes.
  ~Impl() {
    readers.reset();
    writer.reset();
  }
};

Database::Database(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Database::~Database() = default;

Result<std::shared_ptr<Database>> Database::open(DatabaseOptions options) {
  auto impl = std::make_unique<Impl>();
  impl->path = std::filesystem::absolute(options.open.path);
  if (options.open.key) impl->key = options.open.key->copy();
  impl->slow = options.open.slow ? options.open.slow : std::make_shared<SlowStatements>();
  std::error_code error;
  if (options.open.mode != OpenMode::create && !std::filesystem::exists(impl->path, error))
    return fail(Code::not_found, fmt::format("cannot open {}: no such file", impl->path.string()),
                "Look at the path, or create the database first");

  OpenOptions opening = options.open;
  opening.path = impl->path;
  opening.key = &impl->key;
  opening.slow = impl->slow;
  MUHUR_TRY(LockFile lock, LockFile::acquire(impl->path));
  MUHUR_TRY(auto connection, Connection::open(opening));
  if (options.copy_before_migrating) MUHUR_CHECK(keep_copy(*connection, impl->key, options.migrations));
  MUHUR_CHECK(migrate(*connection, options.migrations));
  impl->writer = std::make_unique<Writer>(std::move(connection), std::move(lock), options.max_group,
                                          std::move(options.executor), options.metrics_label);
  impl->readers = std::make_unique<Readers>(opening, options.max_readers);
  return std::shared_ptr<Database>(new Database(std::move(impl)));
}

void Database::write_async(Work work, Done done) { impl_->writer->submit(std::move(work), std::move(done)); }
Result<void> Database::write_blocking(Work work) { return impl_->writer->run(std::move(work)); }
Result<void> Database::exclusive(Work f) { return impl_->writer->run_alone(std::move(f)); }

Database::Lease::Lease(Database* owner, std::unique_ptr<Connection> connection)
    : owner_(owner), connection_(std::move(connection)) {}
Database::Lease::Lease(Lease&&) noexcept = default;
Database::Lease::~Lease() {
  if (connection_) owner_->give_back(std::move(connection_));
}

Result<Database::Lease> Database::borrow() {
  MUHUR_TRY(auto connection, impl_->readers->take());
  return Lease(this, std::move(connection));
}
void Database::give_back(std::unique_ptr<Connection> connection) {
  impl_->readers->give_back(std::move(connection));
}
std::size_t Database::close_idle_readers(Millis idle) { return impl_->readers->close_idle(idle); }

Millis Database::longest_read() const { return impl_->readers->longest(); }
Result<void> Database::set_cache_kib(std::int64_t kib) {
  impl_->readers->set_cache_kib(kib);
  return exclusive([kib](Connection& connection) { return connection.set_cache_kib(kib); });
}

WriterFigures Database::figures() const { return impl_->writer->figures(); }
const SlowStatements& Database::slow_statements() const { return *impl_->slow; }
CheckpointFigures Database::last_checkpoint() const {
  const Lock lock(impl_->mutex);
  return impl_->last_checkpoint;
}
void Database::note_checkpoint(const CheckpointFigures& figures) {
  const Lock lock(impl_->mutex);
  impl_->last_checkpoint = figures;
}
const std::filesystem::path& Database::path() const { return impl_->path; }

}  // namespace muhur::vault
