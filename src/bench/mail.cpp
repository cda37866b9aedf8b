#include "bench/mail.hpp"

#include <fmt/format.h>

#include <atomic>
#include <charconv>
#include <chrono>
#include <random>
#include <thread>

#include "base/random.hpp"
#include "bench/child.hpp"
#include "mailbox/mailbox.hpp"
#include "vault/key.hpp"

namespace muhur::bench {
namespace {

using Steady = std::chrono::steady_clock;

// Mixed sizes as in a mailing list with some attachments; text that compresses about as mail does.
std::vector<std::string> messages() {
  std::mt19937 generator(20261130);  // the same messages in each run
  static constexpr std::string_view words[] = {"the",  "patch",   "of",     "kernel", "which",
                                               "a",    "seal",    "letter", "folder", "moving",
                                               "tree", "between", "under",  "review"};
  std::vector<std::string> made;
  for (int n = 0; n < 64; ++n) {
    const std::size_t body = n % 16 == 15 ? 60'000 : 500 + generator() % 6'000;
    std::string text = fmt::format(
        "From: Sender {0} <sender{0}@example.net>\r\nTo: list@example.org\r\nSubject: A message of the load, "
        "{0}\r\n"
        "Date: Mon, 30 Nov 2026 10:{1:02}:00 +0000\r\nMessage-ID: <load-{0}@example.net>\r\nMIME-Version: "
        "1.0\r\n"
        "Content-Type: text/plain; charset=utf-8\r\n\r\n",
        n, n % 60);
    std::size_t column = 0;
    for (const std::size_t end = text.size() + body; text.size() < end;) {
      const std::string_view word = words[generator() % std::size(words)];
      text += word;
      column += word.size() + 1;
      if (generator() % 7 == 0) text += std::to_string(generator());
      text += column > 66 ? "\r\n" : " ";
      if (column > 66) column = 0;
    }
    made.push_back(text + "\r\n");
  }
  return made;
}

// Runs `work` on N threads until the time is up; each call is one operation (or as many as it says).
struct Load {
  std::size_t clients;
  double seconds;
  template <class Prepare>  // Prepare(i) -> Result<std::function<Result<std::size_t>()>>
  Result<double> rate(Prepare prepare) const {
    std::atomic<std::uint64_t> done{0};
    std::atomic<bool> stop{false};
    std::vector<std::thread> threads;
    std::vector<std::optional<Error>> errors(clients);
    std::vector<std::function<Result<std::size_t>()>> works;
    for (std::size_t i = 0; i < clients; ++i) {
      MUHUR_TRY(auto work, prepare(i));
      works.push_back(std::move(work));
    }
    const auto begin = Steady::now();
    for (std::size_t i = 0; i < clients; ++i)
      threads.emplace_back([&, i] {
        while (!stop.load(std::memory_order_relaxed)) {
          auto got = works[i]();
          if (!got) {
            errors[i] = got.error();
            return;
          }
          done.fetch_add(*got, std::memory_order_relaxed);
        }
      });
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
    stop = true;
    for (auto& thread : threads) thread.join();
    const double took = std::chrono::duration<double>(Steady::now() - begin).count();
    for (const auto& error : errors)
      if (error) return std::unexpected(*error);
    return static_cast<double>(done.load()) / took;
  }
};

struct Target {
  Endpoint imap;
  std::optional<Endpoint> lmtp;
  std::string user, password, away;  // away: whom LMTP delivers to
  const Child* child = nullptr;
};

Result<std::shared_ptr<ImapClient>> signed_in(const Target& target, std::string_view select = {}) {
  MUHUR_TRY(ImapClient client, ImapClient::connect(target.imap));
  MUHUR_CHECK(client.login(target.user, target.password));
  if (!select.empty()) MUHUR_CHECK(client.command(fmt::format("SELECT {}", select)));
  return std::make_shared<ImapClient>(std::move(client));
}

Result<double> append_round(const Target& target, const Load& load, const std::vector<std::string>& mails) {
  return load.rate([&](std::size_t i) -> Result<std::function<Result<std::size_t>()>> {
    MUHUR_TRY(auto client, signed_in(target));
    return [client, &mails, n = i]() mutable -> Result<std::size_t> {
      MUHUR_CHECK(client->append("Bench", mails[n++ % mails.size()]));
      return 1;
    };
  });
}

Result<double> deliver_round(const Target& target, const Load& load, const std::vector<std::string>& mails) {
  return load.rate([&](std::size_t i) -> Result<std::function<Result<std::size_t>()>> {
    MUHUR_TRY(LmtpClient connected, LmtpClient::connect(*target.lmtp));
    auto client = std::make_shared<LmtpClient>(std::move(connected));
    return [client, &target, &mails, n = i]() mutable -> Result<std::size_t> {
      MUHUR_CHECK(client->deliver(target.away, mails[n++ % mails.size()]));
      return 1;
    };
  });
}

Result<double> fetch_round(const Target& target, const Load& load, std::uint32_t highest) {
  return load.rate([&](std::size_t i) -> Result<std::function<Result<std::size_t>()>> {
    MUHUR_TRY(auto client, signed_in(target, "Bench"));
    return
        [client, highest, random = std::mt19937(static_cast<unsigned>(i))]() mutable -> Result<std::size_t> {
          const auto uid = 1 + random() % highest;
          MUHUR_CHECK(client->command(fmt::format("UID FETCH {} (BODY.PEEK[])", uid)));
          return 1;
        };
  });
}

Result<double> fetch_all_round(const Target& target, const Load& load) {
  return load.rate([&](std::size_t) -> Result<std::function<Result<std::size_t>()>> {
    MUHUR_TRY(auto client, signed_in(target, "Bench"));
    return [client]() -> Result<std::size_t> {
      MUHUR_TRY(const auto lines, client->command("UID FETCH 1:* (UID FLAGS RFC822.SIZE ENVELOPE)", "* "));
      return lines.size();
    };
  });
}

Result<double> login_round(const Target& target, const Load& load) {
  return load.rate([&](std::size_t) -> Result<std::function<Result<std::size_t>()>> {
    return [&target]() -> Result<std::size_t> {
      MUHUR_TRY(ImapClient client, ImapClient::connect(target.imap));
      MUHUR_CHECK(client.login(target.user, target.password));
      MUHUR_CHECK(client.command("LOGOUT"));
      return 1;
    };
  });
}

// In this process: what opening costs once the key is there.
Result<std::vector<double>> open_times(const std::vector<std::string>& mails) {
  const auto directory = std::filesystem::temp_directory_path() / ("muhur-bench-open-" + random_hex(8));
  std::filesystem::create_directories(directory);
  const vault::Key key = vault::Key::random();
  mailbox::MailboxOptions options{.path = directory / "box.db", .key = &key, .create = true};
  std::vector<double> times;
  auto work = [&]() -> Result<void> {
    {
      MUHUR_TRY(const auto box, mailbox::Mailbox::open(options));
      MUHUR_TRY(const auto inbox, box->folder("INBOX"));
      for (int n = 0; n < 1000; n += 100) {
        std::vector<mailbox::AppendRequest> requests;
        for (int i = 0; i < 100; ++i)
          requests.push_back(
              {.folder = inbox.id, .message = mails[static_cast<std::size_t>(n + i) % mails.size()]});
        MUHUR_CHECK(box->append_all(requests));
      }
    }
    options.create = false;
    for (int round = 0; round < 50; ++round) {
      const auto begin = Steady::now();
      MUHUR_TRY(const auto box, mailbox::Mailbox::open(options));
      times.push_back(std::chrono::duration<double, std::milli>(Steady::now() - begin).count());
    }
    return {};
  };
  const auto outcome = work();
  std::error_code ignored;
  std::filesystem::remove_all(directory, ignored);
  if (!outcome) return std::unexpected(outcome.error());
  return times;
}

// How much a fresh server's memory grows over `count` connections. What sign-ins needed for a moment (19 MiB
// each for Argon2id) is given back by the allocator within seconds: both sizes are taken after that.
Result<double> idle_bytes(const Target& target, std::size_t count) {
  constexpr std::size_t kWarmUp = 20;
  constexpr std::chrono::seconds kGivenBack{12};
  std::vector<Socket> sockets;
  const auto open = [&](std::size_t more) -> Result<void> {
    for (std::size_t i = 0; i < more; ++i) {
      MUHUR_TRY(Socket socket, Socket::connect(target.imap));
      MUHUR_CHECK(socket.line());
      MUHUR_CHECK(socket.send(fmt::format("a LOGIN \"{}\" \"{}\"\r\nb SELECT INBOX\r\nc IDLE\r\n",
                                          target.user, target.password)));
      while (true) {
        MUHUR_TRY(const std::string line, socket.line());
        if (line.starts_with("+")) break;
        if (line.starts_with("a NO") || line.starts_with("b NO") || line.starts_with("c BAD"))
          return fail(Code::invalid, "the server answered: " + line);
      }
      sockets.push_back(std::move(socket));
    }
    return {};
  };
  MUHUR_CHECK(open(kWarmUp));  // what is allocated once does not count
  std::this_thread::sleep_for(kGivenBack);
  MUHUR_TRY(const std::uint64_t before, target.child->memory());
  MUHUR_CHECK(open(count));
  std::this_thread::sleep_for(kGivenBack);
  MUHUR_TRY(const std::uint64_t after, target.child->memory());
  return (static_cast<double>(after) - static_cast<double>(before)) / static_cast<double>(count);
}

Result<Target> own_target(const Child& child) {
  const auto& ready = child.ready();
  const auto endpoint = [&](const char* name) {
    const auto& at = ready.at(name).as_object();
    return Endpoint{std::string(at.at("host").as_string()), at.at("port").to_number<std::uint16_t>()};
  };
  const auto& users = ready.at("users").as_array();
  Target target{.imap = endpoint("imap"), .lmtp = endpoint("lmtp"), .child = &child};
  target.user = users.at(0).as_object().at("address").as_string();
  target.password = users.at(0).as_object().at("password").as_string();
  target.away = users.at(1).as_object().at("address").as_string();
  return target;
}

}  // namespace

Result<Report> run_mail(const MailOptions& options) {
  const auto mails = messages();
  const Load load{options.clients, options.seconds};
  std::unique_ptr<Child> child;
  Target target;
  if (options.imap) {
    target = {
        .imap = *options.imap, .lmtp = options.lmtp, .user = options.user, .password = options.password};
    target.away = options.user;
  } else {
    MUHUR_TRY(child, Child::start_demo());
    MUHUR_TRY(target, own_target(*child));
  }

  Report report(fmt::format("mail: {}, {} clients, {} rounds of {} s", options.name, options.clients,
                            options.rounds, options.seconds));
  const auto figure = [&](std::string key, std::string label, auto round) -> Result<void> {
    std::vector<double> values;
    for (std::size_t i = 0; i < options.rounds; ++i) {
      if (options.progress) options.progress(fmt::format("{} {}/{}", label, i + 1, options.rounds));
      MUHUR_TRY(const double rate, round());
      values.push_back(rate);
    }
    report.add({std::move(key), std::move(label), "/s", summarize(std::move(values))});
    return {};
  };

  MUHUR_TRY(const auto setup, signed_in(target));
  (void)setup->command("CREATE Bench");  // may be there from an earlier run
  MUHUR_CHECK(figure("append_per_s", "APPEND", [&] { return append_round(target, load, mails); }));
  MUHUR_TRY(const auto status, setup->command("STATUS Bench (UIDNEXT)", "* STATUS"));
  std::uint32_t next = 0;
  if (!status.empty()) {
    const std::size_t at = status[0].rfind(' ') + 1;
    std::from_chars(status[0].data() + at, status[0].data() + status[0].size(), next);
  }
  if (next < 2) return fail(Code::internal, "the server appended nothing");
  MUHUR_CHECK(
      figure("fetch_per_s", "FETCH BODY.PEEK[]", [&] { return fetch_round(target, load, next - 1); }));
  MUHUR_CHECK(figure("fetch_all_per_s", "FETCH 1:* ENVELOPE, messages",
                     [&] { return fetch_all_round(target, load); }));
  if (target.lmtp)
    MUHUR_CHECK(figure("deliver_per_s", "LMTP to an absent user",
                       [&] { return deliver_round(target, load, mails); }));
  MUHUR_CHECK(figure("login_per_s", "connect, LOGIN, LOGOUT", [&] { return login_round(target, load); }));
  if (!options.imap) {
    if (options.progress) options.progress("opening a mailbox");
    MUHUR_TRY(auto times, open_times(mails));
    report.add({"open_ms", "open a mailbox of 1,000 messages", "ms", summarize(std::move(times))});
    if (options.progress) options.progress("idle connections");
    MUHUR_TRY(const auto fresh, Child::start_demo());
    MUHUR_TRY(const Target idle, own_target(*fresh));
    MUHUR_TRY(const double grown, idle_bytes(idle, options.idle_connections));
    report.add({"idle_bytes", "memory an idle connection", "bytes", summarize({grown})});
    MUHUR_TRY(const std::uint64_t memory, child->memory());
    report.note(
        fmt::format("Server memory at the end: {:.1f} MiB.", static_cast<double>(memory) / (1 << 20)));
  }
  return report;
}

}  // namespace muhur::bench
