#include "imap/session.hpp"

#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/log.hpp"
#include "base/metrics.hpp"
#include "base/unicode.hpp"
#include "imap/commands.hpp"

namespace muhur::imap {
namespace {

ReaderLimits limits_before_login() {
  return {kMaxCommandBeforeLogin, kMaxLiteralsBeforeLogin, kMaxLiteralsBeforeLogin, kMaxSwallowBeforeLogin};
}

}  // namespace

Session::Session(std::shared_ptr<Shared> shared, net::StreamPtr stream)
    : shared_(std::move(shared)),
      stream_(std::move(stream)),
      reader_(limits_before_login()),
      watcher_(stream_->executor()),
      login_deadline_(std::chrono::steady_clock::now() + options().login_timeout) {}

Session::State Session::state() const {
  if (view_) return kSelected;
  return mail_ ? kAuthenticated : kNotAuthenticated;
}

bool Session::login_allowed() const {
  return stream_->secure() || (stream_->peer().loopback && options().plaintext_login_on_loopback);
}

net::Task<void> Session::run() {
  out_ = "* OK [CAPABILITY " + capabilities(*this) + "] Muhur is ready.\r\n";
  while (!ended_) {
    if (!stopping_.empty()) {
      bye(stopping_);
      break;
    }
    const auto unit = co_await next_unit();
    if (!unit) break;
    const bool secret = !mail_;
    if (*unit == CommandReader::State::command)
      co_await run_command();
    else
      refuse_command();
    if (!ended_) reader_.next(secret);
  }
  reader_.next(true);
  view_.reset();
  watcher_.forget();
  user_watch_ = {};
  mail_.reset();
  seat_.reset();
  stream_->expires_after(std::chrono::seconds(10));
  co_await flush();
  co_await stream_->shutdown();
}

void Session::stop(std::string_view reason, bool at_once) {
  stopping_ = reason;
  at_once_ = at_once_ || at_once;
  if (waiting_ || at_once_) stream_->expires_after(std::chrono::milliseconds(0));
}

net::Task<Result<CommandReader::State>> Session::next_unit() {
  while (true) {
    if (!input_.empty()) {
      std::size_t taken = 0;
      const auto state = reader_.feed(input_, taken);
      // What was taken may be a password: it lies in the reader alone, which is wiped.
      if (!mail_)
        wipe({small_.data() + (reinterpret_cast<const Byte*>(input_.data()) - small_.data()), taken});
      input_.remove_prefix(taken);
      if (state == CommandReader::State::continuation) {
        out_.append("+ Ready for the literal\r\n");
        continue;
      }
      if (state == CommandReader::State::fatal) {
        bye("That is more than this server reads.");
        co_return fail(Code::limit, "where the next command begins cannot be known");
      }
      if (state != CommandReader::State::need_more) co_return state;
    }
    MUHUR_CO_CHECK(co_await read_more());
  }
}

net::Task<Result<void>> Session::read_more() {
  if (!co_await flush()) co_return fail(Code::closed, "the client is gone");
  if (!stopping_.empty()) {
    bye(stopping_);
    co_return fail(Code::closed, "told to stop");
  }
  // Before login there are no large literals, and the small buffer is the one that gets wiped.
  const bool large = mail_ && reader_.literal_left() > small_.size();
  if (large && !large_) large_ = std::make_unique_for_overwrite<Byte[]>(kLiteralPiece);
  if (!large) large_.reset();
  if (out_.capacity() > kRestingCapacity) std::string().swap(out_);

  stream_->expires_after(time_left());
  waiting_ = true;
  const MutableBytes into = large ? MutableBytes(large_.get(), kLiteralPiece) : MutableBytes(small_);
  const auto got = co_await stream_->read_some(into);
  waiting_ = false;
  if (got) {
    input_ = as_text(ByteView(into.data(), *got));
    co_return Result<void>();
  }
  if (!stopping_.empty())
    bye(stopping_);
  else if (got.error().code == Code::timed_out)
    bye(mail_ ? "Idle for too long." : "No login for too long.");
  ended_ = true;
  co_return std::unexpected(got.error());
}

std::chrono::milliseconds Session::time_left() const {
  // Who has begun a command goes on with it: what it takes of others' memory it does not keep for nothing.
  if (mail_) return reader_.resting() ? options().idle_timeout : std::min(options().idle_timeout, kStalled);
  const auto left = login_deadline_ - std::chrono::steady_clock::now();
  return std::max(Millis(0), std::chrono::duration_cast<Millis>(left));
}

net::Task<bool> Session::flush() {
  if (at_once_ && !ended_) gone_ = ended_ = true;
  if (out_.empty() || gone_) co_return !gone_;
  // Small answers go into the socket's buffer; only what may have to wait for the reader gets a clock of its
  // own.
  if (out_.size() > kEnough / 4 && !ended_) stream_->expires_after(kWriteTimeout);
  // Moved away first: a goodbye may be appended while IDLE's news are on their way.
  std::string sending;
  sending.swap(out_);
  const auto written = co_await stream_->write(as_bytes(sending));
  if (out_.empty()) {
    sending.clear();
    sending.swap(out_);
  }
  if (!written) gone_ = ended_ = true;
  // The time was for this; what waits in a read (IDLE) has its own.
  if (waiting_ && !ended_ && !stopping()) stream_->expires_after(time_left());
  co_return !gone_;
}

net::Task<bool> Session::breathe() {
  co_await boost::asio::post(stream_->executor(), boost::asio::use_awaitable);
  if (out_.size() >= kEnough) co_return co_await flush();
  co_return !gone_;
}

void Session::bye(std::string_view text) {
  if (ended_) return;
  out_.append("* BYE ").append(text).append("\r\n");
  ended_ = true;
}

void Session::hang_up() {
  out_.clear();
  ended_ = gone_ = true;
}

std::uint64_t Session::max_append() const {
  return std::min(options().max_append, shared_->office.options().max_message);
}

void Session::count_bad() {
  ++bad_commands_;
  if (bad_commands_ > (mail_ ? kMaxBadInRow : kMaxBadBeforeLogin))
    bye("Too many commands that make no sense.");
}

void Session::refuse_command() {
  if (reader_.refusal() == CommandReader::Refusal::too_busy)
    return append_reply(out_, reader_.tag(),
                        no("Many messages are on their way: try again in a while.", "UNAVAILABLE"));
  Reply reply = bad("That command is too long.");
  if (reader_.refusal() == CommandReader::Refusal::message_too_big)
    reply = no("The message is larger than this server takes.", "TOOBIG");
  else if (reader_.refusal() == CommandReader::Refusal::literal_too_big)
    reply = bad("That literal is too large.");
  append_reply(out_, reader_.tag(), reply);
  count_bad();
}

net::Task<void> Session::run_command() {
  static auto& commands = metrics::counter("muhur_imap_commands_total", "IMAP commands run");
  commands.add();
  Call call{{}, Parser(reader_.text()), false};
  const auto tag = call.args.tag();
  if (!tag) {
    append_reply(out_, "*", bad("A command begins with a tag."));
    co_return count_bad();
  }
  call.tag = std::string(*tag);

  const Command* command = nullptr;
  auto name = call.args.space() ? call.args.atom() : std::nullopt;
  if (name && equals_ignoring_case(*name, "UID") && mail_) {
    call.uid = true;
    name = call.args.space() ? call.args.atom() : std::nullopt;
  }
  if (name) command = find_command(*name);
  if (command && call.uid && !command->has_uid_form) command = nullptr;

  Reply reply;
  if (!command) {
    reply = bad("Unknown command.");
  } else if (!(command->states & state())) {
    reply = bad(state() == kNotAuthenticated ? "Sign in first."
                : state() == kAuthenticated
                    ? (command->states & kSelected ? "Select a mailbox first." : "Signed in already.")
                    : "Signed in already.");
  } else {
    auto outcome = co_await command->run(*this, call);
    if (!outcome) {
      if (outcome.error().code == Code::internal || outcome.error().code == Code::corrupt ||
          outcome.error().code == Code::io)
        log::warn("imap", "command failed", {{"command", command->name}, {"error", outcome.error().text()}});
      reply = reply_of(outcome.error());
    } else {
      reply = std::move(*outcome);
    }
    if (!gone_ && view_) co_await sync(call.uid || !command->withholds_expunge, call.uid);
  }
  // LOGOUT says BYE and OK; whatever else ended the session has had its last word.
  if (ended_ && !(command && command->run == cmd_logout)) co_return;
  append_reply(out_, call.tag, reply);
  if (reply.status == Reply::Status::bad)
    count_bad();
  else if (mail_)
    bad_commands_ = 0;
  if (failed_logins_ >= kMaxFailedLogins) bye("Too many failed logins.");
  if (out_.size() >= kEnough) co_await flush();
}

net::Task<Result<mailbox::Folder>> Session::select(std::string path, bool read_only,
                                                   std::uint32_t& first_unseen) {
  unselect();
  auto& box = mailbox();
  MUHUR_CO_TRY(const mailbox::Folder folder, co_await net::on(storage(), [&] { return box.folder(path); }));
  if (!folder.selectable) co_return fail(Code::not_found, "the folder holds no messages");
  watcher_.watch(box.changes(), folder.id);  // before reading, so that nothing falls between
  auto all = co_await net::on(storage(), [&] { return box.overview(folder.id); });
  if (!all) {
    watcher_.forget();
    co_return std::unexpected(std::move(all).error());
  }
  const mailbox::Uid recent =
      shared_->recents.first_recent(user().mailbox_id, folder.id, all->folder.uid_next, !read_only);
  mailbox::Folder shown = all->folder;
  const mailbox::Uid unseen = all->first_unseen;
  view_.emplace(std::move(*all), read_only, recent);
  first_unseen = view_->number_of(unseen).value_or(0);
  co_return shown;
}

void Session::unselect() {
  view_.reset();
  watcher_.forget();
}

net::Task<void> Session::sync(bool expunge, bool uid) {
  if (!view_) co_return;
  if (!watcher_.take_news()) {
    if (expunge) view_->report_expunged(out_);
    co_return;
  }
  auto& box = mailbox();
  const auto folder = view_->folder();
  const auto since = view_->known_modseq();
  const auto delta = co_await net::on(storage(), [&] { return box.changes_since(folder, since); });
  if (!delta) {
    if (delta.error().code == Code::not_found) co_return bye("The selected mailbox was deleted.");
    log::warn("imap", "no news of a folder", {{"error", delta.error().text()}});
    watcher_.put_back();
    co_return;
  }
  const mailbox::Uid recent =
      shared_->recents.first_recent(user().mailbox_id, folder, delta->folder.uid_next, !view_->read_only());
  view_->update(*delta, recent, {.expunge = expunge, .uid = uid, .modseq = condstore_}, out_);
}

std::uint32_t Session::recent_of(const mailbox::Folder& folder) {
  const mailbox::Uid first =
      shared_->recents.first_recent(user().mailbox_id, folder.id, folder.uid_next, false);
  return std::min(folder.messages, folder.uid_next - first);
}

Result<void> Session::check_quota(std::uint64_t more) {
  const std::int64_t limit = user().quota_bytes;
  if (limit <= 0) return {};
  MUHUR_TRY(const std::uint64_t used, mailbox().bytes_used());
  const auto bound = static_cast<std::uint64_t>(limit);
  if (used > bound || more > bound - used) return fail(Code::quota, "the mailbox is full");
  return {};
}

net::Task<Result<void>> Session::start_tls() {
  if (!co_await flush()) co_return fail(Code::closed, "the client is gone");
  // Octets behind STARTTLS in the clear are not the client's, or not yet to be believed (RFC 3501 §6.2.1).
  input_ = {};
  MUHUR_CO_CHECK(co_await stream_->start_tls(*options().tls));
  co_return Result<void>();
}

}  // namespace muhur::imap
