#include "passwords/worker.hpp"

#include "base/log.hpp"
#include "base/metrics.hpp"
#include "http/proxies.hpp"
#include "passwords/await.hpp"
#include "passwords/messages.hpp"
#include "passwords/replay_guard.hpp"
#include "passwords/wire.hpp"

namespace muhur::passwords {
namespace {

constexpr std::chrono::milliseconds kMostLimit{60'000};
constexpr std::size_t kMaxBody = 4 * 1024;

int status_of(Code code) {
  switch (code) {
    case Code::busy:
    case Code::closed:
      return 503;
    case Code::timed_out:
      return 504;
    case Code::denied:
      return 403;
    case Code::conflict:
      return 409;
    default:
      return 422;
  }
}

std::chrono::steady_clock::time_point deadline_in(std::chrono::milliseconds limit) {
  return std::chrono::steady_clock::now() + std::min(limit, kMostLimit);
}

// The only value of a field; empty when there is none, or more than one.
std::string_view only(const http::Request& request, std::string_view name) {
  const auto values = request.headers.all(name);
  return values.size() == 1 ? values.front() : std::string_view{};
}

net::Task<http::Response> numbers(http::Request& request, const http::TrustedProxies& networks) {
  if (!request.peer.loopback && !networks.contains(request.peer.address))
    co_return http::Response::text(404, "404 Not Found\n");
  co_return http::Response::text(200, metrics::prometheus_text())
      .with("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
      .with("Cache-Control", "no-store");
}

struct Meters {
  metrics::Counter& answered = metrics::counter("muhur_worker_answered_total", "Requests that were answered");
  metrics::Counter& refused =
      metrics::counter("muhur_worker_refused_total", "Requests without a right signature, late or repeated");
};
Meters& meters() {
  static Meters all;
  return all;
}

}  // namespace

struct Worker::Impl {
  HashPool& pool;
  Wire wire;
  const Clock& clock;
  ReplayGuard guard;

  Impl(HashPool& p, const Secret& shared, const Clock& c)
      : pool(p), wire(shared), clock(c), guard(c.now_ms()) {}

  http::Response sealed(std::string_view nonce, int status, const Secret& plain) const {
    const SealedReply reply = wire.seal_reply(nonce, status, plain);
    http::Response response;
    response.status = status;
    response.headers.set("Content-Type", "application/octet-stream");
    response.headers.set("Cache-Control", "no-store");
    if (status == 503) response.headers.set("Retry-After", "1");
    response.headers.set(std::string(kMacField), reply.mac);
    response.body = reply.body;
    return response;
  }

  // Checks the request, has it carried out, seals what came of it.
  using Carry = net::Task<Result<Secret>> (Impl::*)(Secret);
  net::Task<http::Response> answer(http::Request& request, std::string_view path, Carry carry) {
    const std::string nonce(only(request, kNonceField));
    auto opened =
        wire.open_request(path, only(request, kTimeField), nonce, only(request, kMacField), request.body);
    if (!opened) {
      meters().refused.add();
      log::warn("worker", "refused a request: its signature is not right", {{"peer", request.peer.address}});
      co_return http::Response::text(401, "The signature is not right.\n");
    }
    const auto admitted = guard.admit(nonce, opened->time_ms, clock.now_ms());
    if (!admitted) {
      meters().refused.add();
      log::warn("worker", admitted.error().what, {{"peer", request.peer.address}});
      co_return sealed(nonce, status_of(admitted.error().code), encode(admitted.error()));
    }
    const auto result = co_await (this->*carry)(std::move(opened->plain));
    meters().answered.add();
    if (!result) co_return sealed(nonce, status_of(result.error().code), encode(result.error()));
    co_return sealed(nonce, 200, *result);
  }

  net::Task<Result<Secret>> verify(Secret plain) {
    MUHUR_CO_TRY(VerifyCall call, decode_verify_call(plain.view()));
    MUHUR_CO_TRY(Record record, parse_record(call.record));
    MUHUR_CO_TRY(const Verdict verdict, co_await verify_on(pool, std::move(call.password), std::move(record),
                                                           deadline_in(call.limit)));
    co_return encode(verdict);
  }
  net::Task<Result<Secret>> hash(Secret plain) {
    MUHUR_CO_TRY(HashCall call, decode_hash_call(plain.view()));
    MUHUR_CO_TRY(const std::string text,
                 co_await hash_on(pool, std::move(call.password), call.cost, deadline_in(call.limit)));
    co_return encode_text(text);
  }
  net::Task<Result<Secret>> health(Secret plain) {
    MUHUR_CO_CHECK(decode_health_call(plain.view()));
    const PoolFigures figures = pool.figures();
    co_return encode(Health{static_cast<std::uint32_t>(pool.threads()),
                            static_cast<std::uint32_t>(figures.waiting),
                            static_cast<std::uint32_t>(figures.running), figures.done});
  }
};

Worker::Worker(HashPool& pool, const Secret& shared, const Clock& clock)
    : impl_(std::make_unique<Impl>(pool, shared, clock)) {}
Worker::~Worker() = default;

void Worker::add_routes(http::Router& router, const std::vector<std::string>& metrics_networks) {
  const auto add = [&](std::string_view path, Impl::Carry carry) {
    router.add("POST", path,
               [impl = impl_.get(), path, carry](http::Request& request, const http::Parameters&) {
                 return impl->answer(request, path, carry);
               },
               {.max_body = kMaxBody});
  };
  add(kVerifyPath, &Impl::verify);
  add(kHashPath, &Impl::hash);
  add(kHealthPath, &Impl::health);
  router.add("GET", "/healthz", [](http::Request&, const http::Parameters&) -> net::Task<http::Response> {
    co_return http::Response::text(200, "ok\n");
  });
  auto networks = std::make_shared<http::TrustedProxies>(metrics_networks);
  router.add("GET", "/metrics", [networks](http::Request& request, const http::Parameters&) {
    return numbers(request, *networks);
  });
}

}  // namespace muhur::passwords
