#pragma once
// A whole server on free ports, in a thread of its own.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <thread>

#include "base/log.hpp"
#include "server/app.hpp"
#include "server/data_directory.hpp"
#include "server/temp_directory.hpp"

namespace muhur::server {

class AppTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(create_data_directory(
        {.directory = data(), .domain = "example.org", .host_name = "localhost", .settings = {}}));
  }
  void TearDown() override {
    stop();
    log::set_level(log::Level::info);
    // The server had put its own in the place of it, which goes with the test.
    ::setenv("TMPDIR", temporary_.c_str(), 1);
    ::unsetenv("SQLITE_TMPDIR");
  }
  std::filesystem::path data() const { return temp_.path / "data"; }
  std::filesystem::path file() const { return data() / "muhur.toml"; }

  Config config() {
    Config loaded = load_config(file(), {}).value();
    loaded.imap_listen = {"127.0.0.1:0"};
    loaded.imap_listen_tls = {"127.0.0.1:0"};
    loaded.lmtp_listen = {"127.0.0.1:0"};
    loaded.http_listen = {"127.0.0.1:0"};
    loaded.argon2 = {.memory_kib = 64, .passes = 1};
    loaded.io_threads = 2;
    loaded.drain_timeout = Millis(100);
    loaded.log_level = "error";
    return loaded;
  }
  void start(Config wanted, App::Reread reread = {}) {
    auto opened = App::open(std::move(wanted), std::move(reread));
    ASSERT_TRUE(opened) << opened.error().text();
    app_ = std::move(*opened);
    app_->start();
    thread_ = std::thread([this] { app_->run(); });
  }
  void stop() {
    if (thread_.joinable()) {
      app_->stop();
      thread_.join();
    }
    app_.reset();
  }
  std::uint16_t port(std::string_view name) const {
    for (const auto& endpoint : app_->endpoints())
      if (endpoint.name == name) return endpoint.port;
    return 0;
  }

  const std::string temporary_ = std::filesystem::temp_directory_path().string();
  TempDirectory temp_;
  std::unique_ptr<App> app_;
  std::thread thread_;
};

}  // namespace muhur::server
