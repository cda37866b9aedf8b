#include "lmtp/session.hpp"

#include "base/log.hpp"
#include "base/metrics.hpp"
#include "base/random.hpp"
#include "lmtp/dot_reader.hpp"
#include "lmtp/reply.hpp"
#include "lmtp/trace.hpp"

namespace muhur::lmtp {
namespace {

constexpr int kMaxErrors = 20;                 // wrong commands in a row
constexpr std::size_t kMaxUnsent = 64 * 1024;  // replies to a client that pipelines without end
constexpr std::string_view kGoingDown = "421 4.3.2 the server is going down\r\n";
constexpr Millis kLastWords{5'000};
constexpr std::string_view kTooMuch = "452 4.3.1 too much mail at once, try again later\r\n";
constexpr std::uint64_t kMemoryStep = 1 << 20;  // by which the share of a message of unknown size grows

}  // namespace

net::Task<void> Session::run() {
  const auto ended = co_await loop();
  if (!ended && ended.error().code == Code::timed_out) {
    stream_->expires_after(kLastWords);
    reply(stopping_ ? kGoingDown : "421 4.4.2 timed out\r\n");
    (void)co_await flush();
  }
  co_await stream_->shutdown();
}

// The read ends, and with it the loop: only one coroutine ever writes.
void Session::stop() {
  stopping_ = true;
  if (waiting_) stream_->expires_after(Millis(0));
}

net::Task<Result<void>> Session::loop() {
  stream_->expires_after(options_.command_timeout);
  reply(fmt::format("220 {} LMTP ready\r\n", options_.host_name));
  while (!quit_) {
    if (!reader_.has_buffered() || out_.size() > kMaxUnsent) MUHUR_CO_CHECK(co_await flush());
    if (stopping_) {
      reply(kGoingDown);
      break;
    }
    stream_->expires_after(options_.command_timeout);
    waiting_ = true;
    const auto line = co_await reader_.line(kMaxLine);
    waiting_ = false;
    if (line) {
      MUHUR_CO_CHECK(co_await handle(parse_command(*line)));
    } else if (line.error().code == Code::limit) {
      refuse("500 5.5.2 the line is too long\r\n");
    } else {
      co_return std::unexpected(line.error());
    }
    if (errors_ >= kMaxErrors) {
      reply("421 4.7.0 too many errors\r\n");
      break;
    }
  }
  co_return co_await flush();
}

net::Task<Result<void>> Session::handle(const Command& command) {
  switch (command.verb) {
    case Verb::lhlo:
      lhlo(command.rest);
      break;
    case Verb::helo:
      refuse("500 5.5.1 this is LMTP: say LHLO\r\n");
      break;
    case Verb::mail:
      mail(command.rest);
      break;
    case Verb::rcpt:
      co_await rcpt(command.rest);
      break;
    case Verb::data:
      co_return co_await data(command.rest);
    case Verb::bdat:
      co_return co_await bdat(command.rest);
    case Verb::rset:
      transaction_.reset();
      reply("250 2.0.0 forgotten\r\n");
      break;
    case Verb::noop:
      reply("250 2.0.0 nothing done\r\n");
      break;
    case Verb::vrfy:
      reply("252 2.5.0 send mail there to find out\r\n");
      break;
    case Verb::help:
      reply("214 2.0.0 LHLO MAIL RCPT DATA BDAT RSET NOOP VRFY QUIT\r\n");
      break;
    case Verb::quit:
      reply("221 2.0.0 goodbye\r\n");
      quit_ = true;
      break;
    case Verb::unknown:
      refuse("500 5.5.1 no such command\r\n");
      break;
  }
  co_return Result<void>();
}

void Session::lhlo(std::string_view rest) {
  auto name = parse_client_name(rest);
  if (!name) return refuse(reply_to_syntax(name.error()));
  client_name_ = std::move(*name);
  transaction_.reset();
  reply(
      fmt::format("250-{}\r\n250-PIPELINING\r\n250-ENHANCEDSTATUSCODES\r\n250-8BITMIME\r\n250-SMTPUTF8\r\n"
                  "250-CHUNKING\r\n250 SIZE {}\r\n",
                  options_.host_name, options_.max_message));
}

void Session::mail(std::string_view rest) {
  if (client_name_.empty()) return refuse("503 5.5.1 say LHLO first\r\n");
  if (transaction_) return refuse("503 5.5.1 a message is under way\r\n");
  auto mail = parse_mail(rest);
  if (!mail) return refuse(reply_to_syntax(mail.error()));
  if (mail->size.value_or(0) > options_.max_message)
    return refuse(fmt::format("552 5.3.4 messages may have {} octets\r\n", options_.max_message));
  transaction_.emplace().mail = std::move(*mail);
  reply("250 2.1.0 sender taken\r\n");
}

net::Task<void> Session::rcpt(std::string_view rest) {
  if (!transaction_) co_return refuse("503 5.5.1 say MAIL first\r\n");
  if (transaction_->chunked) co_return refuse("503 5.5.1 the message has begun\r\n");
  if (transaction_->recipients.size() >= options_.max_recipients)
    co_return refuse("452 4.5.3 too many recipients, send the rest again\r\n");
  auto address = parse_rcpt(rest, transaction_->mail.utf8);
  if (!address) co_return refuse(reply_to_syntax(address.error()));
  auto recipient = co_await office_.accept_recipient(*address, transaction_->mail.size.value_or(0));
  // A mail server passes on what others asked it for: unknown users are no error of its own.
  if (!recipient) co_return reply(reply_to_recipient(recipient.error()));
  transaction_->recipients.push_back(std::move(*recipient));
  reply("250 2.1.5 recipient taken\r\n");
}

Result<void> Session::in_transaction() const {
  if (!transaction_) return fail(Code::invalid, "503 5.5.1 say MAIL first\r\n");
  if (transaction_->recipients.empty()) return fail(Code::invalid, "503 5.5.1 no recipient was taken\r\n");
  return {};
}

net::Task<Result<void>> Session::data(std::string_view rest) {
  auto ready = in_transaction();
  if (ready && transaction_->chunked) ready = fail(Code::invalid, "503 5.5.1 go on with BDAT\r\n");
  if (ready && !rest.empty()) ready = fail(Code::invalid, "501 5.5.4 DATA takes no parameter\r\n");
  if (!ready) {
    refuse(ready.error().what);
    co_return Result<void>();
  }
  reply("354 end with a dot on a line of its own\r\n");
  MUHUR_CO_CHECK(co_await flush());
  stream_->expires_after(options_.data_timeout);
  DotReader dots(options_.max_message);
  while (!dots.done()) {
    if (!reader_.has_buffered()) MUHUR_CO_CHECK(co_await reader_.more());
    reader_.consume(dots.feed(reader_.buffered()));
    if (dots.kept() > transaction_->memory.octets() && !transaction_->memory.grow(bodies_, kMemoryStep)) {
      transaction_->too_much = true;
      transaction_->memory = {};
      dots.drop();
    }
  }
  transaction_->too_large = dots.too_large();
  co_return co_await deliver(dots.take());
}

net::Task<Result<void>> Session::bdat(std::string_view rest) {
  const auto chunk = parse_bdat(rest);
  if (!chunk) {
    // Where the next command begins cannot be known any more (RFC 3030 §2).
    refuse(reply_to_syntax(chunk.error()));
    quit_ = true;
    co_return Result<void>();
  }
  // Replies to what came before it are not kept back while its octets are waited for.
  if (reader_.buffered().size() < chunk->size) MUHUR_CO_CHECK(co_await flush());
  stream_->expires_after(options_.data_timeout);
  if (const auto ready = in_transaction(); !ready) {
    MUHUR_CO_CHECK(co_await reader_.discard(chunk->size));
    refuse(ready.error().what);
    co_return Result<void>();
  }
  transaction_->chunked = true;
  auto& body = transaction_->body;
  if (transaction_->too_large || chunk->size > options_.max_message - body.size()) {
    transaction_->too_large = true;
    body = std::string();
    MUHUR_CO_CHECK(co_await reader_.discard(chunk->size));
  } else if (transaction_->too_much || !transaction_->memory.grow(bodies_, chunk->size)) {
    transaction_->too_much = true;
    transaction_->memory = {};
    body = std::string();
    MUHUR_CO_CHECK(co_await reader_.discard(chunk->size));
  } else {
    MUHUR_CO_CHECK(co_await reader_.exactly(static_cast<std::size_t>(chunk->size), body));
  }
  if (chunk->last) co_return co_await deliver(std::move(body));
  if (transaction_->too_large)
    refuse("552 5.3.4 the message is too large\r\n");
  else if (transaction_->too_much)
    reply(kTooMuch);
  else
    reply(fmt::format("250 2.0.0 {} octets taken\r\n", chunk->size));
  co_return Result<void>();
}

net::Task<Result<void>> Session::deliver(std::string body) {
  static auto& messages = metrics::counter("muhur_lmtp_messages_total", "Messages taken by LMTP");
  const Transaction transaction = std::exchange(transaction_, std::nullopt).value();
  const auto& recipients = transaction.recipients;
  if (transaction.too_large || transaction.too_much) {
    for (std::size_t i = 0; i < recipients.size(); ++i)
      reply(transaction.too_large ? "552 5.3.4 the message is too large\r\n" : kTooMuch);
    co_return Result<void>();
  }
  Trace trace{.client_name = client_name_,
              .client_address = stream_->peer().address,
              .host_name = options_.host_name,
              .id = random_hex(8),
              .recipient = recipients.size() == 1 ? recipients[0].address : "",
              .utf8 = transaction.mail.utf8,
              .now_ms = office_.options().clock->now_ms()};
  const auto size = body.size();
  const auto outcomes =
      co_await office_.deliver(transaction.mail.sender, recipients,
                               std::make_shared<const std::string>(std::move(body)), received_header(trace));
  std::vector<mail::Receipt> receipts;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    if (outcomes[i]) {
      receipts.push_back(*outcomes[i]);
      reply(fmt::format("250 2.0.0 <{}> {} kept\r\n", recipients[i].address, trace.id));
    } else {
      reply(reply_to_delivery(outcomes[i].error()));
      log::warn("lmtp", "not delivered",
                {{"user", recipients[i].user.id}, {"error", outcomes[i].error().what}});
    }
  }
  messages.add();
  log::info("lmtp", "delivered",
            {{"id", trace.id},
             {"size", size},
             {"kept", receipts.size()},
             {"refused", outcomes.size() - receipts.size()}});
  // Confirmed only once the replies are out: until then the sender may have to repeat itself.
  stream_->expires_after(options_.command_timeout);
  MUHUR_CO_CHECK(co_await flush());
  office_.confirm(receipts);
  co_return Result<void>();
}

void Session::reply(std::string_view text, bool error) {
  out_ += text;
  errors_ = error ? errors_ + 1 : 0;
}

net::Task<Result<void>> Session::flush() {
  if (out_.empty()) co_return Result<void>();
  const std::string out = std::exchange(out_, {});
  co_return co_await stream_->write(as_bytes(out));
}

}  // namespace muhur::lmtp
