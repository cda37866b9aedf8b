#include "passwords/balance.hpp"

#include "passwords/bcrypt.hpp"

namespace muhur::passwords {
namespace {

// Less work for each thread, without division.
bool less_loaded(const Place& a, const Place& b) {
  return a.outstanding * b.threads < b.outstanding * a.threads;
}

}  // namespace

std::optional<std::size_t> least_loaded(std::span<const Place> places, std::size_t& turn) {
  std::optional<std::size_t> best;
  // Beginning each time behind the last choice, and keeping the first of equals, is taking turns.
  for (std::size_t i = 0; i < places.size(); ++i) {
    const std::size_t at = (turn + i) % places.size();
    const Place& place = places[at];
    if (!place.usable || place.outstanding >= kMostOutstandingPerThread * place.threads) continue;
    if (!best || less_loaded(place, places[*best])) best = at;
  }
  if (best) turn = *best + 1;
  return best;
}

bool local_is_better(const Place& local, const Place& remote) {
  if (!local.usable || remote.outstanding < kBcryptLanes * remote.threads) return false;
  return less_loaded(local, remote);
}

}  // namespace muhur::passwords
