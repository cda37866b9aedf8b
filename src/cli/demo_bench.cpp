#include "cli/demo_bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "base/random.hpp"
#include "cli/terminal.hpp"
#include "passwords/bcrypt.hpp"

namespace muhur::cli {
namespace {

constexpr std::size_t kInOneCommit = 200;
constexpr std::chrono::milliseconds kLook{50};

std::string address_of(std::int64_t number) { return fmt::format("bench{:04}@example.org", number); }
std::string password_of(std::int64_t number) { return fmt::format("bench-password-{:04}", number); }

// Four at a time, as the password pool does it.
void hash_lanes(std::span<const std::int64_t> numbers, int cost,
                std::span<accounts::Credentials::Imported> into) {
  std::vector<std::string> passwords;
  std::vector<passwords::BcryptRecord> records(numbers.size());
  std::vector<passwords::BcryptJob> jobs;
  for (const auto number : numbers) passwords.push_back(password_of(number));
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    records[i].cost = cost;
    std::ranges::copy(random_bytes(records[i].salt.size()), records[i].salt.begin());
    jobs.push_back({.password = as_bytes(passwords[i]), .salt = &records[i].salt});
  }
  passwords::bcrypt_batch(jobs, cost);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    records[i].hash = jobs[i].hash;
    into[i] = {.address = address_of(numbers[i]),
               .display_name = fmt::format("Bench {}", numbers[i]),
               .record = passwords::to_text(records[i])};
  }
}

std::vector<accounts::Credentials::Imported> hash_all(const std::vector<std::int64_t>& numbers, int cost) {
  std::vector<accounts::Credentials::Imported> made(numbers.size());
  std::atomic<std::size_t> next{0}, done{0};
  const auto work = [&] {
    while (true) {
      const std::size_t from = next.fetch_add(passwords::kBcryptLanes);
      if (from >= numbers.size()) return;
      const std::size_t count = std::min(passwords::kBcryptLanes, numbers.size() - from);
      hash_lanes(std::span(numbers).subspan(from, count), cost, std::span(made).subspan(from, count));
      done += count;
    }
  };
  std::vector<std::jthread> threads;
  for (unsigned i = 0; i < std::max(1u, std::thread::hardware_concurrency()); ++i) threads.emplace_back(work);
  Progress progress("Hashing passwords of bench accounts", numbers.size());
  while (done < numbers.size()) {
    progress.at(done);
    std::this_thread::sleep_for(kLook);
  }
  return made;
}

}  // namespace

Result<void> prepare_bench_accounts(server::App& app, std::int64_t count, std::int64_t cost) {
  std::vector<std::int64_t> missing;
  for (std::int64_t i = 1; i <= count; ++i) {
    const auto user = app.office().users().by_address(address_of(i));
    if (!user && user.error().code != Code::not_found) return std::unexpected(user.error());
    if (!user) missing.push_back(i);
  }
  if (missing.empty()) return {};
  const auto made = hash_all(missing, static_cast<int>(cost));
  for (std::size_t from = 0; from < made.size(); from += kInOneCommit) {
    const auto end = std::min(made.size(), from + kInOneCommit);
    MUHUR_CHECK(app.office().credentials().import_users(
        {made.begin() + static_cast<std::ptrdiff_t>(from), made.begin() + static_cast<std::ptrdiff_t>(end)}));
  }
  return {};
}

boost::json::object describe_bench_accounts(std::int64_t count, std::int64_t cost) {
  return {{"count", count},
          {"first", address_of(1)},
          {"password", "bench-password-NNNN"},
          {"bcrypt_cost", cost},
          {"note", "records are not upgraded at sign-in, guesses are not counted by network"}};
}

}  // namespace muhur::cli
