// The process that has the data open, and the machine it runs on.
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/timex.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "base/clock.hpp"
#include "server/doctor.hpp"
#include "server/operations.hpp"
#include "vault/self_test.hpp"

namespace muhur::server {
namespace {

Check cipher() {
  const auto sound = vault::cipher_self_test();
  return sound ? fine("cipher", "known answers are given") : failure("cipher", sound.error());
}

Check temp_directory(const std::filesystem::path& data) {
  const char* const named = std::getenv("SQLITE_TMPDIR");
  if (!named || !*named)
    return warning("temp directory", "SQLite uses the system's (its files are encrypted there too)",
                   "Start the server by `muhur serve`, which sets it to " + (data / "tmp").string());
  const std::string path = named;
  struct stat info{};
  if (::stat(path.c_str(), &info) != 0 || !S_ISDIR(info.st_mode))
    return failure("temp directory", path + " is no directory",
                   "Make " + (data / "tmp").string() + " anew, mode 0700, and start the server again");
  if (::access(path.c_str(), W_OK | X_OK) != 0)
    return failure("temp directory", path + " cannot be written", "Make it writable for the server's user");
  if (info.st_mode & 0077)
    return warning("temp directory", fmt::format("{} has mode {:04o}", path, info.st_mode & 07777U),
                   "chmod 0700 " + path + " (its files are encrypted; their sizes and times are not)");
  return fine("temp directory", path);
}

Check locked_memory() {
  constexpr rlim_t kEnough = 64UL << 20;
  rlimit limit{};
  if (::getrlimit(RLIMIT_MEMLOCK, &limit) != 0) return warning("locked memory", "its limit is unknown", "");
  const bool unlimited = limit.rlim_cur == RLIM_INFINITY || ::geteuid() == 0;
  const std::string detail = unlimited ? "no limit" : fmt::format("up to {} KiB", limit.rlim_cur / 1024);
  if (unlimited || limit.rlim_cur >= kEnough) return fine("locked memory", detail);
  return warning("locked memory", detail,
                 "Raise LimitMEMLOCK (systemd) or `ulimit -l`: keys that do not fit may reach the swap");
}

Check clock() {
  constexpr std::int64_t kBuilt = 1'767'225'600;  // 2026-01-01
  const std::int64_t now = Clock::system().now_s();
  const std::string shown = format_time(now * 1000);
  if (now < kBuilt)
    return failure("clock", "it is " + shown + " here",
                   "Set the clock: certificates, tokens and dates of mail depend on it");
  timex state{};
  const int kind = ::adjtimex(&state);
  if (kind < 0 || (state.status & STA_UNSYNC) != 0)
    return warning("clock", shown + ", not synchronised by the kernel's account",
                   "Run a time service such as chrony or systemd-timesyncd");
  return fine("clock", shown);
}

}  // namespace

Checks check_process(const std::filesystem::path& data) {
  return {cipher(), temp_directory(data), locked_memory(), clock()};
}

}  // namespace muhur::server
