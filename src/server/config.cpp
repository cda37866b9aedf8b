#include "server/config.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <charconv>

#include "server/config_keys.hpp"
#include "server/toml_reader.hpp"

extern char** environ;

namespace muhur::server {
namespace {

// Read by the command line, not by the configuration.
constexpr std::string_view kNotSettings[] = {"MUHUR_CONFIG"};

std::vector<std::string> known_names(bool as_environment) {
  std::vector<std::string> names;
  for (const Key& key : config_keys())
    names.push_back(as_environment ? environment_name(key.name) : std::string(key.name));
  return names;
}

std::string did_you_mean(std::string_view name, bool as_environment) {
  const auto near = nearest(name, known_names(as_environment));
  const std::string all = "; `muhur config keys` lists all";
  return near.empty() ? "remove it" + all : fmt::format("did you mean `{}`?{}", near, all);
}

Result<void> apply(Config& config, const Key& key, const Value& value, const std::string& where) {
  if (const auto done = key.set(config, value); !done)
    return fail(done.error().code, fmt::format("{}: {}: {}", where, key.name, done.error().what),
                done.error().remedy);
  config.set_by[std::string(key.name)] = where;
  return {};
}

Result<void> apply_environment(Config& config, const Environment& environment) {
  for (const auto& [name, text] : environment) {
    if (std::ranges::find(kNotSettings, name) != std::end(kNotSettings)) continue;
    const Key* key = nullptr;
    for (const Key& candidate : config_keys())
      if (environment_name(candidate.name) == name) key = &candidate;
    const std::string where = "environment variable " + name;
    if (!key) return fail(Code::invalid, where + " is no setting", did_you_mean(name, true));
    auto value = value_from_text(*key, text);
    if (!value) return fail(Code::invalid, fmt::format("{}: {}", where, value.error().what));
    MUHUR_CHECK(apply(config, *key, *value, where));
  }
  return {};
}

Result<Config> finish(Config config, const std::filesystem::path& base) {
  std::error_code ignored;
  const auto absolute = [&](const std::filesystem::path& path) {
    auto full = std::filesystem::absolute(path, ignored).lexically_normal();
    return full.has_filename() ? full : full.parent_path();
  };
  config.data = absolute(base / config.data);
  for (auto* path : {&config.server_key, &config.tls_certificate, &config.tls_key})
    *path = absolute(config.data / *path);
  for (auto* path : {&config.branding_logo, &config.worker_secret, &config.worker_ca})
    if (!path->empty()) *path = absolute(config.data / *path);
  if (config.host_name.empty()) {
    char name[256] = {};
    if (gethostname(name, sizeof name - 1) == 0) config.host_name = name;
    if (config.host_name.empty()) config.host_name = "localhost";
  }
  return config;
}

}  // namespace

Environment process_environment() {
  Environment found;
  for (char** entry = environ; entry && *entry; ++entry) {
    const std::string_view text = *entry;
    const auto equals = text.find('=');
    if (text.starts_with("MUHUR_") && equals != text.npos)
      found.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return found;
}

Result<Config> load_config(const std::filesystem::path& file, const Environment& environment) {
  MUHUR_TRY(const std::vector<Setting> settings, read_toml(file));
  Config config;
  for (const Setting& setting : settings) {
    const std::string where = fmt::format("{}:{}", file.string(), setting.line);
    const Key* key = find_key(setting.name);
    if (!key)
      return fail(Code::invalid, fmt::format("{}: unknown key `{}`", where, setting.name),
                  did_you_mean(setting.name, false));
    MUHUR_CHECK(apply(config, *key, setting.value, where));
  }
  MUHUR_CHECK(apply_environment(config, environment));
  return finish(std::move(config), file.parent_path());
}

Result<Config> default_config(const std::filesystem::path& data, const Environment& environment) {
  Config config;
  config.data = data;
  MUHUR_CHECK(apply_environment(config, environment));
  return finish(std::move(config), {});
}

Result<ListenAddress> parse_listen(std::string_view text) {
  const auto wrong = [&] {
    return fail(Code::invalid, fmt::format("`{}` is no address to listen on", text),
                "write ADDRESS:PORT, [IPV6]:PORT, *:PORT or unix:PATH");
  };
  if (text.starts_with("unix:")) {
    if (text.size() == 5) return wrong();
    return ListenAddress{.host = {}, .port = 0, .unix_path = std::string(text.substr(5))};
  }
  const auto colon = text.rfind(':');
  if (colon == text.npos || colon == 0) return wrong();
  std::string_view host = text.substr(0, colon);
  const std::string_view digits = text.substr(colon + 1);
  unsigned port = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  if (error != std::errc() || end != digits.data() + digits.size() || digits.empty() || port > 65'535)
    return wrong();
  if (host.starts_with('[') && host.ends_with(']'))
    host = host.substr(1, host.size() - 2);
  else if (host.find(':') != host.npos)
    return wrong();
  if (host == "*") host = "0.0.0.0";
  if (host == "localhost") host = "127.0.0.1";
  if (host.empty() || host.find_first_not_of("0123456789abcdefABCDEF.:") != host.npos) return wrong();
  return ListenAddress{.host = std::string(host), .port = static_cast<std::uint16_t>(port), .unix_path = {}};
}

}  // namespace muhur::server
