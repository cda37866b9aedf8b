#pragma once
// The workers of one server: which are well, how much each has to do, and calls to them. Private to this
// folder and its tests. Choices and figures are thread-safe; calls run on a strand of its own.

#include <boost/asio/strand.hpp>
#include <memory>
#include <vector>

#include "passwords/verifier.hpp"
#include "passwords/worker_client.hpp"

namespace muhur::passwords {

class Remote {
 public:
  Remote(boost::asio::any_io_executor executor, const VerifierOptions& options);
  ~Remote();  // ends the health checks

  // Takes a place at the least loaded healthy worker not in `tried`. `local`: how busy we are ourselves; when
  // that is the better place, or no worker is left, there is none. With `any_will_do`, one that is not
  // healthy will do when none is.
  std::optional<std::size_t> take_place(const std::vector<bool>& tried, std::optional<std::size_t> local_load,
                                        std::size_t local_threads, bool any_will_do);
  std::size_t size() const;

  // Each gives the place back.
  net::Task<CallResult<Verdict>> verify(std::size_t at, const Secret& password, const std::string& record,
                                        std::chrono::milliseconds limit);
  net::Task<CallResult<std::string>> hash(std::size_t at, const Secret& password, crypto::Argon2Cost cost,
                                          std::chrono::milliseconds limit);
  std::vector<WorkerFigures> figures() const;

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace muhur::passwords
