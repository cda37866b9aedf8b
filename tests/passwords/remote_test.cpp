// Workers that are killed, hung, slow, lying, replaying or of another secret: sign-ins go on, and none is
// wrongly accepted.
#include <gtest/gtest.h>

#include <future>

#include "passwords/fake_worker.hpp"
#include "passwords/verifier.hpp"

namespace muhur::passwords {
namespace {

using std::chrono::milliseconds;

constexpr crypto::Argon2Cost kQuick{64, 1};

// A server with a pool of its own and some workers. Members go from the last to the first.
class WithWorkers : public testing::Test {
 protected:
  ~WithWorkers() override {
    verifier_.reset();
    workers_.clear();
    // The coroutines of both ends hold them alive until the threads have stopped.
    engine_.stop();
  }

  FakeWorker& add_worker(Habit habit = Habit::honest) { return add_worker(habit, secret_); }
  FakeWorker& add_worker(Habit habit, const Secret& secret) {
    workers_.push_back(std::make_unique<FakeWorker>(engine_, secret, habit));
    return *workers_.back();
  }

  void start(VerifierOptions options = {}) {
    for (const auto& worker : workers_) options.workers.push_back({worker->url()});
    options.worker_secret = secret_.copy();
    options.health_every = milliseconds(20);
    verifier_ = std::make_unique<Verifier>(engine_.io().get_executor(), local_, std::move(options));
  }

  // Waits until `enough` says so of the workers' figures.
  template <class Enough>
  void wait_until(Enough enough) {
    while (!enough(verifier_->workers())) std::this_thread::yield();
  }
  void wait_until_healthy(std::size_t count) {
    wait_until([&](const std::vector<WorkerFigures>& all) {
      return static_cast<std::size_t>(std::ranges::count_if(all, &WorkerFigures::healthy)) == count;
    });
  }

  Result<Verdict> verify(std::string_view password) { return verify(password, record_); }
  Result<Verdict> verify(std::string_view password, const std::string& record) {
    return engine_.await(verifier_->verify(Secret::from_text(password), record));
  }
  // The right one is taken and wrong ones are not, wherever it is decided.
  void expect_sign_ins_go_on(int times = 4) {
    for (int i = 0; i < times; ++i) {
      const auto right = verify("geheim");
      ASSERT_TRUE(right) << right.error().text();
      EXPECT_TRUE(right->right);
      const auto wrong = verify("falsch" + std::to_string(i));
      ASSERT_TRUE(wrong) << wrong.error().text();
      EXPECT_FALSE(wrong->right);
    }
  }

