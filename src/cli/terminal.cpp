#include "cli/terminal.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <termios.h>
#include <unistd.h>

#include <cstdio>

#include "cli/command.hpp"

namespace muhur::cli {
namespace {

constexpr std::size_t kMaxLine = 4096;

// Standard input with echo off for as long as it lives.
class Silence {
 public:
  Silence() {
    if (tcgetattr(STDIN_FILENO, &before_) != 0) return;
    termios quiet = before_;
    quiet.c_lflag &= ~static_cast<tcflag_t>(ECHO);
    active_ = tcsetattr(STDIN_FILENO, TCSAFLUSH, &quiet) == 0;
  }
  ~Silence() {
    if (!active_) return;
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &before_);
    std::fputc('\n', stderr);
  }

 private:
  termios before_{};
  bool active_ = false;
};

// One line, unbuffered, so that no copy of a password stays in stdio's buffers.
Result<Secret> read_line(int fd, const std::string& from) {
  Secret line(kMaxLine);
  std::size_t size = 0;
  while (size < kMaxLine) {
    const ssize_t n = read(fd, line.writable().data() + size, 1);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return fail_errno(errno, "read " + from);
    if (n == 0 || line.data()[size] == '\n') {
      if (size > 0 && line.data()[size - 1] == '\r') --size;
      if (size == 0) return fail(Code::invalid, "no password in " + from);
      return line.slice(0, size);
    }
    ++size;
  }
  return fail(Code::limit, "the first line of " + from + " is too long for a password");
}

Result<Secret> prompt_once(const std::string& prompt) {
  std::fprintf(stderr, "%s: ", prompt.c_str());
  std::fflush(stderr);
  const Silence silence;
  return read_line(STDIN_FILENO, "standard input");
}

std::size_t characters(const std::string& text) {
  std::size_t count = 0;
  for (const char c : text) count += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  return count;
}

}  // namespace

int report(const Error& error) {
  std::fprintf(stderr, "muhur: %s\n", error.text().c_str());
  return kFailed;
}

bool at_terminal() { return isatty(STDIN_FILENO) == 1; }
bool shows_progress() { return isatty(STDERR_FILENO) == 1; }

Result<Secret> read_password(const PasswordSource& source, const std::string& prompt, bool again) {
  if (!source.file.empty()) {
    const int fd = open(source.file.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) return fail_errno(errno, "open " + source.file);
    auto line = read_line(fd, source.file);
    close(fd);
    return line;
  }
  if (!at_terminal()) return read_line(STDIN_FILENO, "standard input");
  MUHUR_TRY(Secret first, prompt_once(prompt));
  if (again) {
    MUHUR_TRY(const Secret second, prompt_once("Again"));
    if (!(first == second)) return fail(Code::invalid, "the two passwords differ", "type it again");
  }
  return first;
}

bool confirmed(const std::string& question) {
  if (!at_terminal()) return false;
  std::fprintf(stderr, "%s [y/N] ", question.c_str());
  std::fflush(stderr);
  char answer[16] = {};
  return std::fgets(answer, sizeof answer, stdin) && (answer[0] == 'y' || answer[0] == 'Y');
}

std::string table(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], characters(row[i]));
  }
  std::string out;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i)
      line += row[i] + std::string(widths[i] - characters(row[i]) + 2, ' ');
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + '\n';
  }
  return out;
}

Progress::Progress(std::string title, std::uint64_t total) : title_(std::move(title)), total_(total) {
  at(0);
}

Progress::~Progress() {
  if (shown_percent_ >= 0) std::fputs("\r\033[K", stderr);
}

void Progress::at(std::uint64_t done) {
  constexpr int kWidth = 30;
  if (total_ == 0 || !shows_progress()) return;
  const int percent = static_cast<int>(std::min(done, total_) * 100 / total_);
  if (percent == shown_percent_) return;
  shown_percent_ = percent;
  const int full = percent * kWidth / 100;
  std::fprintf(stderr, "\r%s [%s%s] %d %%", title_.c_str(),
               std::string(static_cast<std::size_t>(full), '#').c_str(),
               std::string(static_cast<std::size_t>(kWidth - full), ' ').c_str(), percent);
  std::fflush(stderr);
}

Result<std::string> read_standard_input(std::uint64_t max) {
  std::string all;
  char buffer[64 * 1024];
  while (true) {
    const ssize_t n = read(STDIN_FILENO, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return fail_errno(errno, "read standard input");
    if (n == 0) return all;
    all.append(buffer, static_cast<std::size_t>(n));
    if (all.size() > max)
      return fail(Code::limit, fmt::format("the message is larger than {} bytes", max), "see limits.message");
  }
}

}  // namespace muhur::cli
