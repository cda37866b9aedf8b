#include "base/priority.hpp"

#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

namespace muhur {
namespace {

// sched_setattr(2)'s argument. glibc 2.36 does not have it, and the kernel's own header clashes with glibc's.
struct SchedAttributes {
  std::uint32_t size;
  std::uint32_t policy;
  std::uint64_t flags;
  std::int32_t nice;
  std::uint32_t priority;
  std::uint64_t runtime, deadline, period;  // nanoseconds; for SCHED_OTHER the runtime is the turn
};
static_assert(sizeof(SchedAttributes) == 48);  // version 0, which every kernel takes

}  // namespace

void lower_thread_priority(int nice) {
  setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), nice);
  // Older kernels take no notice of the turn, or refuse the call: the priority stands.
  const SchedAttributes wanted{.size = sizeof wanted,
                               .policy = SCHED_OTHER,
                               .flags = 0,
                               .nice = nice,
                               .priority = 0,
                               .runtime = static_cast<std::uint64_t>(kLongTurn.count()),
                               .deadline = 0,
                               .period = 0};
  syscall(SYS_sched_setattr, 0, &wanted, 0U);
}

}  // namespace muhur
