#include "passwords/trial.hpp"

#include <gtest/gtest.h>

#include "passwords/fake_worker.hpp"

namespace muhur::passwords {
namespace {

TrialOptions quick(const std::string& url) {
  TrialOptions options;
  options.url = url;
  options.time = std::chrono::milliseconds(50);
  options.cost = 4;
  return options;
}

TEST(WorkerTrial, TellsRateAndThreadsOfAGoodOne) {
  Engine engine;
  const Secret shared = Secret::random(32);
  const FakeWorker worker(engine, shared);
  const Trial trial = engine.await(try_worker(shared, quick(worker.url())));
  ASSERT_FALSE(trial.error) << trial.error->text();
  EXPECT_EQ(trial.url, worker.url());
  EXPECT_EQ(trial.threads, 1U);
  EXPECT_GT(trial.hashes_per_s, 0);
  EXPECT_GE(worker.calls(), kBcryptLanes);
  EXPECT_EQ(worker.hashed(), worker.calls());
  EXPECT_GE(trial.p95_ms, trial.p50_ms);
  engine.stop();
}

TEST(WorkerTrial, TellsWhatIsWrongWithAnother) {
  Engine engine;
  const Secret shared = Secret::random(32);
  FakeWorker worker(engine, shared);
  EXPECT_EQ(engine.await(try_worker(Secret::random(32), quick(worker.url()))).error->code, Code::denied);
  EXPECT_EQ(engine.await(try_worker(Secret::random(8), quick(worker.url()))).error->code, Code::invalid);
  EXPECT_EQ(engine.await(try_worker(shared, quick("ftp://127.0.0.1"))).error->code, Code::invalid);
  worker.set(Habit::lies);
  EXPECT_EQ(engine.await(try_worker(shared, quick(worker.url()))).error->code, Code::denied);
  worker.kill();
  EXPECT_TRUE(engine.await(try_worker(shared, quick(worker.url()))).error);
  engine.stop();
}

}  // namespace
}  // namespace muhur::passwords
