// The server wired together: an issuer that stays, passwords by remote workers, reloads.
#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <regex>

#include "accounts/directory.hpp"
#include "base/encoding.hpp"
#include "http/form.hpp"
#include "passwords/fake_worker.hpp"
#include "server/app_fixture.hpp"
#include "server/identity.hpp"

namespace muhur::server {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// A connection that is used a step at a time.
class Wire {
 public:
  explicit Wire(std::uint16_t port) : fd_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(fd_, reinterpret_cast<sockaddr*>(&to), sizeof to), 0);
  }
  ~Wire() { ::close(fd_); }
  Wire(const Wire&) = delete;
  Wire& operator=(const Wire&) = delete;
  void write(std::string_view text) {
    ASSERT_EQ(::send(fd_, text.data(), text.size(), MSG_NOSIGNAL), static_cast<ssize_t>(text.size()));
  }
  // What comes until `mark` is in it, or the end.
  std::string read_until(std::string_view mark) {
    std::string got;
    char buffer[4096];
    while (got.find(mark) == got.npos) {
      const ssize_t n = ::recv(fd_, buffer, sizeof buffer, 0);
      if (n <= 0) break;
      got.append(buffer, static_cast<std::size_t>(n));
    }
    return got;
  }

 private:
  int fd_;
};

class ServerTest : public AppTest {
 protected:
  std::string http(std::string_view method, std::string_view path, std::string_view headers = {},
                   std::string_view body = {}) {
    Wire wire(port("http"));
    wire.write(fmt::format(
        "{} {} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nConnection: close\r\n{}Content-Length: {}\r\n\r\n{}", method,
        path, port("http"), headers, body.size(), body));
    return wire.read_until("what never comes");
  }
  static std::string all_of(const std::string& text, const char* pattern, const char* between) {
    const std::regex wanted(pattern);
    std::string found;
    for (std::sregex_iterator at(text.begin(), text.end(), wanted), end; at != end; ++at)
      found += (found.empty() ? "" : between) + (*at)[1].str();
    return found;
  }
  // Signs in at the page of one's own sessions; the answer's first line.
  std::string http_sign_in(std::string_view address, std::string_view password) {
    const std::string page = http("GET", "/account/sessions");
    const std::string cookies = all_of(page, "[Ss]et-[Cc]ookie: ([^;\r]*)", "; ");
    const std::string csrf = all_of(page, "name=\"csrf\" value=\"([^\"]*)\"", "|");
    const std::string body = fmt::format("csrf={}&login={}&password={}", http::percent_encode(csrf),
                                         http::percent_encode(address), http::percent_encode(password));
    const std::string answer =
        http("POST", "/oauth2/login",
             fmt::format("Cookie: {}\r\nOrigin: {}\r\nContent-Type: application/x-www-form-urlencoded\r\n",
                         cookies, app_->provider()->options().issuer),
             body);
    return answer.substr(0, answer.find('\r'));
  }
  std::string imap_sign_in(std::string_view address, std::string_view password) {
    Wire wire(port("imap"));
    wire.read_until("\n");
    wire.write(fmt::format("a LOGIN \"{}\" \"{}\"\r\n", address, password));
    return wire.read_until("a ");
  }
  void add(std::string_view address, std::string_view password) {
    const auto added = app_->office().add_user(address, Secret::from_text(password));
    ASSERT_TRUE(added) << added.error().text();
  }
};

TEST_F(ServerTest, AnIssuerThatNobodyConfiguredStaysTheSameAtItsPort) {
  Config first = config();
  start(first);
  const auto fixed = fmt::format("127.0.0.1:{}", port("http"));
  stop();
  std::string issuer, keys;
  for (int i = 0; i < 2; ++i) {
    Config again = config();
    again.http_listen = {fixed, "127.0.0.1:0"};
    start(again);
    ASSERT_NE(app_, nullptr);
    const std::string now = app_->provider()->options().issuer;
    const std::string jwks = app_->provider()->jwks();
    if (i == 0) {
      issuer = now;
      keys = jwks;
    }
    EXPECT_EQ(now, "http://" + fixed);
    EXPECT_EQ(now, issuer);
    EXPECT_EQ(jwks, keys);
    EXPECT_THAT(http("GET", "/.well-known/openid-configuration"),
                HasSubstr("\"issuer\":\"http://" + fixed + "\""));
    stop();
  }
}

