#include "bench/storage_child.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/json/parse.hpp>

extern char** environ;

namespace muhur::bench {
namespace {

constexpr std::size_t kMostOutput = 64 << 10;

std::string read_all(int fd) {
  std::string text;
  char part[4096];
  while (text.size() < kMostOutput) {
    const ssize_t got = ::read(fd, part, sizeof part);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    text.append(part, static_cast<std::size_t>(got));
  }
  return text;
}

}  // namespace

Result<boost::json::object> run_in_child(std::string_view name, const std::filesystem::path& directory) {
  std::vector<std::string> arguments{
      "muhur", "bench", "storage", "--one", std::string(name), "--dir", directory.string(), "--json", "-"};
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return fail_errno(errno, "make a pipe");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  pid_t child = -1;
  const int rc = posix_spawn(&child, "/proc/self/exe", &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  if (rc != 0) {
    ::close(ends[0]);
    return fail_errno(rc, "start a round");
  }
  const std::string output = read_all(ends[0]);
  ::close(ends[0]);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  boost::system::error_code error;
  const boost::json::value value = boost::json::parse(output, error);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || error || !value.is_object())
    return fail(Code::internal, fmt::format("a round of {} failed", name),
                fmt::format("Run `muhur bench storage --one {}` to see why", name));
  return value.as_object();
}

}  // namespace muhur::bench
