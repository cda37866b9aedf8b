#pragma once
// One LMTP connection: states and replies. Private to lmtp/.

#include <memory>
#include <optional>
#include <vector>

#include "lmtp/grammar.hpp"
#include "lmtp/server.hpp"
#include "net/budget.hpp"
#include "net/line_reader.hpp"

namespace muhur::lmtp {

// A mail transaction, from MAIL to its end.
struct Transaction {
  MailFrom mail;
  std::vector<mail::Recipient> recipients;
  bool chunked = false;  // BDAT came
  bool too_large = false;
  bool too_much = false;      // of all messages under way, not of this one
  net::Budget::Share memory;  // of the body
  std::string body;           // of the chunks so far
};

class Session : public std::enable_shared_from_this<Session> {
 public:
  // All outlive it, or its run().
  Session(mail::PostOffice& office, const ServerOptions& options, net::Budget& bodies, net::StreamPtr stream)
      : office_(office), options_(options), bodies_(bodies), stream_(std::move(stream)), reader_(*stream_) {}

  net::Task<void> run();
  // On the stream's executor. Ends it: at once when it waits for a command, after its replies when a message
  // is under way.
  void stop();

 private:
  net::Task<Result<void>> loop();
  net::Task<Result<void>> handle(const Command& command);
  void lhlo(std::string_view rest);
  void mail(std::string_view rest);
  net::Task<void> rcpt(std::string_view rest);
  net::Task<Result<void>> data(std::string_view rest);
  net::Task<Result<void>> bdat(std::string_view rest);
  // Delivers and answers once for each recipient; ends the transaction.
  net::Task<Result<void>> deliver(std::string body);
  Result<void> in_transaction() const;

  void reply(std::string_view text, bool error = false);
  void refuse(std::string_view text) { reply(text, true); }
  net::Task<Result<void>> flush();

  mail::PostOffice& office_;
  const ServerOptions& options_;
  net::Budget& bodies_;
  net::StreamPtr stream_;
  net::LineReader reader_;
  std::string client_name_;  // empty before LHLO
  std::optional<Transaction> transaction_;
  std::string out_;  // replies that wait for the end of what was pipelined
  int errors_ = 0;
  bool quit_ = false;
  bool waiting_ = false;  // for a command
  bool stopping_ = false;
};

}  // namespace muhur::lmtp
