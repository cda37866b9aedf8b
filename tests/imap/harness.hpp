#pragma once
// An IMAP server over a real post office in a directory of its own, and clients that talk to it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "imap/server.hpp"
#include "imap/wire.hpp"

namespace muhur::imap::test {

inline constexpr std::string_view kAlice = "alice@example.org";
inline constexpr std::string_view kPassword = "correct horse";

// One connection. Answers are whole: literals are read by their counts.
class Client {
 public:
  explicit Client(std::unique_ptr<Wire> wire) : wire_(std::move(wire)) {}

  Wire& wire() { return *wire_; }
  void send(std::string_view octets) { wire_->send(octets); }
  // One response with its literals inside, "" at the end of the stream.
  std::string response();
  // Responses up to and with the one that begins with `start`; fails at the end of the stream.
  std::string until(std::string_view start);
  // Sends the command behind a tag of its own; all that came up to the tagged reply, whose tag reads "T".
  std::string run(std::string_view command);
  // The same for APPEND with a literal that does not wait.
  std::string append(std::string_view mailbox, std::string_view message, std::string_view before = {});
  std::string login(std::string_view user = kAlice, std::string_view password = kPassword);

 private:
  std::unique_ptr<Wire> wire_;
  unsigned tags_ = 0;
};

class House {
 public:
  explicit House(ServerOptions options = {});
  ~House();

  Client connect(WireOptions options = {});  // the greeting is read
  Client signed_in();
  Client selected(std::string_view mailbox = "INBOX");
  // The mailbox of Alice, while somebody is signed in.
  std::shared_ptr<mailbox::Mailbox> box();
  mailbox::FolderId folder(std::string_view path);

  mail::PostOffice& office() { return *office_; }
  Server& server() { return *server_; }
  void restart();  // the server, and all that it holds in memory

 private:
  void start();
  void stop();

  std::filesystem::path data_;
  ServerOptions options_;
  std::string mailbox_id_;
  std::vector<std::unique_ptr<boost::asio::io_context>>
      retired_;  // clients of before a restart hold on to them
  std::unique_ptr<boost::asio::io_context> io_;
  std::optional<boost::asio::executor_work_guard<boost::asio::io_context::executor_type>> work_;
  std::vector<std::thread> threads_;
  std::unique_ptr<net::Pools> pools_;
  std::unique_ptr<mail::PostOffice> office_;
  std::unique_ptr<Server> server_;
};

// "From: …" CRLF … with a subject and a body.
std::string message(std::string_view subject, std::string_view body = "Hello.\r\n");

std::string repeat(std::string_view text, std::size_t times);

// The octets of the first literal in a response.
std::string literal_of(std::string_view response);

template <class T>
T must(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().text());
  return std::move(*result);
}
inline void must(Result<void> result) {
  if (!result) throw std::runtime_error(result.error().text());
}

}  // namespace muhur::imap::test
