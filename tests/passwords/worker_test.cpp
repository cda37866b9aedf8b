#include "passwords/worker.hpp"

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>

#include "net/run.hpp"
#include "passwords/messages.hpp"
#include "passwords/wire.hpp"

namespace muhur::passwords {
namespace {

// A worker's handlers, called without a network.
class WorkerRoutes : public testing::Test {
 protected:
  WorkerRoutes() { worker_.add_routes(router_); }

  http::Request request(std::string_view path, const SealedRequest& sealed) {
    http::Request request;
    request.method = "POST";
    request.path = request.target = path;
    request.headers.set(std::string(kTimeField), sealed.time);
    request.headers.set(std::string(kNonceField), sealed.nonce);
    request.headers.set(std::string(kMacField), sealed.mac);
    request.body = sealed.body;
    return request;
  }

  http::Response answer(http::Request request) {
    http::Response response;
    net::run(io_, [&]() -> net::Task<void> {
      const auto match = router_.find(request.method, request.path);
      response = co_await (*match.handler)(request, match.parameters);
    }());
    return response;
  }

  Result<Secret> opened(const SealedRequest& sealed, const http::Response& response) {
    return wire_.open_reply(sealed.nonce, response.status, response.headers.get(kMacField).value_or(""),
                            response.body);
  }

