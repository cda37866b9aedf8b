// The `muhur` command. Each command is described in a file of its own, cmd_*.cpp.
#include <csignal>
#include <cstdio>
#include <exception>

#include "cli/command.hpp"

int main(int argc, char** argv) {
  using muhur::cli::Command;
  std::signal(SIGPIPE, SIG_IGN);
  try {
    return Command::parse_and_run(argc, argv, "muhur " MUHUR_VERSION, [](Command& root) {
      muhur::cli::describe_demo(root);
      muhur::cli::describe_init(root);
      muhur::cli::describe_serve(root);
      muhur::cli::describe_user(root);
      muhur::cli::describe_client(root);
      muhur::cli::describe_keys(root);
      muhur::cli::describe_deliver(root);
      muhur::cli::describe_config(root);
      muhur::cli::describe_db(root);
      muhur::cli::describe_doctor(root);
      muhur::cli::describe_held(root);
      muhur::cli::describe_maintain(root);
      muhur::cli::describe_stats(root);
      muhur::cli::describe_bench(root);
      muhur::cli::describe_worker(root);
      root.manual(
          "Exit codes: 0 done, 1 failed, 2 wrong usage.\n"
          "`muhur COMMAND --help` tells all about a command. Start with `muhur demo`.");
    });
  } catch (const std::exception& error) {
    std::fprintf(stderr, "muhur: %s\n", error.what());
    return muhur::cli::kFailed;
  }
}
