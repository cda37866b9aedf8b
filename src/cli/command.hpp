#pragma once
// The command line as a tree of commands. A thin shell around CLI11, which only command.cpp includes.
//
//   auto& add = user.command("add", "Adds a user.");
//   add.positional("ADDRESS", args->address, "The new user's address.");
//   add.run([args] { return add_user(*args); });

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace muhur::cli {

// Exit codes of every command.
inline constexpr int kDone = 0;
inline constexpr int kFailed = 1;
inline constexpr int kUsage = 2;

class Command {
 public:
  ~Command();
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;

  Command& command(const std::string& name, const std::string& description);
  // The same, where this command does something without it too.
  Command& optional_command(const std::string& name, const std::string& description);
  // Below the options: what a manual page would say. Paragraphs are kept as written.
  Command& manual(const std::string& text);

  // The variables must outlive parse(). `name` is "--long" or "-s,--long"; `value` names its argument.
  Command& positional(const std::string& name, std::string& into, const std::string& help,
                      bool required = true);
  Command& positionals(const std::string& name, std::vector<std::string>& into, const std::string& help,
                       bool required = true);
  Command& option(const std::string& name, const std::string& value, std::string& into,
                  const std::string& help, bool required = false);
  Command& option(const std::string& name, const std::string& value, std::int64_t& into,
                  const std::string& help);
  Command& options(const std::string& name, const std::string& value, std::vector<std::string>& into,
                   const std::string& help);
  Command& flag(const std::string& name, bool& into, const std::string& help);
  // What the command does; returns its exit code.
  void run(std::function<int()> action);

  // The root: parses, runs what was named, returns the exit code. Help goes to standard output, wrong usage
  // to standard error.
  static int parse_and_run(int argc, char** argv, const std::string& version,
                           const std::function<void(Command& root)>& describe);

 private:
  struct Impl;
  explicit Command(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// One function a file: each adds its commands to the root.
void describe_init(Command& root);
void describe_serve(Command& root);
void describe_demo(Command& root);
void describe_user(Command& root);
void describe_user_import(Command& user);
void describe_user_app_password(Command& user);
void describe_client(Command& root);
void describe_keys(Command& root);
void describe_deliver(Command& root);
void describe_config(Command& root);
void describe_db(Command& root);
void describe_doctor(Command& root);
void describe_held(Command& root);
void describe_maintain(Command& root);
void describe_stats(Command& root);
void describe_bench(Command& root);
void describe_bench_passwords(Command& bench);
void describe_bench_login(Command& bench);
void describe_worker(Command& root);
void describe_worker_test(Command& worker);

}  // namespace muhur::cli