TEST_F(ServerTest, AnIssuerComesFromTheFirstListenerOrHasToBeSaid) {
  Config some = config();
  some.host_name = "mail.example.org";
  EXPECT_EQ(issuer_of(some, "127.0.0.1", 8080, false).value(), "http://127.0.0.1:8080");
  EXPECT_EQ(issuer_of(some, "::1", 8080, false).value(), "http://[::1]:8080");
  EXPECT_EQ(issuer_of(some, "0.0.0.0", 443, true).value(), "https://mail.example.org");
  EXPECT_EQ(issuer_of(some, "0.0.0.0", 8443, true).value(), "https://mail.example.org:8443");
  EXPECT_THAT(issuer_of(some, "0.0.0.0", 8080, false).error().text(), HasSubstr("http.issuer"));
  some.http_issuer = "https://id.example.org";
  EXPECT_EQ(issuer_of(some, "127.0.0.1", 8080, false).value(), "https://id.example.org");
  some.http_issuer = "https://id.example.org/sso";
  EXPECT_FALSE(issuer_of(some, "127.0.0.1", 8080, false));
}

class WorkerWiringTest : public ServerTest {
 protected:
  Config with_worker(bool hash_here_too) {
    Config wanted = config();
    write_file(data() / "worker-secret", to_base64(shared_.view()) + "\n");
    std::filesystem::permissions(data() / "worker-secret", std::filesystem::perms::owner_read);
    wanted.worker_secret = data() / "worker-secret";
    wanted.workers = {worker_.url()};
    wanted.hash_here_too = hash_here_too;
    return wanted;
  }

  // The worker's secret is what is in the file, as text.
  const Secret shared_ = Secret::random(32);
  passwords::Engine engine_;
  passwords::FakeWorker worker_{engine_, Secret::from_text(to_base64(shared_.view()))};
};

TEST_F(WorkerWiringTest, ConfiguredWorkersVerifyForHttpAndImap) {
  start(with_worker(false));
  add("alice@example.org", "correct horse");
  // The first check of its health may be under way still.
  for (int i = 0; i < 200 && worker_.checks() == 0; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_THAT(imap_sign_in("alice@example.org", "correct horse"), HasSubstr("a OK"));
  const auto by_imap = worker_.calls();
  EXPECT_GE(by_imap, 1U);
  EXPECT_THAT(http_sign_in("alice@example.org", "correct horse"), HasSubstr("303"));
  EXPECT_GT(worker_.calls(), by_imap);
  EXPECT_THAT(imap_sign_in("alice@example.org", "wrong horse"), HasSubstr("a NO [AUTHENTICATIONFAILED]"));
  EXPECT_THAT(http_sign_in("alice@example.org", "wrong horse"), testing::Not(HasSubstr("303")));
}

TEST_F(WorkerWiringTest, WithoutThemTheServerHashesOnlyIfItMay) {
  worker_.kill();
  for (const bool may : {true, false}) {
    start(with_worker(may));
    if (may) add("alice@example.org", "correct horse");
    EXPECT_THAT(imap_sign_in("alice@example.org", "correct horse"),
                HasSubstr(may ? "a OK" : "a NO [UNAVAILABLE]"));
    EXPECT_THAT(http_sign_in("alice@example.org", "correct horse"), HasSubstr(may ? "303" : "503"));
    stop();
  }
  EXPECT_EQ(worker_.calls(), 0U);
}

TEST_F(WorkerWiringTest, AWorkersSecretHasToBeNamed) {
  Config wanted = with_worker(true);
  wanted.worker_secret.clear();
  EXPECT_THAT(App::open(std::move(wanted)).error().text(), HasSubstr("worker_secret"));
}

TEST_F(ServerTest, AReloadTakesOverWhatItCanAndABadFileChangesNothing) {
  Config current = config();
  std::atomic<bool> broken = false;
  std::atomic<int> read = 0;
  Config next = current;
  next.trusted_proxies = {"127.0.0.1"};
  next.max_connections = 1;
  next.http_issuer = "https://elsewhere.example";  // needs a restart
  start(current, [&]() -> Result<Config> {
    ++read;
    if (broken) return fail(Code::invalid, "muhur.toml:3: nonsense");
    return next;
  });
  const std::string issuer = app_->provider()->options().issuer;
  const auto reload = [&] {
    const int before = read;
    app_->reload();
    for (int i = 0; i < 1000 && read == before; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
  };
  // Behind a trusted proxy nobody is on this machine, so /metrics tells which of the two holds.
  EXPECT_THAT(http("GET", "/metrics"), StartsWith("HTTP/1.1 200"));
  broken = true;
  reload();
  EXPECT_THAT(http("GET", "/metrics"), StartsWith("HTTP/1.1 200"));
  broken = false;
  reload();
  std::string seen;
  for (int i = 0; i < 500 && !seen.starts_with("HTTP/1.1 404"); ++i) seen = http("GET", "/metrics");
  EXPECT_THAT(seen, StartsWith("HTTP/1.1 404"));
  EXPECT_EQ(app_->provider()->options().issuer, issuer);
  const Wire first(port("imap"));
  std::string second;
  for (int i = 0; i < 500 && second.find("BYE") == second.npos; ++i)
    second = Wire(port("imap")).read_until("\n");
  EXPECT_THAT(second, HasSubstr("BYE [UNAVAILABLE]"));
}

}  // namespace
}  // namespace muhur::server
