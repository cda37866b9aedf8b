#pragma once
// `muhur bench mail`: how fast mail goes in and out. Drives a demonstration server of our own, or any IMAP
// and LMTP server that it is pointed to (bench/mail/compare.sh points it at Dovecot in turn).
//
// Each figure is the median over rounds; in a round each of N clients works for S seconds:
//   append_per_s       APPEND of messages of mixed size (0.5 to 60 KiB), answered OK
//   deliver_per_s      LMTP, answered 250 (durable), to a user who is away
//   fetch_per_s        UID FETCH n (BODY.PEEK[]) of one random message
//   fetch_all_per_s    messages a second of UID FETCH 1:* (UID FLAGS RFC822.SIZE ENVELOPE)
//   login_per_s        connect, LOGIN, LOGOUT
//   open_ms            one mailbox file of 1,000 messages opened with its key, in this process
//   idle_bytes         server memory a connection that is logged in and in IDLE

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "bench/client.hpp"
#include "bench/report.hpp"

namespace muhur::bench {

struct MailOptions {
  std::optional<Endpoint> imap;       // another server; absent: one of our own
  std::optional<Endpoint> lmtp;
  std::string user, password;         // for another server
  std::string name = "muhur";
  std::size_t clients = 10;
  double seconds = 3;                 // of one round of one figure
  std::size_t rounds = 3;
  std::size_t idle_connections = 500;
  std::function<void(std::string_view step)> progress;
};

Result<Report> run_mail(const MailOptions& options);

}  // namespace muhur::bench
