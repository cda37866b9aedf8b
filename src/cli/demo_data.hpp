#pragma once
// The data of a demonstration: a data directory for example.org with its users, whose passwords are kept
// beside it so that a second start prints the same ones. Only a demonstration may do that.

#include <filesystem>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "server/app.hpp"

namespace muhur::cli {

struct DemoUser {
  std::string address, password;
};
struct DemoUsers {
  std::vector<DemoUser> users;
  DemoUser admin;
};

// Makes the directory when it is not there. Refuses one that is not a demonstration's.
Result<void> prepare_demo_directory(const std::filesystem::path& data);
// Adds the users and delivers the samples, unless that was done before; reads DATA/demo-credentials.json.
Result<DemoUsers> prepare_demo_mail(server::App& app);

}  // namespace muhur::cli