  Engine engine_;
  HashPool local_{{.threads = 1, .max_waiting = 1'000, .nice = 0}};
  const Secret secret_ = Secret::random(32);
  const std::string record_ = to_text(*make_bcrypt(as_bytes("geheim"), 4));
  std::vector<std::unique_ptr<FakeWorker>> workers_;
  std::unique_ptr<Verifier> verifier_;
};

TEST_F(WithWorkers, WithoutAnyThePoolDoesIt) {
  start();
  expect_sign_ins_go_on();
  EXPECT_EQ(local_.figures().done, 8U);
}

TEST_F(WithWorkers, HealthyOnesTakeVerifyingAndHashingOver) {
  const FakeWorker& worker = add_worker();
  start();
  wait_until_healthy(1);
  expect_sign_ins_go_on();
  EXPECT_EQ(worker.calls(), 8U);
  const auto made = engine_.await(verifier_->hash(Secret::from_text("neu"), kQuick));
  ASSERT_TRUE(made) << made.error().text();
  EXPECT_EQ(worker.calls(), 9U);
  EXPECT_EQ(local_.figures().done, 0U);

  // The key of our own records comes back sealed, and is the one that is computed here.
  const auto far = verify("neu", *made);
  ASSERT_TRUE(far && far->right);
  const auto near = verify_one(Secret::from_text("neu"), *parse_record(*made));
  EXPECT_TRUE(near->right && near->kek == far->kek);
  EXPECT_EQ(worker.calls(), 10U);
}

TEST_F(WithWorkers, EqualsTakeTurns) {
  const FakeWorker& one = add_worker();
  const FakeWorker& other = add_worker();
  start();
  wait_until_healthy(2);
  expect_sign_ins_go_on(10);
  EXPECT_EQ(one.calls(), 10U);
  EXPECT_EQ(other.calls(), 10U);
  for (const WorkerFigures& figures : verifier_->workers()) {
    EXPECT_EQ(figures.done, 10U);
    EXPECT_EQ(figures.failed, 0U);
    EXPECT_EQ(figures.outstanding, 0U);
    EXPECT_GT(figures.p95_ms, 0);
  }
}

TEST_F(WithWorkers, AWrongRecordIsAnErrorWhereverItIsRead) {
  add_worker();
  start();
  wait_until_healthy(1);
  EXPECT_EQ(verify("geheim", "plain").error().code, Code::unsupported);
  EXPECT_EQ(verify("geheim", "$2b$10$short").error().code, Code::invalid);
}

TEST_F(WithWorkers, AKilledOneIsLeftOutAndComesBack) {
  FakeWorker& worker = add_worker();
  start();
  wait_until_healthy(1);
  expect_sign_ins_go_on(1);
  worker.kill();
  expect_sign_ins_go_on();
  wait_until_healthy(0);
  EXPECT_GE(local_.figures().done, 8U);
  worker.revive();
  wait_until_healthy(1);
  const auto before = worker.calls();
  expect_sign_ins_go_on();
  EXPECT_EQ(worker.calls(), before + 8);
}

TEST_F(WithWorkers, OneKilledWhileManySignInCostsNobodyAnything) {
  FakeWorker& victim = add_worker();
  add_worker();
  start();
  wait_until_healthy(2);
  std::vector<std::future<Result<Verdict>>> all;
  for (int i = 0; i < 60; ++i) {
    all.push_back(boost::asio::co_spawn(
        boost::asio::make_strand(engine_.io()),
        verifier_->verify(Secret::from_text(i % 2 ? "geheim" : "falsch"), record_), boost::asio::use_future));
    if (i == 30) victim.kill();
  }
  for (int i = 0; i < 60; ++i) {
    const auto verdict = all[static_cast<std::size_t>(i)].get();
    ASSERT_TRUE(verdict) << verdict.error().text();
    EXPECT_EQ(verdict->right, i % 2 == 1);
  }
}

TEST_F(WithWorkers, AHungOneCostsOneTryAndIsLeftOut) {
  FakeWorker& worker = add_worker();
  start({.deadline = milliseconds(1'500)});
  wait_until_healthy(1);
  worker.set(Habit::hangs, true);
  expect_sign_ins_go_on();
  EXPECT_EQ(worker.calls(), 1U);
  EXPECT_EQ(local_.figures().done, 8U);
}

TEST_F(WithWorkers, ASlowOneIsWaitedFor) {
  const FakeWorker& worker = add_worker(Habit::slow);
  start();
  wait_until_healthy(1);
  expect_sign_ins_go_on(1);
  EXPECT_EQ(worker.calls(), 2U);
  EXPECT_EQ(local_.figures().done, 0U);
}

class Deceit : public WithWorkers, public testing::WithParamInterface<Habit> {};

TEST_P(Deceit, IsNeverBelieved) {
  FakeWorker& worker = add_worker();
  start();
  wait_until_healthy(1);
  worker.set(GetParam());
  if (GetParam() == Habit::replays) {
    EXPECT_TRUE(verify("geheim")->right);  // genuine, and kept for later
  }
  const auto wrong = verify("falsch");
  ASSERT_TRUE(wrong) << wrong.error().text();
  EXPECT_FALSE(wrong->right);
  EXPECT_GE(worker.calls(), 1U);
  EXPECT_EQ(local_.figures().done, 1U);  // decided here
  expect_sign_ins_go_on();
  EXPECT_GE(verifier_->workers().front().failed, 1U);
}

INSTANTIATE_TEST_SUITE_P(Workers, Deceit,
                         testing::Values(Habit::lies, Habit::forges, Habit::replays, Habit::no_reason));

TEST_F(WithWorkers, OneWithAnotherSecretIsNeverToldAPassword) {
  const FakeWorker& stranger = add_worker(Habit::honest, Secret::random(32));
  start();
  while (stranger.checks() < 2) std::this_thread::yield();
  expect_sign_ins_go_on();
  EXPECT_EQ(stranger.calls(), 0U);
  EXPECT_EQ(stranger.hashed(), 0U);
  EXPECT_FALSE(verifier_->workers().front().healthy);
}

TEST_F(WithWorkers, WithoutFallbackAndWorkersNobodyIsLetIn) {
  FakeWorker& dead = add_worker();
  FakeWorker& liar = add_worker(Habit::lies);
  dead.kill();
  start({.deadline = milliseconds(2'000), .local_fallback = false});
  for (int i = 0; i < 3; ++i) {
    const auto verdict = verify("geheim");
    ASSERT_FALSE(verdict);
    EXPECT_TRUE(verdict.error().code == Code::busy || verdict.error().code == Code::timed_out);
  }
  EXPECT_EQ(local_.figures().done, 0U);
  liar.set(Habit::honest);
  wait_until_healthy(1);
  EXPECT_TRUE(verify("geheim")->right);
  EXPECT_EQ(local_.figures().done, 0U);
}

TEST_F(WithWorkers, WhenEveryLaneIsTakenTheServersOwnPoolHelps) {
  const FakeWorker& worker = add_worker(Habit::slow);
  start();
  wait_until_healthy(1);
  std::vector<std::future<Result<Verdict>>> all;
  for (int i = 0; i < 24; ++i)
    all.push_back(boost::asio::co_spawn(boost::asio::make_strand(engine_.io()),
                                        verifier_->verify(Secret::from_text("geheim"), record_),
                                        boost::asio::use_future));
  for (auto& one : all) EXPECT_TRUE(one.get()->right);
  EXPECT_GE(worker.calls(), 4U);
  EXPECT_GE(local_.figures().done, 1U);
  EXPECT_EQ(worker.calls() + local_.figures().done, 24U);
}

TEST_F(WithWorkers, AShortSecretMeansNoWorkers) {
  const FakeWorker& worker = add_worker();
  VerifierOptions options;
  options.workers.push_back({worker.url()});
  options.worker_secret = Secret::from_text("too short");
  Verifier verifier(engine_.io().get_executor(), local_, std::move(options));
  EXPECT_TRUE(verifier.workers().empty());
  EXPECT_TRUE(engine_.await(verifier.verify(Secret::from_text("geheim"), record_))->right);
  EXPECT_EQ(worker.checks(), 0U);
}

}  // namespace
}  // namespace muhur::passwords
