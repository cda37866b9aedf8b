#include "base/secret.hpp"

#include <sodium.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>
#include <vector>

#include "base/log.hpp"
#include "base/sync.hpp"

#if __has_feature(address_sanitizer)
#include <sanitizer/asan_interface.h>
#define MUHUR_POISON(at, size) ASAN_POISON_MEMORY_REGION(at, size)
#define MUHUR_UNPOISON(at, size) ASAN_UNPOISON_MEMORY_REGION(at, size)
#else
#define MUHUR_POISON(at, size) (void)0
#define MUHUR_UNPOISON(at, size) (void)0
#endif

namespace muhur {
namespace {

// Chunks of locked pages, each cut into slots of one size class. Chunks are never returned to the system:
// the most that was ever in use at once stays locked, which is small since secrets are.
class Arena {
 public:
  static constexpr std::size_t kSmallest = 32;
  static constexpr std::size_t kClasses = 6;  // 32 … 1024 bytes; above: sodium_malloc with guard pages
  static constexpr std::size_t kLargest = kSmallest << (kClasses - 1);
  static constexpr std::size_t kChunk = 16 * 1024;

  Byte* take(std::size_t size) {
    if (size > kLargest) return take_large(size);
    Class& of = classes_[class_of(size)];
    Byte* slot = nullptr;
    {
      const Lock lock(of.mutex);
      if (of.free.empty()) add_chunk(of, kSmallest << class_of(size));
      slot = of.free.back();
      of.free.pop_back();
    }
    MUHUR_UNPOISON(slot, kSmallest << class_of(size));
    return slot;
  }

  void give_back(Byte* slot, std::size_t size) noexcept {
    if (size > kLargest) return sodium_free(slot);  // wipes
    const std::size_t whole = kSmallest << class_of(size);
    sodium_memzero(slot, whole);
    MUHUR_POISON(slot, whole);
    Class& of = classes_[class_of(size)];
    const Lock lock(of.mutex);
    of.free.push_back(slot);  // cannot throw: add_chunk reserved room for every slot
  }

  bool all_locked() const { return !unlocked_.load(std::memory_order_relaxed); }

  static Arena& get() {
    static Arena& arena = *new Arena;  // never destroyed: static Secrets go after it would
    return arena;
  }

 private:
  struct Class {
    Mutex mutex;
    std::vector<Byte*> free MUHUR_GUARDED_BY(mutex);
    std::size_t slots MUHUR_GUARDED_BY(mutex) = 0;
  };

  Arena() {
    if (sodium_init() < 0) std::abort();
  }

  static std::size_t class_of(std::size_t size) {
    std::size_t at = 0;
    while ((kSmallest << at) < size) ++at;
    return at;
  }

  void add_chunk(Class& of, std::size_t slot_size) MUHUR_REQUIRES(of.mutex) {
    const std::size_t count = kChunk / slot_size;
    of.free.reserve(of.slots + count);
    void* chunk = ::mmap(nullptr, kChunk, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (chunk == MAP_FAILED) throw std::bad_alloc();
    ::madvise(chunk, kChunk, MADV_DONTDUMP);
    if (::mlock(chunk, kChunk) != 0 && !unlocked_.exchange(true, std::memory_order_relaxed)) {
      log::warn("secrets", "memory for keys cannot be locked against swap; raise RLIMIT_MEMLOCK",
                {{"errno", errno}});
    }
    auto* first = static_cast<Byte*>(chunk);
    for (std::size_t i = count; i-- > 0;) of.free.push_back(first + i * slot_size);
    of.slots += count;
    MUHUR_POISON(chunk, kChunk);
  }

  static Byte* take_large(std::size_t size) {
    void* memory = sodium_malloc(size);  // locks when it can, and fills with a pattern
    if (memory == nullptr) throw std::bad_alloc();
    std::memset(memory, 0, size);
    return static_cast<Byte*>(memory);
  }

  std::array<Class, kClasses> classes_;
  std::atomic<bool> unlocked_{false};
};

}  // namespace

Secret::Secret(std::size_t size) : size_(size) {
  if (size > 0) data_ = Arena::get().take(size);
}

Secret::Secret(ByteView bytes) : Secret(bytes.size()) {
  if (!bytes.empty()) std::memcpy(data_, bytes.data(), bytes.size());
}

Secret Secret::random(std::size_t size) {
  // Straight from the kernel into locked memory: keys do not pass through the generator's buffer.
  Secret secret(size);
  std::size_t have = 0;
  while (have < size) {
    const ssize_t got = ::getrandom(secret.data_ + have, size - have, 0);
    if (got < 0 && errno != EINTR) std::abort();
    if (got > 0) have += static_cast<std::size_t>(got);
  }
  return secret;
}

Secret::Secret(Secret&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

Secret& Secret::operator=(Secret&& other) noexcept {
  if (this != &other) {
    wipe();
    data_ = std::exchange(other.data_, nullptr);
    size_ = std::exchange(other.size_, 0);
  }
  return *this;
}

Secret::~Secret() { wipe(); }

void Secret::wipe() {
  if (data_ != nullptr) Arena::get().give_back(data_, size_);
  data_ = nullptr;
  size_ = 0;
}

bool operator==(const Secret& a, const Secret& b) { return equal_constant_time(a.view(), b.view()); }

void wipe(MutableBytes bytes) { sodium_memzero(bytes.data(), bytes.size()); }

bool equal_constant_time(ByteView a, ByteView b) {
  return a.size() == b.size() && sodium_memcmp(a.data(), b.data(), a.size()) == 0;
}

bool harden_process() {
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
#if !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)
  ::prctl(PR_SET_DUMPABLE, 0);  // also keeps ptrace away, which the sanitizers' own checks need
#endif
  rlimit locked{};
  if (::getrlimit(RLIMIT_MEMLOCK, &locked) == 0 && locked.rlim_cur < locked.rlim_max) {
    locked.rlim_cur = locked.rlim_max;
    ::setrlimit(RLIMIT_MEMLOCK, &locked);
  }
  // One slot of each class now: what fails to lock fails at the start, where a warning is read.
  for (std::size_t size = Arena::kSmallest; size <= Arena::kLargest; size *= 2) const Secret probe(size);
  return Arena::get().all_locked();
}

}  // namespace muhur
