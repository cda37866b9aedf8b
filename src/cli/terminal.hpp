#pragma once
// What a person sees and types: prompts without echo, tables, progress, errors.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/secret.hpp"

namespace muhur::cli {

// "muhur: what. remedy" on standard error; returns kFailed.
int report(const Error& error);

bool at_terminal();     // standard input is one
bool shows_progress();  // standard error is one

// Where a password comes from: --password-file (its first line), else a prompt, else one line of standard
// input. Never from the command line, where every process could read it.
struct PasswordSource {
  std::string file;
};
// `again`: a prompt asks twice (for a new password).
Result<Secret> read_password(const PasswordSource& source, const std::string& prompt, bool again);

// Asks yes or no; false without a terminal.
bool confirmed(const std::string& question);

// Columns as wide as their widest cell, by characters; the first row is the head.
std::string table(const std::vector<std::vector<std::string>>& rows);

// A bar on standard error while something takes its time; nothing at all when that is no terminal.
class Progress {
 public:
  Progress(std::string title, std::uint64_t total);
  ~Progress();
  void at(std::uint64_t done);

 private:
  std::string title_;
  std::uint64_t total_;
  int shown_percent_ = -1;
};

// All of standard input, at most `max` bytes (limit beyond).
Result<std::string> read_standard_input(std::uint64_t max);

}  // namespace muhur::cli
