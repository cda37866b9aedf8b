#pragma once
// A VFS between the vault's and the system's that sees every byte on its way to the disk: it looks for a
// marker that must never get there, and can fail the Nth call. One for the whole process, reset per test.

#include <sqlite3.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace muhur::vault::testing {

inline constexpr const char* kRecordingVfs = "recording";           // over the system's
inline constexpr const char* kWatchedVfs = "muhur-over-recording";  // the vault's, over it

enum class Op { write, sync, truncate, read };

struct Recorded {
  std::uint64_t writes = 0;
  std::uint64_t bytes = 0;
  std::uint64_t leaks = 0;               // writes in which the marker was found
  std::map<int, std::uint64_t> by_kind;  // SQLITE_OPEN_MAIN_DB, … : writes
  std::vector<std::string> calls;        // "write 24@32": only of the kind asked for in watch_calls()
};

// Registers both VFSs, forgets what was recorded and looks for `marker` from now on.
void start_recording(std::string_view marker);
Recorded recorded();
// Keeps the calls made on files of this kind (SQLITE_OPEN_WAL, …).
void record_calls_of(int kind);

// The `nth` call of that kind from now (1: the next) returns `rc`, and so do all after it if `sticky`.
// A failing write leaves half of its bytes behind.
void fail_call(Op op, std::uint64_t nth, int rc, bool sticky);
void fail_nothing();
// How many calls of that kind were made since fail_call.
std::uint64_t calls_since();

}  // namespace muhur::vault::testing
