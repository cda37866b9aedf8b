#pragma once
// Threads that must never delay anything else.

#include <chrono>

namespace muhur {

// How long such a thread may run at a time, as the scheduler (EEVDF, Linux 6.12) takes it: the longest that it
// knows. Who asks for less at a time takes the processor from it at once when woken, whatever is left of its
// turn. With the usual 1.4 ms each wakeup of a thread or of the kernel's own workers (a flush of the disk)
// waits for the next tick, 4 ms, where all processors compute hashes.
inline constexpr std::chrono::nanoseconds kLongTurn = std::chrono::milliseconds(100);

// The calling thread's from now on: `nice` (1 to 19), and long turns where the kernel knows them. A thread has
// a priority of its own on Linux, and lowering it cannot fail.
void lower_thread_priority(int nice);

}  // namespace muhur
