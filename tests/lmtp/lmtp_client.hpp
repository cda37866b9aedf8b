#pragma once
// A server over a memory stream and what a test needs to talk to it.

#include <boost/asio/detached.hpp>

#include "lmtp/server.hpp"
#include "mail/office.hpp"
#include "net/line_reader.hpp"
#include "net/memory_stream.hpp"
#include "net/run.hpp"

namespace muhur::lmtp {

class LmtpTest : public mail::OfficeTest {
 protected:
  LmtpTest() {
    options_.host_name = "mail.example.org";
    options_.max_message = 10'000;
    options_.max_recipients = 3;
  }
  // Sends `wire` in pieces of `step` bytes and returns all that the server says until it hangs up.
  std::string talk(const std::string& wire, std::size_t step = 1 << 20) {
    if (!server_) server_ = std::make_unique<Server>(*office_, options_);
    auto [client, server_end] = net::memory_stream_pair(io_.get_executor(), {.max_read = step});
    boost::asio::co_spawn(io_, server_->serve(std::move(server_end)), boost::asio::detached);
    std::string said;
    net::run(io_, [&, stream = client.get()]() -> net::Task<void> {
      EXPECT_TRUE(co_await stream->write(as_bytes(wire)));
      net::LineReader reader(*stream);
      while (true) {
        auto some = co_await reader.some(1 << 16);
        if (!some) break;
        said += *some;
      }
    }());
    return said;
  }
  // The codes of the final lines of the replies: "220 250 250 354".
  static std::string codes(const std::string& said) {
    std::string found;
    for (std::size_t at = 0; at < said.size();) {
      const auto end = said.find("\r\n", at);
      EXPECT_NE(end, std::string::npos) << said;
      if (end == std::string::npos) break;
      const std::string line = said.substr(at, end - at);
      if (line.size() > 3 && line[3] == ' ') found += (found.empty() ? "" : " ") + line.substr(0, 3);
      at = end + 2;
    }
    return found;
  }
  std::vector<std::string> inbox(std::string_view name) {
    const auto session = sign_in(name).value();
    until_drained(session.user.id);
    return messages(*session.mailbox);
  }

  ServerOptions options_;
  std::unique_ptr<Server> server_;
};

}  // namespace muhur::lmtp
