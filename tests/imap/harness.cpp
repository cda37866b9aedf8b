#include "imap/harness.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/strand.hpp>
#include <charconv>

#include "accounts/directory.hpp"
#include "base/random.hpp"

namespace muhur::imap::test {
namespace {

// The size of a literal announced at the end of the line; nullopt: none is.
std::optional<std::size_t> announced(std::string_view line) {
  if (!line.ends_with("}\r\n")) return std::nullopt;
  const std::size_t open = line.rfind('{');
  if (open == std::string_view::npos) return std::nullopt;
  std::size_t size = 0;
  const auto [end, error] = std::from_chars(line.data() + open + 1, line.data() + line.size(), size);
  return error == std::errc() && *end == '}' ? std::optional(size) : std::nullopt;
}

}  // namespace

std::string Client::response() {
  std::string out;
  while (true) {
    const std::string line = wire_->line();
    out += line;
    const auto size = announced(line);
    if (!size) return out;
    out += wire_->octets(*size);
  }
}

std::string Client::until(std::string_view start) {
  std::string out;
  while (true) {
    const std::string one = response();
    if (one.empty()) throw std::runtime_error("the stream ended after: " + out);
    out += one;
    if (one.starts_with(start)) return out;
  }
}

std::string Client::run(std::string_view command) {
  const std::string tag = "T" + std::to_string(++tags_);
  send(tag + " " + std::string(command) + "\r\n");
  std::string out = until(tag + " ");
  const std::size_t last = out.rfind(tag + " ");
  return out.replace(last, tag.size(), "T");
}

std::string Client::append(std::string_view mailbox, std::string_view message, std::string_view before) {
  return run("APPEND " + std::string(mailbox) + " " + std::string(before) + "{" +
             std::to_string(message.size()) + "+}\r\n" + std::string(message));
}

std::string Client::login(std::string_view user, std::string_view password) {
  return run("LOGIN \"" + std::string(user) + "\" \"" + std::string(password) + "\"");
}

House::House(ServerOptions options)
    : data_(std::filesystem::temp_directory_path() / ("muhur-imap-" + random_hex(8))), options_(options) {
  std::filesystem::create_directories(data_);
  std::filesystem::permissions(data_, std::filesystem::perms::owner_all);
  const Secret key = must(accounts::create_server_key(data_ / "server.key"));
  must(accounts::Directory::open(data_, key, true));
  start();
  must(office_->users().add_domain("example.org"));
  for (const char* name : {"alice@example.org", "bob@example.org"})
    must(office_->add_user(name, Secret::from_text(kPassword)));
  mailbox_id_ = must(office_->users().by_address(kAlice)).mailbox_id;
}

House::~House() {
  stop();
  std::error_code ignored;
  std::filesystem::remove_all(data_, ignored);
}

void House::start() {
  io_ = std::make_unique<boost::asio::io_context>();
  work_.emplace(io_->get_executor());
  pools_.reset(new net::Pools{{"storage", 2}, {"passwords", 2}, {"heavy", 1}});
  mail::PostOfficeOptions office;
  office.data = data_;
  office.pools = pools_.get();
  office.argon2 = {.memory_kib = 8, .passes = 1};
  office_ = must(mail::PostOffice::open(std::move(office)));
  server_ = std::make_unique<Server>(*office_, options_);
  for (int i = 0; i < 2; ++i) threads_.emplace_back([io = io_.get()] { io->run(); });
}

void House::stop() {
  server_->shutdown();
  work_.reset();
  for (auto& thread : threads_) thread.join();
  threads_.clear();
  server_.reset();
  office_.reset();
  pools_.reset();
  retired_.push_back(std::move(io_));
}

void House::restart() {
  stop();
  start();
}

Client House::connect(WireOptions options) {
  auto [stream, wire] = make_wire(boost::asio::make_strand(*io_), std::move(options));
  const auto executor = stream->executor();
  boost::asio::co_spawn(executor, server_->serve(std::move(stream)), boost::asio::detached);
  Client client(std::move(wire));
  client.until("* ");
  return client;
}

Client House::signed_in() {
  Client client = connect();
  const std::string reply = client.login();
  if (!reply.contains("T OK")) throw std::runtime_error("no login: " + reply);
  return client;
}

Client House::selected(std::string_view mailbox) {
  Client client = signed_in();
  const std::string reply = client.run("SELECT \"" + std::string(mailbox) + "\"");
  if (!reply.contains("T OK")) throw std::runtime_error("not selected: " + reply);
  return client;
}

std::shared_ptr<mailbox::Mailbox> House::box() { return office_->mailboxes().find(mailbox_id_); }
mailbox::FolderId House::folder(std::string_view path) { return must(box()->folder(path)).id; }

std::string message(std::string_view subject, std::string_view body) {
  return "From: Ada <ada@example.net>\r\nTo: alice@example.org\r\nSubject: " + std::string(subject) +
         "\r\nDate: Mon, 30 Nov 2026 10:06:14 +0100\r\nMessage-ID: <1@example.net>\r\n\r\n" +
         std::string(body);
}

std::string repeat(std::string_view text, std::size_t times) {
  std::string out;
  out.reserve(text.size() * times);
  for (std::size_t i = 0; i < times; ++i) out += text;
  return out;
}

std::string literal_of(std::string_view response) {
  const std::size_t end = response.find("}\r\n");
  if (end == std::string_view::npos) throw std::runtime_error("no literal in: " + std::string(response));
  const auto size = announced(response.substr(0, end + 3));
  return std::string(response.substr(end + 3, size.value()));
}

}  // namespace muhur::imap::test
