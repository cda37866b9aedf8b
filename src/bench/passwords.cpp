#include "bench/passwords.hpp"

#include <crypt.h>
#include <fmt/format.h>
#include <sched.h>

#include <chrono>

#include "passwords/verify.hpp"

namespace muhur::bench {
namespace {

constexpr std::string_view kPassword = "correct horse battery";

template <class F>
double seconds_of(F f) {
  const auto began = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
}

// The calling thread on the core where it is, for as long as this lives.
class OneCore {
 public:
  OneCore() {
    if (sched_getaffinity(0, sizeof before_, &before_) != 0) return;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<std::size_t>(sched_getcpu()), &one);
    held_ = sched_setaffinity(0, sizeof one, &one) == 0;
  }
  ~OneCore() {
    if (held_) sched_setaffinity(0, sizeof before_, &before_);
  }

 private:
  cpu_set_t before_{};
  bool held_ = false;
};

struct Figures {
  std::vector<double> crypt, ratio, batch_ms, argon2;
  std::vector<double> lanes[passwords::kBcryptLanes];
};

Result<void> one_round(const passwords::BcryptRecord& record, const passwords::Argon2Record& own,
                       Figures& figures) {
  const std::string setting = to_text(record).substr(0, 29);
  auto data = std::make_unique<crypt_data>();
  std::string crypted;
  const double alone =
      seconds_of([&] { crypted = crypt_r(std::string(kPassword).c_str(), setting.c_str(), data.get()); });
  if (crypted != to_text(record)) return fail(Code::internal, "crypt_r and our lanes do not agree");
  figures.crypt.push_back(1 / alone);

  for (std::size_t n = 1; n <= passwords::kBcryptLanes; ++n) {
    std::vector<passwords::BcryptJob> jobs(n, {.password = as_bytes(kPassword), .salt = &record.salt});
    const double together = seconds_of([&] { bcrypt_batch(jobs, record.cost); });
    for (const auto& job : jobs)
      if (job.hash != record.hash) return fail(Code::internal, "one lane does not agree with another");
    figures.lanes[n - 1].push_back(static_cast<double>(n) / together);
    if (n < passwords::kBcryptLanes) continue;
    figures.batch_ms.push_back(together * 1e3);
    figures.ratio.push_back(static_cast<double>(n) / together * alone);
  }
  const Secret password = Secret::from_text(kPassword);
  figures.argon2.push_back(1 / seconds_of([&] { (void)passwords::derive(password, own.salt, own.cost); }));
  return {};
}

}  // namespace

Result<Report> run_passwords(const PasswordsOptions& options) {
  const OneCore pinned;
  MUHUR_TRY(const auto record, passwords::make_bcrypt(as_bytes(kPassword), options.cost));
  const passwords::Argon2Record own{{}, Bytes(16, 7), {}};
  Figures figures;
  for (std::size_t round = 0; round < options.rounds; ++round) {
    MUHUR_CHECK(one_round(record, own, figures));
    if (options.progress) options.progress(round + 1);
  }
  Report report(fmt::format("Passwords verified on one core (bcrypt cost {})", options.cost));
  report.add({"crypt_r_per_s", "crypt_r", "/s", summarize(figures.crypt)});
  for (std::size_t n = 1; n <= passwords::kBcryptLanes; ++n)
    report.add({fmt::format("lanes_{}_per_s", n), fmt::format("{} of ours at once", n), "/s",
                summarize(figures.lanes[n - 1])});
  report.add({"lanes_4_batch_ms", "4 at once take", "ms", summarize(figures.batch_ms)});
  report.add({"ratio", "4 at once to crypt_r", "x", summarize(figures.ratio)});
  report.add({"argon2id_per_s", "Argon2id, 19 MiB", "/s", summarize(figures.argon2)});
  report.note("Each round runs all of them once, so that a noisy machine is noisy for all.");
  return report;
}

}  // namespace muhur::bench
