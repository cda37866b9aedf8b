#include "passwords/wire.hpp"

#include <gtest/gtest.h>

#include "passwords/messages.hpp"
#include "passwords/rules.hpp"

namespace muhur::passwords {
namespace {

TEST(WorkerWire, ARequestOpensWithTheSameSecret) {
  const Secret shared = Secret::random(32);
  const Wire server(shared), worker(shared);
  const auto sealed = server.seal_request("/v1/verify", Secret::from_text("plain"), 1'700'000'000'123);
  const auto opened = worker.open_request("/v1/verify", sealed.time, sealed.nonce, sealed.mac, sealed.body);
  ASSERT_TRUE(opened);
  EXPECT_EQ(opened->plain.text(), "plain");
  EXPECT_EQ(opened->time_ms, 1'700'000'000'123);
  const Wire stranger(Secret::random(32));
  EXPECT_EQ(
      stranger.open_request("/v1/verify", sealed.time, sealed.nonce, sealed.mac, sealed.body).error().code,
      Code::denied);
}

TEST(WorkerWire, EveryPartOfARequestIsSigned) {
  const Wire wire(Secret::random(32));
  const auto sealed = wire.seal_request("/v1/verify", Secret::from_text("plain"), 1'700'000'000'123);
  const auto other = wire.seal_request("/v1/verify", Secret::from_text("plain"), 1'700'000'000'123);
  EXPECT_NE(sealed.nonce, other.nonce);
  EXPECT_NE(sealed.body, other.body);
  EXPECT_FALSE(wire.open_request("/v1/hash", sealed.time, sealed.nonce, sealed.mac, sealed.body));
  EXPECT_FALSE(wire.open_request("/v1/verify", "1700000000124", sealed.nonce, sealed.mac, sealed.body));
  EXPECT_FALSE(wire.open_request("/v1/verify", sealed.time, other.nonce, sealed.mac, sealed.body));
  EXPECT_FALSE(wire.open_request("/v1/verify", sealed.time, sealed.nonce, other.mac, sealed.body));
  EXPECT_FALSE(wire.open_request("/v1/verify", sealed.time, sealed.nonce, sealed.mac, other.body));
  for (const std::string& time :
       {std::string(), std::string("-1"), std::string("1 "), std::string("99999999999999999999")})
    EXPECT_FALSE(wire.open_request("/v1/verify", time, sealed.nonce, sealed.mac, sealed.body)) << time;
  EXPECT_FALSE(wire.open_request("/v1/verify", sealed.time, "", sealed.mac, sealed.body));
  EXPECT_FALSE(wire.open_request("/v1/verify", sealed.time, sealed.nonce, "", sealed.body));
  EXPECT_FALSE(wire.open_request("/v1/verify", sealed.time, sealed.nonce, sealed.mac, ""));
}

TEST(WorkerWire, ARequestIsNoReply) {
  const Wire wire(Secret::random(32));
  const auto request = wire.seal_request("/v1/verify", encode(Verdict{true, {}}), 1);
  EXPECT_FALSE(wire.open_reply(request.nonce, 200, request.mac, request.body));
  const auto reply = wire.seal_reply(request.nonce, 200, encode(Verdict{true, {}}));
  EXPECT_TRUE(wire.open_reply(request.nonce, 200, reply.mac, reply.body));
  EXPECT_FALSE(wire.open_reply(request.nonce, 200, request.mac, reply.body));
  EXPECT_FALSE(wire.open_reply(request.nonce, 200, reply.mac, request.body));
  EXPECT_FALSE(wire.open_reply(request.nonce, 201, reply.mac, reply.body));
  EXPECT_FALSE(wire.open_reply(request.nonce, 200, "", reply.body));
}

// Every message cut at each byte, and with one byte too many, is an error.
template <class Decode>
void expect_strict(const Secret& whole, Decode decode) {
  ASSERT_TRUE(decode(whole.view()));
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_FALSE(decode(whole.view().first(size))) << size;
  Bytes longer(whole.view().begin(), whole.view().end());
  longer.push_back(0);
  EXPECT_FALSE(decode(longer));
}

TEST(WorkerMessages, ReadBackTheSame) {
  const auto call = decode_verify_call(
      encode(VerifyCall{std::chrono::milliseconds(5'000), "record", Secret::from_text("geheim")}).view());
  ASSERT_TRUE(call);
  EXPECT_EQ(call->limit.count(), 5'000);
  EXPECT_EQ(call->record, "record");
  EXPECT_EQ(call->password.text(), "geheim");
  const auto hash = decode_hash_call(
      encode(HashCall{std::chrono::milliseconds(7), {19'456, 2}, Secret::from_text("x")}).view());
  ASSERT_TRUE(hash);
  EXPECT_EQ(hash->cost, (crypto::Argon2Cost{19'456, 2}));
  const auto verdict = decode_verdict(encode(Verdict{true, Secret::from_text("kek")}).view());
  EXPECT_TRUE(verdict->value.right && verdict->value.kek.text() == "kek");
  EXPECT_EQ(decode_text(encode_text("text").view())->value, "text");
  const auto health = decode_health(encode(Health{4, 3, 2, 1ULL << 40}).view());
  EXPECT_EQ(health->value.done, 1ULL << 40);
  EXPECT_EQ(health->value.running, 2U);
}

TEST(WorkerMessages, AnErrorComesThroughWhateverWasAskedFor) {
  const Secret error = encode(Error{Code::busy, "full", "wait"});
  EXPECT_EQ(decode_verdict(error.view())->error->code, Code::busy);
  EXPECT_EQ(decode_text(error.view())->error->what, "full");
  EXPECT_EQ(decode_health(error.view())->error->remedy, "wait");
  EXPECT_FALSE(decode_verdict(error.view())->value.right);
}

TEST(WorkerMessages, CutBentOrOfAnotherKindTheyAreErrors) {
  expect_strict(encode(VerifyCall{std::chrono::milliseconds(1), "record", Secret::from_text("geheim")}),
                decode_verify_call);
  expect_strict(encode(HashCall{std::chrono::milliseconds(1), {64, 1}, Secret::from_text("geheim")}),
                decode_hash_call);
  expect_strict(encode_health_call(), decode_health_call);
  expect_strict(encode(Verdict{true, Secret::from_text("kek")}), decode_verdict);
  expect_strict(encode_text("text"), decode_text);
  expect_strict(encode(Health{1, 2, 3, 4}), decode_health);
  expect_strict(encode(Error{Code::busy, "full", "wait"}), decode_verdict);
  EXPECT_FALSE(decode_verdict(encode_text("x").view()));
  EXPECT_FALSE(decode_verdict(Bytes{1, 2, 0, 0}));          // neither right nor wrong
  EXPECT_FALSE(decode_verdict(Bytes{0, 200, 0, 0, 0, 0}));  // no such code
  EXPECT_FALSE(decode_hash_call(encode(HashCall{{}, {1U << 30, 1}, Secret::from_text("x")}).view()));
  EXPECT_FALSE(decode_verify_call(encode(VerifyCall{{}, "r", Secret(kMaxPasswordBytes + 1)}).view()));
}

}  // namespace
}  // namespace muhur::passwords