  SealedRequest verify_call(std::string_view password, std::int64_t time_ms) {
    const VerifyCall call{std::chrono::milliseconds(10'000), record_, Secret::from_text(password)};
    return wire_.seal_request(kVerifyPath, encode(call), time_ms);
  }

  ManualClock clock_;
  boost::asio::io_context io_;
  HashPool pool_{{.threads = 1, .max_waiting = 10, .nice = 0}};
  const Secret shared_ = Secret::random(32);
  const Wire wire_{shared_};
  const std::string record_ = to_text(*make_bcrypt(as_bytes("geheim"), 4));
  Worker worker_{pool_, shared_, clock_};
  http::Router router_;
};

TEST_F(WorkerRoutes, AnswersASignedRequest) {
  for (const std::string_view password : {"geheim", "falsch"}) {
    const auto sealed = verify_call(password, clock_.now_ms());
    EXPECT_EQ(sealed.body.find(password), std::string::npos);
    EXPECT_EQ(sealed.body.find(record_), std::string::npos);
    const auto response = answer(request(kVerifyPath, sealed));
    EXPECT_EQ(response.status, 200);
    const auto plain = opened(sealed, response);
    ASSERT_TRUE(plain);
    EXPECT_EQ(decode_verdict(plain->view())->value.right, password == "geheim");
  }
}

TEST_F(WorkerRoutes, TellsItsHealth) {
  const auto sealed = wire_.seal_request(kHealthPath, encode_health_call(), clock_.now_ms());
  const auto plain = opened(sealed, answer(request(kHealthPath, sealed)));
  ASSERT_TRUE(plain);
  const auto health = decode_health(plain->view());
  ASSERT_TRUE(health && !health->error);
  EXPECT_EQ(health->value.threads, 1U);
}

TEST_F(WorkerRoutes, RefusesTheSameRequestTwice) {
  const auto sealed = verify_call("geheim", clock_.now_ms());
  EXPECT_EQ(answer(request(kVerifyPath, sealed)).status, 200);
  for (const std::int64_t later : {0, 1'000, 50'000}) {
    clock_.advance(Millis(later));
    EXPECT_EQ(answer(request(kVerifyPath, sealed)).status, 409);
  }
  clock_.advance(Millis(60'000));
  EXPECT_EQ(answer(request(kVerifyPath, sealed)).status, 403);
  EXPECT_EQ(pool_.figures().done, 1U);
}

TEST_F(WorkerRoutes, RefusesWhatIsOldOrFromTheFutureAndSaysSo) {
  clock_.advance(Millis(600'000));
  for (const std::int64_t off : {-61'000, 61'000}) {
    const auto sealed = verify_call("geheim", clock_.now_ms() + off);
    const auto response = answer(request(kVerifyPath, sealed));
    EXPECT_EQ(response.status, 403);
    const auto plain = opened(sealed, response);
    ASSERT_TRUE(plain);
    EXPECT_NE(decode_verdict(plain->view())->error->what.find("clocks"), std::string::npos);
  }
  for (const std::int64_t off : {-59'000, 59'000})
    EXPECT_EQ(answer(request(kVerifyPath, verify_call("geheim", clock_.now_ms() + off))).status, 200);
  EXPECT_EQ(pool_.figures().done, 2U);
}

TEST_F(WorkerRoutes, RefusesWhatIsNotSignedAndComputesNothing) {
  const auto sealed = verify_call("geheim", clock_.now_ms());
  for (const std::string_view field : {kTimeField, kNonceField, kMacField}) {
    auto bent = request(kVerifyPath, sealed);
    bent.headers.set(std::string(field), "x");
    EXPECT_EQ(answer(bent).status, 401) << field;
    auto twice = request(kVerifyPath, sealed);
    twice.headers.add(std::string(field), std::string(*twice.headers.get(field)));
    EXPECT_EQ(answer(twice).status, 401) << field;
  }
  auto elsewhere = request(kHashPath, sealed);  // signed for another path
  EXPECT_EQ(answer(elsewhere).status, 401);
  for (std::size_t at = 0; at < sealed.body.size(); at += 7) {
    auto bent = request(kVerifyPath, sealed);
    bent.body[at] = static_cast<char>(bent.body[at] ^ 1);
    EXPECT_EQ(answer(bent).status, 401) << at;
  }
  const Wire stranger(Secret::random(32));
  const auto foreign = stranger.seal_request(kHealthPath, encode_health_call(), clock_.now_ms());
  const auto refused = answer(request(kHealthPath, foreign));
  EXPECT_EQ(refused.status, 401);
  EXPECT_FALSE(refused.headers.get(kMacField));
  EXPECT_EQ(pool_.figures().done, 0U);
}

TEST_F(WorkerRoutes, SealsItsErrorsToo) {
  const VerifyCall call{std::chrono::milliseconds(1'000), "plain text", Secret::from_text("x")};
  const auto sealed = wire_.seal_request(kVerifyPath, encode(call), clock_.now_ms());
  const auto response = answer(request(kVerifyPath, sealed));
  EXPECT_EQ(response.status, 422);
  const auto plain = opened(sealed, response);
  ASSERT_TRUE(plain);
  EXPECT_EQ(decode_verdict(plain->view())->error->code, Code::unsupported);
  const auto garbage = wire_.seal_request(kVerifyPath, Secret::from_text("garbage"), clock_.now_ms());
  EXPECT_EQ(answer(request(kVerifyPath, garbage)).status, 422);
}

TEST_F(WorkerRoutes, TellsItsNumbersToThisMachineAndTheNetworksNamedOnly) {
  EXPECT_EQ(answer(request(kVerifyPath, verify_call("geheim", clock_.now_ms()))).status, 200);
  http::Request ask;
  ask.method = "GET";
  ask.path = ask.target = "/metrics";
  ask.peer = {"192.0.2.7", 1234, false};
  EXPECT_EQ(answer(ask).status, 404);
  auto here = ask;
  here.peer = {"127.0.0.1", 1234, true};
  const auto numbers = answer(here);
  EXPECT_EQ(numbers.status, 200);
  EXPECT_NE(numbers.body.find("muhur_worker_answered_total"), std::string::npos);
  EXPECT_NE(numbers.body.find("muhur_password_hashes_total{kind=\"bcrypt\",where=\"local\"}"),
            std::string::npos);
  worker_.add_routes(router_, {"192.0.2.0/24"});
  EXPECT_EQ(answer(ask).status, 200);
}

TEST_F(WorkerRoutes, AReplyFitsItsOwnRequestOnly) {
  const auto one = verify_call("geheim", clock_.now_ms());
  const auto other = verify_call("falsch", clock_.now_ms());
  const auto yes = answer(request(kVerifyPath, one));
  EXPECT_TRUE(opened(one, yes));
  EXPECT_FALSE(opened(other, yes));
  auto bent = yes;
  bent.status = 503;
  EXPECT_FALSE(opened(one, bent));
}

}  // namespace
}  // namespace muhur::passwords
