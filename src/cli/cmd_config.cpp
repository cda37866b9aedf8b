// muhur config: what can be set, and what is.
#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <cstdio>

#include "cli/mail_system.hpp"
#include "cli/terminal.hpp"
#include "server/config_keys.hpp"
#include "server/reload.hpp"

namespace muhur::cli {
namespace {

struct Args {
  Where where;
  bool json = false, markdown = false;
};

int keys(const Args& args) {
  if (args.markdown) {
    std::printf("%s", server::keys_as_markdown().c_str());
    return kDone;
  }
  boost::json::array list;
  for (const auto& key : server::config_keys()) {
    const auto variable = server::environment_name(key.name);
    if (args.json)
      list.push_back({{"key", key.name},
                      {"kind", server::name_of(key.kind)},
                      {"built_in", key.built_in},
                      {"environment", variable},
                      {"meaning", key.doc}});
    else
      std::printf("%s = %s\n    %s\n    [%s]\n", std::string(key.name).c_str(),
                  std::string(key.built_in).c_str(), std::string(key.doc).c_str(), variable.c_str());
  }
  if (args.json) std::printf("%s\n", boost::json::serialize(list).c_str());
  return kDone;
}

int check(const Args& args) {
  const auto config = args.where.load();
  if (!config) return report(config.error());
  if (const auto files = server::check_files(*config); !files) return report(files.error());
  if (args.json) {
    boost::json::object set_by;
    for (const auto& [key, where] : config->set_by) set_by[key] = where;
    std::printf("%s\n",
                boost::json::serialize(
                    boost::json::object{{"ok", true}, {"data", config->data.string()}, {"set", set_by}})
                    .c_str());
    return kDone;
  }
  std::vector<std::vector<std::string>> rows{{"KEY", "SET BY"}};
  for (const auto& [key, where] : config->set_by) rows.push_back({key, where});
  std::printf("The configuration is valid. Data directory: %s\n\n%s", config->data.c_str(),
              table(rows).c_str());
  return kDone;
}

}  // namespace

void describe_config(Command& root) {
  auto args = std::make_shared<Args>();
  auto& config = root.command("config", "The configuration: keys, example, check.");
  auto& listing = config.command("keys", "Lists every key with its kind, built-in value and meaning.");
  listing.flag("--json", args->json, "Prints a JSON array.");
  listing.flag("--markdown", args->markdown, "Prints the table of docs/configuration.md.");
  listing.run([args] { return keys(*args); });
  config.command("example", "Prints a configuration file with every key and its meaning.").run([] {
    std::printf("%s", server::example_file().c_str());
    return kDone;
  });
  auto& checking = config.command(
      "check", "Reads the configuration and the files that it names, and says what set which key.");
  args->where.describe(checking);
  checking.flag("--json", args->json, "Prints one line of JSON.");
  checking.run([args] { return check(*args); });
}

}  // namespace muhur::cli
