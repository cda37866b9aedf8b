#pragma once
// The IMAP4rev1 server (RFC 3501 and the extensions that docs/imap.md lists): serves one stream at a time,
// any number at once. What it knows of mail it knows through mail::PostOffice.

#include <functional>
#include <memory>
#include <string>

#include "mail/post_office.hpp"
#include "net/stream.hpp"
#include "net/tls_context.hpp"

namespace muhur::imap {

// Opens the mailbox that an access token is for. denied: the token is empty or not good, is not for mail, or
// `address`, unless it is empty, is not its user's. Whoever answers counts and records the attempt.
using TokenSignIn =
    std::function<net::Task<Result<mail::Session>>(Secret token, std::string address, std::string peer)>;

struct ServerOptions {
  net::TlsContext* tls = nullptr;  // null: no STARTTLS
  bool plaintext_login_on_loopback = true;
  Millis login_timeout{60'000};      // from the greeting to a login
  Millis idle_timeout{31 * 60'000};  // RFC 3501 §5.4: at least 30 minutes, and not a round number
  // IDLE says "still here" so often: under the five minutes after which many NATs forget a connection.
  Millis idle_keep_alive{4 * 60'000 + 45'000};
  std::uint64_t max_append = 50ull << 20;
  std::size_t max_command = 64 * 1024;  // octets of one command, literals aside
  std::size_t max_sessions_per_user = 1'000;
  TokenSignIn token_sign_in;  // empty: no tokens (OAUTHBEARER, XOAUTH2)
  std::string
      openid_configuration;  // where the tokens' issuer describes itself: told to who brings a bad one
  std::uint64_t append_memory = 256ull << 20;  // octets of messages that are being appended, of all sessions
};

class Server {
 public:
  Server(mail::PostOffice& office, ServerOptions options);
  ~Server();
  // From greeting to goodbye. Ends when the peer does, at a time-out, or at shutdown.
  net::Task<void> serve(net::StreamPtr stream);
  // Tells every session BYE and ends it. Thread-safe.
  void shutdown();

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace muhur::imap
