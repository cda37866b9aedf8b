#include "vault/fault_vfs.hpp"

#include <sqlite3.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <mutex>
#include <random>
#include <set>
#include <vector>

#include "vault/vfs.hpp"

namespace muhur::vault::testing {
namespace {

constexpr const char* kName = "faulty";
constexpr std::size_t kSector = 512;

// ---- faults

struct Faults {
  std::mutex mutex;
  bool on = false;
  Fault fault = Fault::io_error;
  std::uint64_t nth = 0, count = 0, failed = 0;
  bool lasting = false;
};
Faults& faults() {
  static auto* const one = new Faults;
  return *one;
}

bool fails(bool is_write = false) {
  Faults& f = faults();
  const std::lock_guard lock(f.mutex);
  if (!f.on || (f.fault == Fault::disk_full && !is_write)) return false;
  ++f.count;
  const bool now = f.count == f.nth || (f.lasting && f.count > f.nth);
  if (now) ++f.failed;
  return now;
}

// ---- power

struct Change {
  bool truncates = false;
  std::uint64_t at = 0;  // of a write; of a truncation the new size
  Bytes bytes;
};
struct Watched {
  Bytes flushed;
  bool exists = false;   // certainly
  bool deleted = false;  // perhaps
  std::vector<Change> since;
};
struct Power {
  std::recursive_mutex mutex;
  std::function<void()> before;
  std::map<std::string, Watched> files;
};
Power& power() {
  static auto* const one = new Power;
  return *one;
}

Bytes content_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}
std::string name_of(const std::string& path) { return std::filesystem::path(path).filename(); }

// Runs `note` on the file's record while power is watched.
void on_change(const std::string& path, const std::function<void(Watched&)>& note) {
  if (path.empty()) return;  // a temporary file: gone after a power loss
  Power& p = power();
  const std::lock_guard lock(p.mutex);
  if (!p.before) return;
  p.before();
  note(p.files[name_of(path)]);
}

void apply(Bytes& file, const Change& change, const std::function<bool()>& sector_arrived) {
  if (change.truncates) {
    if (sector_arrived()) file.resize(change.at);
    return;
  }
  for (std::size_t done = 0; done < change.bytes.size();) {
    const std::size_t at = change.at + done;
    const std::size_t now = std::min(change.bytes.size() - done, kSector - at % kSector);
    if (sector_arrived()) {
      if (file.size() < at + now) file.resize(at + now);
      std::copy_n(change.bytes.begin() + static_cast<std::ptrdiff_t>(done), now,
                  file.begin() + static_cast<std::ptrdiff_t>(at));
    }
    done += now;
  }
}

// ---- the files

struct File {
  sqlite3_file head;
  std::string* path;  // empty: temporary
};
sqlite3_file* base(sqlite3_file* file) {
  return reinterpret_cast<sqlite3_file*>(reinterpret_cast<File*>(file) + 1);
}
const std::string& path_of(sqlite3_file* file) { return *reinterpret_cast<File*>(file)->path; }

int on_close(sqlite3_file* f) {
  const int rc = base(f)->pMethods->xClose(base(f));
  delete reinterpret_cast<File*>(f)->path;
  return rc;
}
int on_read(sqlite3_file* f, void* out, int n, sqlite3_int64 at) {
  return fails() ? SQLITE_IOERR_READ : base(f)->pMethods->xRead(base(f), out, n, at);
}
int write_through(sqlite3_file* f, const void* in, int n, sqlite3_int64 at) {
  on_change(path_of(f), [&](Watched& file) {
    const auto* const from = static_cast<const Byte*>(in);
    file.since.push_back({.at = static_cast<std::uint64_t>(at), .bytes = {from, from + n}});
  });
  return base(f)->pMethods->xWrite(base(f), in, n, at);
}
int on_write(sqlite3_file* f, const void* in, int n, sqlite3_int64 at) {
  if (!fails(true)) return write_through(f, in, n, at);
  write_through(f, in, n / 2, at);
  return faults().fault == Fault::disk_full ? SQLITE_FULL : SQLITE_IOERR_WRITE;
}
int on_truncate(sqlite3_file* f, sqlite3_int64 size) {
  if (fails()) return SQLITE_IOERR_TRUNCATE;
  on_change(path_of(f), [&](Watched& file) {
    file.since.push_back({.truncates = true, .at = static_cast<std::uint64_t>(size), .bytes = {}});
  });
  return base(f)->pMethods->xTruncate(base(f), size);
}
// The real disk is left alone: nothing here depends on it, and it takes its time.
int on_sync(sqlite3_file* f, int) {
  if (fails()) return SQLITE_IOERR_FSYNC;
  on_change(path_of(f), [&](Watched& file) {
    for (const Change& change : file.since) apply(file.flushed, change, [] { return true; });
    file.since.clear();
    if (std::exchange(file.exists, true)) return;
    file.deleted = false;
    std::erase_if(power().files, [](const auto& other) { return other.second.deleted; });
  });
  return SQLITE_OK;
}
int on_size(sqlite3_file* f, sqlite3_int64* out) {
  return fails() ? SQLITE_IOERR_FSTAT : base(f)->pMethods->xFileSize(base(f), out);
}
int on_lock(sqlite3_file* f, int level) {
  return fails() ? SQLITE_IOERR_LOCK : base(f)->pMethods->xLock(base(f), level);
}
int on_unlock(sqlite3_file* f, int level) { return base(f)->pMethods->xUnlock(base(f), level); }
int on_check(sqlite3_file* f, int* out) {
  return fails() ? SQLITE_IOERR_CHECKRESERVEDLOCK : base(f)->pMethods->xCheckReservedLock(base(f), out);
}
int on_control(sqlite3_file* f, int op, void* argument) {
  return base(f)->pMethods->xFileControl(base(f), op, argument);
}
int on_sector(sqlite3_file* f) { return base(f)->pMethods->xSectorSize(base(f)); }
int on_device(sqlite3_file* f) { return base(f)->pMethods->xDeviceCharacteristics(base(f)); }
int on_shm_map(sqlite3_file* f, int region, int size, int extend, void volatile** out) {
  return fails() ? SQLITE_IOERR_SHMMAP : base(f)->pMethods->xShmMap(base(f), region, size, extend, out);
}
int on_shm_lock(sqlite3_file* f, int slot, int n, int flags) {
  if ((flags & SQLITE_SHM_LOCK) && fails()) return SQLITE_IOERR_SHMLOCK;
  return base(f)->pMethods->xShmLock(base(f), slot, n, flags);
}
void on_shm_barrier(sqlite3_file* f) { base(f)->pMethods->xShmBarrier(base(f)); }
int on_shm_unmap(sqlite3_file* f, int remove) { return base(f)->pMethods->xShmUnmap(base(f), remove); }

constexpr sqlite3_io_methods kMethods = {
    2,           on_close,       on_read,      on_write,   on_truncate, on_sync,   on_size,
    on_lock,     on_unlock,      on_check,     on_control, on_sector,   on_device, on_shm_map,
    on_shm_lock, on_shm_barrier, on_shm_unmap, nullptr,    nullptr};

sqlite3_vfs* below(sqlite3_vfs* vfs) { return static_cast<sqlite3_vfs*>(vfs->pAppData); }

int on_open(sqlite3_vfs* vfs, const char* name, sqlite3_file* out, int flags, int* out_flags) {
  out->pMethods = nullptr;
  if (fails()) return SQLITE_CANTOPEN;
  base(out)->pMethods = nullptr;
  const bool watched = name && !(flags & SQLITE_OPEN_DELETEONCLOSE);
  if (watched) {
    Power& p = power();
    const std::lock_guard lock(p.mutex);
    const auto at = p.files.find(name_of(name));
    if (at != p.files.end() && at->second.deleted) p.files.erase(at);  // another file of that name
  }
  const int rc = below(vfs)->xOpen(below(vfs), name, base(out), flags, out_flags);
  if (!base(out)->pMethods) return rc;
  reinterpret_cast<File*>(out)->path = new std::string(watched ? name : "");
  out->pMethods = &kMethods;
  return rc;
}
int on_delete(sqlite3_vfs* vfs, const char* name, int flush) {
  if (fails()) return SQLITE_IOERR_DELETE;
  on_change(name, [&](Watched& file) {
    file.deleted = true;
    if (flush) std::erase_if(power().files, [](const auto& other) { return other.second.deleted; });
  });
  return below(vfs)->xDelete(below(vfs), name, 0);
}
int on_access(sqlite3_vfs* vfs, const char* name, int flags, int* out) {
  return fails() ? SQLITE_IOERR_ACCESS : below(vfs)->xAccess(below(vfs), name, flags, out);
}

// Before main(): "muhur" then is the vault's VFS over this one for whoever registers it later.
bool install() {
  (void)register_vfs_over(nullptr, "muhur-without-faults");  // configures SQLite
  sqlite3_vfs* const system = sqlite3_vfs_find(nullptr);
  auto* const vfs = new sqlite3_vfs(*system);
  vfs->szOsFile = system->szOsFile + static_cast<int>(sizeof(File));
  vfs->zName = kName;
  vfs->pNext = nullptr;
  vfs->pAppData = system;
  vfs->xOpen = on_open;
  vfs->xDelete = on_delete;
  vfs->xAccess = on_access;
  sqlite3_vfs_register(vfs, 0);
  return register_vfs_over(kName, kVfsName).has_value();
}
[[maybe_unused]] const bool installed = install();

}  // namespace

