#pragma once
// A VFS in the system's place, below the vault's, whose calls can fail one by one and whose disk can lose its
// power. Everything above it, vault and mailbox, runs unchanged. One for the whole process.
//
// Power. What was written but not flushed (xSync) may or may not be on a disk whose power goes. The model
// keeps each file as it was last flushed and what happened to it since; disk_after_power_loss() then drops,
// keeps or tears each of those writes, sector by sector, in any combination. A file is certainly there from
// its first flush on, which flushes the directory too and makes earlier deletions certain, as a flushed
// deletion does. -shm files are memory.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>

#include "base/bytes.hpp"

namespace muhur::vault::testing {

enum class Fault {
  io_error,   // any call: open, read, write, flush, lock, …
  disk_full,  // writes: half of the bytes still go out
};

// The nth call from now (1: the next) that can fail this way does, and if `lasting` all after it.
void begin_faults(Fault fault, std::uint64_t nth, bool lasting);
// How many calls failed.
std::uint64_t end_faults();

using Disk = std::map<std::string, Bytes>;  // by file name without directory

// Forgets what was watched; all that lies in the directory now counts as flushed. `before` is called ahead of
// each write, truncation, flush and deletion.
void watch_power(const std::filesystem::path& directory, std::function<void()> before);
void stop_watching_power();
// What might be found after the power went now. Seed 0: nothing that was not flushed; 1: all of it; others:
// by chance, the same for the same seed.
Disk disk_after_power_loss(std::uint64_t seed);

}  // namespace muhur::vault::testing
