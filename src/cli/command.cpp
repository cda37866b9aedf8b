#include "cli/command.hpp"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <iostream>

namespace muhur::cli {

struct Command::Impl {
  CLI::App* app = nullptr;
  std::vector<std::unique_ptr<Command>> children;
  std::function<int()> action;
  int* exit_code = nullptr;
};

Command::Command(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Command::~Command() = default;

Command& Command::command(const std::string& name, const std::string& description) {
  auto impl = std::make_unique<Impl>();
  impl->app = impl_->app->add_subcommand(name, description);
  impl->exit_code = impl_->exit_code;
  impl_->app->require_subcommand(1);
  impl_->children.push_back(std::unique_ptr<Command>(new Command(std::move(impl))));
  return *impl_->children.back();
}

Command& Command::optional_command(const std::string& name, const std::string& description) {
  Command& added = command(name, description);
  impl_->app->require_subcommand(0, 1);
  return added;
}

Command& Command::manual(const std::string& text) {
  impl_->app->footer("\n" + text);
  return *this;
}

Command& Command::positional(const std::string& name, std::string& into, const std::string& help,
                             bool required) {
  impl_->app->add_option(name, into, help)->required(required)->type_name("");
  return *this;
}

Command& Command::positionals(const std::string& name, std::vector<std::string>& into,
                              const std::string& help, bool required) {
  impl_->app->add_option(name, into, help)->required(required)->type_name("");
  return *this;
}

Command& Command::option(const std::string& name, const std::string& value, std::string& into,
                         const std::string& help, bool required) {
  impl_->app->add_option(name, into, help)->required(required)->type_name(value);
  return *this;
}

Command& Command::option(const std::string& name, const std::string& value, std::int64_t& into,
                         const std::string& help) {
  impl_->app->add_option(name, into, help)->type_name(value);
  return *this;
}

Command& Command::options(const std::string& name, const std::string& value, std::vector<std::string>& into,
                          const std::string& help) {
  impl_->app->add_option(name, into, help)->type_name(value)->expected(1)->take_all();
  return *this;
}

Command& Command::flag(const std::string& name, bool& into, const std::string& help) {
  impl_->app->add_flag(name, into, help);
  return *this;
}

void Command::run(std::function<int()> action) {
  impl_->action = std::move(action);
  impl_->app->final_callback([impl = impl_.get()] {
    // CLI11 calls the parents of a command that was named as well.
    if (impl->app->get_subcommands().empty()) *impl->exit_code = impl->action();
  });
}

int Command::parse_and_run(int argc, char** argv, const std::string& version,
                           const std::function<void(Command& root)>& describe) {
  CLI::App app("Encrypted mailboxes and single sign-on in one program: IMAP, LMTP, OAuth 2.0 and OpenID Connect.", "muhur");
  app.set_version_flag("--version", version);
  app.set_help_flag("-h,--help", "Shows what the command does and its options.");
  app.get_formatter()->column_width(34);
  int exit_code = kDone;
  auto impl = std::make_unique<Impl>();
  impl->app = &app;
  impl->exit_code = &exit_code;
  Command root(std::move(impl));
  describe(root);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& shown) {
    app.exit(shown);
    return kDone;
  } catch (const CLI::ParseError& wrong) {
    std::cerr << "muhur: " << wrong.what() << "\nSee `muhur --help`, or --help after the command.\n";
    return kUsage;
  }
  return exit_code;
}

}  // namespace muhur::cli
