#pragma once
// A mutex that clang's thread-safety analysis understands (libstdc++'s is not annotated), its lock and
// a condition variable. -Wthread-safety makes a forgotten lock an error:
//   Mutex mutex_;
//   int n_ MUHUR_GUARDED_BY(mutex_);
//   void f() { const Lock lock(mutex_); ++n_; }

#include <condition_variable>
#include <mutex>

#define MUHUR_TSA(x) __attribute__((x))
#define MUHUR_GUARDED_BY(x) MUHUR_TSA(guarded_by(x))
#define MUHUR_REQUIRES(...) MUHUR_TSA(requires_capability(__VA_ARGS__))
#define MUHUR_EXCLUDES(...) MUHUR_TSA(locks_excluded(__VA_ARGS__))
#define MUHUR_NO_TSA MUHUR_TSA(no_thread_safety_analysis)

namespace muhur {

class MUHUR_TSA(capability("mutex")) Mutex {
 public:
  void lock() MUHUR_TSA(acquire_capability()) { mutex_.lock(); }
  void unlock() MUHUR_TSA(release_capability()) { mutex_.unlock(); }
  bool try_lock() MUHUR_TSA(try_acquire_capability(true)) { return mutex_.try_lock(); }

 private:
  std::mutex mutex_;
};

class MUHUR_TSA(scoped_lockable) Lock {
 public:
  explicit Lock(Mutex& mutex) MUHUR_TSA(acquire_capability(mutex)) : mutex_(mutex) { mutex_.lock(); }
  ~Lock() MUHUR_TSA(release_capability()) {
    if (held_) mutex_.unlock();
  }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
  void unlock() MUHUR_TSA(release_capability()) {
    held_ = false;
    mutex_.unlock();
  }
  void lock() MUHUR_TSA(acquire_capability()) {
    mutex_.lock();
    held_ = true;
  }

 private:
  Mutex& mutex_;
  bool held_ = true;
};

class Condition {
 public:
  // The caller holds `lock`; the predicate runs with it held.
  template <class Predicate>
  void wait(Lock& lock, Predicate predicate) MUHUR_NO_TSA {
    condition_.wait(lock, predicate);
  }
  template <class Duration, class Predicate>
  bool wait_for(Lock& lock, Duration duration, Predicate predicate) MUHUR_NO_TSA {
    return condition_.wait_for(lock, duration, predicate);
  }
  void notify_one() { condition_.notify_one(); }
  void notify_all() { condition_.notify_all(); }

 private:
  std::condition_variable_any condition_;
};

}  // namespace muhur
