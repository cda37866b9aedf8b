#pragma once
// One worker, seen from the server: sealed requests out, replies in that only it can have made. Private to
// this folder and its tests. Thread-safe.

#include <memory>
#include <string>

#include "http/client.hpp"
#include "passwords/messages.hpp"
#include "passwords/wire.hpp"

namespace muhur::passwords {

// Why there is no answer, by what a caller may do about it.
enum class Failure {
  unreachable,  // refused, reset, not HTTP: cheap to find out
  hung,         // no reply in time
  untrusted,  // a reply that the holder of the secret did not make, or a worker with another secret or clock
  busy,       // it says so itself: another worker may have room
  refused,    // it says that the request is at fault: nobody else will do better
};
struct CallError {
  Failure kind = Failure::unreachable;
  Error error;
};
template <class T>
using CallResult = std::expected<T, CallError>;

class WorkerClient {
 public:
  // invalid: the URL is not http:// or https:// with a host.
  static Result<std::unique_ptr<WorkerClient>> create(boost::asio::any_io_executor executor, std::string url,
                                                      std::shared_ptr<const Wire> wire, std::string ca_file);
  ~WorkerClient();

  net::Task<CallResult<Verdict>> verify(const Secret& password, const std::string& record,
                                        std::chrono::milliseconds limit);
  net::Task<CallResult<std::string>> hash(const Secret& password, crypto::Argon2Cost cost,
                                          std::chrono::milliseconds limit);
  net::Task<CallResult<Health>> health(std::chrono::milliseconds limit);
  const std::string& url() const;

 private:
  struct Impl;
  explicit WorkerClient(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace muhur::passwords
