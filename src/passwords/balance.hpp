#pragma once
// Where the next hash goes. A pure function over what is known.

#include <cstddef>
#include <optional>
#include <span>

namespace muhur::passwords {

struct Place {
  std::size_t outstanding = 0;  // ours there, running and waiting
  std::size_t threads = 1;
  bool usable = false;
};

inline constexpr std::size_t kMostOutstandingPerThread = 64;

// The usable place with the least outstanding work for each of its threads. Equals take turns: `turn` counts
// on. nullopt: none is usable and below kMostOutstandingPerThread.
std::optional<std::size_t> least_loaded(std::span<const Place> places, std::size_t& turn);

// Whether the local pool should take it although `remote` could: every lane there is taken, and fewer jobs
// wait for each local thread.
bool local_is_better(const Place& local, const Place& remote);

}  // namespace muhur::passwords
