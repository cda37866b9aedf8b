#pragma once
// One connection: reads commands, runs them one after the other in the order they came, writes answers.
// Lives on its stream's strand; shutdown() may come from anywhere through the strand.

#include <array>
#include <boost/asio/any_io_executor.hpp>
#include <memory>
#include <optional>
#include <string>

#include "imap/limits.hpp"
#include "imap/parser.hpp"
#include "imap/reply.hpp"
#include "imap/shared.hpp"
#include "imap/tokens.hpp"
#include "imap/view.hpp"
#include "imap/watcher.hpp"

namespace muhur::imap {

// One command under way. The arguments lie in the session's reader.
struct Call {
  std::string tag;
  Parser args;
  bool uid = false;  // behind UID
};

class Session : public std::enable_shared_from_this<Session> {
 public:
  enum State : unsigned { kNotAuthenticated = 1, kAuthenticated = 2, kSelected = 4 };

  Session(std::shared_ptr<Shared> shared, net::StreamPtr stream);

  net::Task<void> run();  // from greeting to goodbye
  // On the stream's executor: says BYE with this reason and ends, once the command under way is done. Long
  // commands look at stopping() and end early. `at_once`: nothing more goes out of the command under way.
  void stop(std::string_view reason, bool at_once = false);
  bool stopping() const { return !stopping_.empty(); }

  // --- for commands
  State state() const;
  mail::PostOffice& office() { return shared_->office; }
  const ServerOptions& options() const { return shared_->options; }
  net::Stream& stream() { return *stream_; }
  net::Pool& storage() { return shared_->office.pools().storage; }
  CommandReader& reader() { return reader_; }
  std::string& out() { return out_; }

  mailbox::Mailbox& mailbox() { return *mail_->mailbox; }  // once signed in
  const accounts::User& user() const { return mail_->user; }
  View& view() { return *view_; }  // once selected
  View* selected() { return view_ ? &*view_ : nullptr; }
  Watcher& watcher() { return watcher_; }

  bool can_start_tls() const { return options().tls && !stream_->secure(); }
  bool login_allowed() const;  // over TLS, or on loopback where that is allowed
  // Verifies and enters the authenticated state, or says why not.
  net::Task<Reply> sign_in(std::string address, Secret password);
  // The same by an access token; options().token_sign_in has to be there.
  net::Task<Reply> sign_in_with_token(std::string address, Secret token);

  // Selects: reads the folder and enters the selected state. Whatever was selected is left before.
  net::Task<Result<mailbox::Folder>> select(std::string path, bool read_only, std::uint32_t& first_unseen);
  void unselect();

  bool condstore() const { return condstore_; }
  void enable_condstore() { condstore_ = true; }

  // Writes what happened in the selected folder, as far as it may be told now.
  net::Task<void> sync(bool expunge, bool uid);
  std::uint64_t max_append() const;  // octets of a message
  // How many of a folder's messages are recent; takes no claim on them.
  std::uint32_t recent_of(const mailbox::Folder& folder);
  // quota: the user's limit would be passed by `more` octets. Blocks.
  Result<void> check_quota(std::uint64_t more);

  // Sends what is in out(). False once the peer is gone.
  net::Task<bool> flush();
  // In the middle of much work, or of much to say: others on this thread get their turn, and what is in out()
  // goes once it is enough. False once the peer is gone.
  net::Task<bool> breathe();
  // The next command or line (State::command), or one that was refused; flushes while it waits. An error ends
  // the session.
  net::Task<Result<CommandReader::State>> next_unit();
  // STARTTLS: what was read beyond the command goes, and the stream is encrypted from here.
  net::Task<Result<void>> start_tls();

  void bye(std::string_view text);  // says it once; no command follows
  void hang_up();                   // nothing more is said, also not what waits in out()
  bool ended() const { return ended_; }

 private:
  net::Task<void> run_command();
  net::Task<Result<void>> read_more();
  net::Task<Reply> enter(Result<mail::Session> signed_in);
  void end_with_user();
  net::Task<bool> still_welcome();
  void refuse_command();
  void count_bad();
  std::chrono::milliseconds time_left() const;

  const std::shared_ptr<Shared> shared_;
  net::StreamPtr stream_;
  std::unique_ptr<Seats::Seat> seat_;
  CommandReader reader_;
  std::string out_;

  // Input: a small buffer that stays, a large one only while a literal comes in.
  std::array<Byte, 512> small_;
  std::unique_ptr<Byte[]> large_;
  std::string_view input_;  // what was read and not yet taken

  std::optional<mail::Session> mail_;
  std::optional<View> view_;
  Watcher watcher_;
  mail::UserWatch::Subscription user_watch_;
  std::chrono::steady_clock::time_point login_deadline_;
  unsigned bad_commands_ = 0;
  unsigned failed_logins_ = 0;
  bool condstore_ = false;
  bool waiting_ = false;       // in a read
  std::string_view stopping_;  // not empty: end, for this reason
  bool at_once_ = false;       // and now
  bool ended_ = false;
  bool gone_ = false;  // writing failed
};

}  // namespace muhur::imap