void begin_faults(Fault fault, std::uint64_t nth, bool lasting) {
  Faults& f = faults();
  const std::lock_guard lock(f.mutex);
  f.on = true;
  f.fault = fault;
  f.nth = nth;
  f.lasting = lasting;
  f.count = f.failed = 0;
}

std::uint64_t end_faults() {
  Faults& f = faults();
  const std::lock_guard lock(f.mutex);
  f.on = false;
  return f.failed;
}

void watch_power(const std::filesystem::path& directory, std::function<void()> before) {
  Power& p = power();
  const std::lock_guard lock(p.mutex);
  p.files.clear();
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    const std::string path = entry.path();
    if (entry.is_regular_file() && !path.ends_with("-shm") && !path.ends_with("-lock"))
      p.files[name_of(path)] = {.flushed = content_of(path), .exists = true, .since = {}};
  }
  p.before = std::move(before);
}
void stop_watching_power() {
  Power& p = power();
  const std::lock_guard lock(p.mutex);
  p.before = nullptr;
}

Disk disk_after_power_loss(std::uint64_t seed) {
  Power& p = power();
  const std::lock_guard lock(p.mutex);
  std::mt19937_64 random(seed);
  const auto chance = [&] { return seed == 0 ? false : seed == 1 || (random() & 1) != 0; };
  Disk disk;
  for (const auto& [name, file] : p.files) {
    if (!file.exists && !chance()) continue;
    if (file.deleted && chance()) continue;
    Bytes content = file.flushed;
    for (const Change& change : file.since) {
      // Whole, gone, or torn: a third each.
      const std::uint64_t fate = seed < 2 ? seed : random() % 3;
      apply(content, change, [&] { return fate == 1 || (fate == 2 && chance()); });
    }
    disk[name] = std::move(content);
  }
  return disk;
}

}  // namespace muhur::vault::testing
