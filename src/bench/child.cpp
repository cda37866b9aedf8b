#include "bench/child.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/json/parse.hpp>
#include <fstream>
#include <sstream>

#include "base/random.hpp"

extern char** environ;

namespace muhur::bench {
namespace {

Result<std::string> first_line(int fd) {
  std::string line;
  char c = 0;
  while (true) {
    const ssize_t got = ::read(fd, &c, 1);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0)
      return fail(Code::closed, "the demonstration server ended before it was ready",
                  "start `muhur demo` by hand to see why");
    if (c == '\n') return line;
    line.push_back(c);
  }
}

}  // namespace

Result<std::unique_ptr<Child>> Child::start_demo(std::vector<std::string> more) {
  auto child = std::unique_ptr<Child>(new Child);
  child->directory_ = std::filesystem::temp_directory_path() / ("muhur-bench-" + random_hex(8));
  std::vector<std::string> arguments{"muhur", "demo", "--json", "--ports", "0", "--data", child->directory_.string()};
  arguments.insert(arguments.end(), more.begin(), more.end());
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);

  int pipe_ends[2];
  if (::pipe2(pipe_ends, O_CLOEXEC) != 0) return fail_errno(errno, "make a pipe");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, pipe_ends[1], STDOUT_FILENO);
  const int rc = posix_spawn(&child->pid_, "/proc/self/exe", &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  ::close(pipe_ends[1]);
  child->output_ = pipe_ends[0];
  if (rc != 0) return fail_errno(rc, "start the demonstration server");

  MUHUR_TRY(const std::string line, first_line(child->output_));
  boost::system::error_code error;
  const boost::json::value value = boost::json::parse(line, error);
  if (error || !value.is_object()) return fail(Code::internal, "the demonstration server said: " + line);
  child->ready_ = value.as_object();
  return child;
}

Child::~Child() {
  if (pid_ > 0) {
    ::kill(pid_, SIGTERM);
    ::waitpid(pid_, nullptr, 0);
  }
  if (output_ >= 0) ::close(output_);
  std::error_code ignored;
  if (!directory_.empty()) std::filesystem::remove_all(directory_, ignored);
}

Result<std::uint64_t> Child::memory() const {
  std::ifstream rollup("/proc/" + std::to_string(pid_) + "/smaps_rollup");
  for (std::string line; std::getline(rollup, line);)
    if (line.starts_with("Pss:")) return std::stoull(line.substr(4)) * 1024;
  return fail(Code::io, "cannot read the server's memory figure from /proc");
}

Result<double> Child::cpu_seconds() const {
  std::ifstream stat("/proc/" + std::to_string(pid_) + "/stat");
  std::string line;
  std::getline(stat, line);
  const std::size_t close = line.rfind(')');
  if (close == line.npos) return fail(Code::io, "cannot read the server's CPU time from /proc");
  std::istringstream rest(line.substr(close + 1));
  std::string field;
  double ticks = 0;
  for (int number = 3; rest >> field && number <= 15; ++number)  // proc(5): 14 utime, 15 stime
    if (number >= 14) ticks += std::stod(field);
  return ticks / static_cast<double>(sysconf(_SC_CLK_TCK));
}

}  // namespace muhur::bench
