#include "vault/recording_vfs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>

#include "vault/vfs.hpp"

namespace muhur::vault::testing {
namespace {

struct State {
  std::mutex mutex;
  std::string marker;
  Recorded seen;
  int watched_kind = 0;
  bool failing = false;
  Op op = Op::write;
  std::uint64_t nth = 0;
  std::uint64_t count = 0;
  int rc = SQLITE_OK;
  bool sticky = false;
};
State& state() {
  static auto* const one = new State;
  return *one;
}

struct Recorder {
  sqlite3_file head;
  int kind;
};
sqlite3_file* base(sqlite3_file* file) {
  return reinterpret_cast<sqlite3_file*>(reinterpret_cast<Recorder*>(file) + 1);
}
int kind_of(sqlite3_file* file) { return reinterpret_cast<Recorder*>(file)->kind; }

int verdict(Op op) {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  if (!s.failing || op != s.op) return SQLITE_OK;
  ++s.count;
  return s.count == s.nth || (s.sticky && s.count > s.nth) ? s.rc : SQLITE_OK;
}

void note(sqlite3_file* file, const char* what, std::int64_t amount, std::int64_t offset) {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  if (kind_of(file) == s.watched_kind) s.seen.calls.push_back(fmt::format("{} {}@{}", what, amount, offset));
}

int on_close(sqlite3_file* f) { return base(f)->pMethods->xClose(base(f)); }
int on_read(sqlite3_file* f, void* out, int n, sqlite3_int64 at) {
  if (const int rc = verdict(Op::read); rc != SQLITE_OK) return rc;
  note(f, "read", n, at);
  return base(f)->pMethods->xRead(base(f), out, n, at);
}
int on_write(sqlite3_file* f, const void* in, int n, sqlite3_int64 at) {
  {
    State& s = state();
    const std::lock_guard lock(s.mutex);
    const std::string_view bytes(static_cast<const char*>(in), static_cast<std::size_t>(n));
    ++s.seen.writes;
    s.seen.bytes += bytes.size();
    ++s.seen.by_kind[kind_of(f)];
    if (!s.marker.empty() && bytes.find(s.marker) != bytes.npos) ++s.seen.leaks;
  }
  note(f, "write", n, at);
  if (const int rc = verdict(Op::write); rc != SQLITE_OK) {
    base(f)->pMethods->xWrite(base(f), in, n / 2, at);
    return rc;
  }
  return base(f)->pMethods->xWrite(base(f), in, n, at);
}
int on_truncate(sqlite3_file* f, sqlite3_int64 size) {
  if (const int rc = verdict(Op::truncate); rc != SQLITE_OK) return rc;
  note(f, "truncate", 0, size);
  return base(f)->pMethods->xTruncate(base(f), size);
}
int on_sync(sqlite3_file* f, int flags) {
  if (const int rc = verdict(Op::sync); rc != SQLITE_OK) return rc;
  note(f, "sync", 0, 0);
  return base(f)->pMethods->xSync(base(f), flags);
}
int on_size(sqlite3_file* f, sqlite3_int64* out) { return base(f)->pMethods->xFileSize(base(f), out); }
int on_lock(sqlite3_file* f, int level) { return base(f)->pMethods->xLock(base(f), level); }
int on_unlock(sqlite3_file* f, int level) { return base(f)->pMethods->xUnlock(base(f), level); }
int on_check(sqlite3_file* f, int* out) { return base(f)->pMethods->xCheckReservedLock(base(f), out); }
int on_control(sqlite3_file* f, int op, void* argument) {
  return base(f)->pMethods->xFileControl(base(f), op, argument);
}
int on_sector(sqlite3_file* f) { return base(f)->pMethods->xSectorSize(base(f)); }
// As a device that could tempt SQLite into patterns a cipher cannot follow.
int on_device(sqlite3_file* f) {
  constexpr int kTempting = SQLITE_IOCAP_ATOMIC | SQLITE_IOCAP_ATOMIC4K | 0x8000;
  return (base(f)->pMethods->xDeviceCharacteristics(base(f)) | kTempting) & ~SQLITE_IOCAP_POWERSAFE_OVERWRITE;
}
int on_shm_map(sqlite3_file* f, int region, int size, int extend, void volatile** out) {
  return base(f)->pMethods->xShmMap(base(f), region, size, extend, out);
}
int on_shm_lock(sqlite3_file* f, int slot, int n, int flags) {
  return base(f)->pMethods->xShmLock(base(f), slot, n, flags);
}
void on_shm_barrier(sqlite3_file* f) { base(f)->pMethods->xShmBarrier(base(f)); }
int on_shm_unmap(sqlite3_file* f, int remove) { return base(f)->pMethods->xShmUnmap(base(f), remove); }

constexpr sqlite3_io_methods kMethods = {
    2,           on_close,       on_read,      on_write,   on_truncate, on_sync,   on_size,
    on_lock,     on_unlock,      on_check,     on_control, on_sector,   on_device, on_shm_map,
    on_shm_lock, on_shm_barrier, on_shm_unmap, nullptr,    nullptr};

int on_open(sqlite3_vfs* vfs, const char* name, sqlite3_file* out, int flags, int* out_flags) {
  auto* const below = static_cast<sqlite3_vfs*>(vfs->pAppData);
  constexpr int kKinds = SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_TEMP_DB | SQLITE_OPEN_TRANSIENT_DB |
                         SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_TEMP_JOURNAL | SQLITE_OPEN_SUBJOURNAL |
                         SQLITE_OPEN_SUPER_JOURNAL | SQLITE_OPEN_WAL;
  reinterpret_cast<Recorder*>(out)->kind = flags & kKinds;
  base(out)->pMethods = nullptr;
  const int rc = below->xOpen(below, name, base(out), flags, out_flags);
  out->pMethods = base(out)->pMethods ? &kMethods : nullptr;
  return rc;
}

void install() {
  (void)register_vfs();  // first: it configures SQLite
  if (sqlite3_vfs_find(kRecordingVfs)) return;
  sqlite3_vfs* const below = sqlite3_vfs_find(nullptr);
  auto* const vfs = new sqlite3_vfs(*below);
  vfs->szOsFile = below->szOsFile + static_cast<int>(sizeof(Recorder));
  vfs->zName = kRecordingVfs;
  vfs->pNext = nullptr;
  vfs->pAppData = below;
  vfs->xOpen = on_open;
  // The other methods of the unix VFS look at their own pAppData for a locking style only in xOpen.
  sqlite3_vfs_register(vfs, 0);
  (void)register_vfs_over(kRecordingVfs, kWatchedVfs);
}

}  // namespace

void start_recording(std::string_view marker) {
  install();
  State& s = state();
  const std::lock_guard lock(s.mutex);
  s.marker = marker;
  s.seen = {};
  s.watched_kind = 0;
  s.failing = false;
}

Recorded recorded() {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  return s.seen;
}

void record_calls_of(int kind) {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  s.watched_kind = kind;
  s.seen.calls.clear();
}

void fail_call(Op op, std::uint64_t nth, int rc, bool sticky) {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  s.failing = true;
  s.op = op;
  s.nth = nth;
  s.count = 0;
  s.rc = rc;
  s.sticky = sticky;
}

void fail_nothing() {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  s.failing = false;
}

std::uint64_t calls_since() {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  return s.count;
}

}  // namespace muhur::vault::testing
