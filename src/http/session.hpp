#pragma once
// One connection: requests in, responses out, one after the other. Private to http/.

#include <atomic>
#include <unordered_map>

#include "base/sync.hpp"
#include "http/parser.hpp"
#include "http/proxies.hpp"
#include "http/server.hpp"
#include "net/line_reader.hpp"

namespace muhur::http {

class Session;

// What the sessions of a server have in common.
struct Shared {
  Shared(const Router& r, ServerOptions o);
  bool knows_host(std::string_view authority) const;
  Response refusal(const Request& request, int status) const;

  const Router& router;
  const ServerOptions options;
  TrustedProxies proxies;
  std::vector<std::string> hosts;  // in the compared form
  std::atomic<bool> draining{false};

  Mutex mutex;
  std::unordered_map<Session*, std::weak_ptr<Session>> sessions MUHUR_GUARDED_BY(mutex);
};

class Session : public std::enable_shared_from_this<Session> {
 public:
  Session(std::shared_ptr<Shared> shared, net::StreamPtr stream);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  static net::Task<void> run(std::shared_ptr<Session> self);
  // Closes it when it waits for a request and none is on its way. From any thread.
  void close_if_idle();

 private:
  enum class Next { another, end };

  net::Task<Result<void>> read_header(bool first);
  net::Task<Result<void>> read_body();
  net::Task<Next> one(bool first);
  net::Task<Response> handle(const Router::Match& match);
  Response answer_without_handler(const Router::Match& match);
  Response preflight(const Router::Match& match);
  net::Task<Next> refuse(int status);
  net::Task<Next> send(Response response, bool close);

  const std::shared_ptr<Shared> shared_;
  const net::StreamPtr stream_;
  net::LineReader reader_;
  RequestParser parser_;
  RouteMeters* meters_ = nullptr;  // of the request at hand
  std::string out_;
  std::size_t served_ = 0;
  bool idle_ = false;    // on the stream's strand
  bool writing_ = true;  // a reply can still be sent
};

}  // namespace muhur::http
