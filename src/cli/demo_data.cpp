#include "cli/demo_data.hpp"

#include <fmt/format.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <fstream>
#include <sstream>

#include "base/random.hpp"
#include "cli/demo_messages.hpp"
#include "cli/terminal.hpp"
#include "server/data_directory.hpp"

namespace muhur::cli {
namespace {

namespace json = boost::json;
constexpr const char* kDomain = "example.org";
// Its presence also says that the set-up was finished.
constexpr const char* kCredentials = "demo-credentials.json";

// Four groups of four that nobody mistakes for one another when typing.
std::string easy_password() {
  constexpr std::string_view kLetters = "abcdefghjkmnpqrstuvwxyz23456789";
  std::string password;
  for (int i = 0; i < 16; ++i) {
    if (i > 0 && i % 4 == 0) password += '-';
    password += kLetters[random_below(kLetters.size())];
  }
  return password;
}

json::object to_json(const DemoUser& user) {
  return {{"address", user.address}, {"password", user.password}};
}

Result<DemoUsers> read_credentials(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::stringstream text;
  text << in.rdbuf();
  boost::system::error_code error;
  const json::value parsed = json::parse(text.str(), error);
  const auto damaged = [&] {
    return fail(Code::corrupt, file.string() + " is damaged",
                "remove the demo's data directory to start anew");
  };
  if (error || !parsed.is_object()) return damaged();
  const auto user_of = [](const json::value* value) -> std::optional<DemoUser> {
    if (!value || !value->is_object()) return {};
    const auto* address = value->get_object().if_contains("address");
    const auto* password = value->get_object().if_contains("password");
    if (!address || !address->is_string() || !password || !password->is_string()) return {};
    return DemoUser{std::string(address->get_string()), std::string(password->get_string())};
  };
  DemoUsers found;
  const auto admin = user_of(parsed.get_object().if_contains("admin"));
  const auto* users = parsed.get_object().if_contains("users");
  if (!admin || !users || !users->is_array()) return damaged();
  found.admin = *admin;
  for (const auto& item : users->get_array()) {
    const auto user = user_of(&item);
    if (!user) return damaged();
    found.users.push_back(*user);
  }
  return found;
}

Result<void> add(mail::PostOffice& office, const DemoUser& user, std::string_view name, bool admin) {
  // Left over from a set-up that was interrupted, with a password that nobody knows.
  if (const auto old = office.users().by_address(user.address)) MUHUR_CHECK(office.delete_user(old->id));
  MUHUR_CHECK(office.add_user(user.address, Secret::from_text(user.password), name, admin));
  return {};
}

Result<void> deliver_samples(mail::PostOffice& office) {
  const auto samples = demo_messages(Clock::system().now_s());
  Progress progress("Delivering sample mail", samples.size());
  std::uint64_t done = 0;
  for (const auto& sample : samples) {
    std::vector<mail::Recipient> recipients;
    for (const auto& name : sample.recipients) {
      const std::string address = name + "@" + kDomain;
      MUHUR_TRY(auto user, office.users().by_address(address));
      recipients.push_back({.address = address, .user = std::move(user), .tag = {}});
    }
    std::vector<mail::Receipt> receipts;
    for (const auto& outcome : office.deliver_blocking(sample.sender, recipients, sample.bytes)) {
      if (!outcome) return std::unexpected(outcome.error());
      receipts.push_back(*outcome);
    }
    office.confirm(receipts);
    progress.at(++done);
  }
  return {};
}

}  // namespace

Result<void> prepare_demo_directory(const std::filesystem::path& data) {
  if (std::filesystem::exists(data / "muhur.toml")) {
    if (std::filesystem::exists(data / kCredentials) || !std::filesystem::exists(data / "mail") ||
        std::filesystem::is_empty(data / "mail"))
      return {};
    return fail(Code::exists, data.string() + " holds a server's data, not a demonstration's",
                "name another directory with --data");
  }
  MUHUR_CHECK(server::create_data_directory(
      {.directory = data, .domain = kDomain, .host_name = "localhost", .settings = {}}));
  return {};
}

Result<DemoUsers> prepare_demo_mail(server::App& app) {
  const auto file = app.config().data / kCredentials;
  if (std::filesystem::exists(file)) return read_credentials(file);
  auto& office = app.office();
  DemoUsers made;
  made.admin = {fmt::format("admin@{}", kDomain), easy_password()};
  for (const char* name : {"alice", "bob"})
    made.users.push_back({fmt::format("{}@{}", name, kDomain), easy_password()});
  MUHUR_CHECK(add(office, made.users[0], "Alice Ay", false));
  MUHUR_CHECK(add(office, made.users[1], "Bob Brink", false));
  MUHUR_CHECK(add(office, made.admin, "Administrator", true));
  MUHUR_CHECK(deliver_samples(office));
  json::array users;
  for (const auto& user : made.users) users.push_back(to_json(user));
  const json::object all{{"users", users}, {"admin", to_json(made.admin)}};
  MUHUR_CHECK(server::write_new_file(file, json::serialize(all) + "\n", 0600));
  return made;
}

}  // namespace muhur::cli
