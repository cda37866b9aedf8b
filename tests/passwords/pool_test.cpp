#include "passwords/pool.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <condition_variable>
#include <future>
#include <latch>
#include <list>

namespace muhur::passwords {
namespace {

using namespace std::chrono_literals;

std::chrono::steady_clock::time_point in(std::chrono::milliseconds time) {
  return std::chrono::steady_clock::now() + time;
}

BcryptRecord record_of(std::string_view password, int cost = 4) {
  return *make_bcrypt(as_bytes(password), cost);
}

// A latch that lasts: a pool's thread may still be inside wait() or count_down() when a test goes on.
std::latch& latch_for(int count) {
  static std::list<std::latch> latches;
  return latches.emplace_back(count);
}

// Holds a pool's one thread inside a callback until it is let go.
class Plug {
 public:
  explicit Plug(HashPool& pool) {
    std::latch& held = latch_for(1);
    pool.verify(Secret::from_text("x"), record_of("x"), in(1h), [&held, &go = go_](Result<Verdict>) {
      held.count_down();
      go.wait();
    });
    held.wait();
  }
  void release() { go_.count_down(); }

 private:
  std::latch& go_ = latch_for(1);
};

TEST(HashPool, VerifiesEveryFormat) {
  HashPool pool({.threads = 2});
  std::promise<Result<std::string>> hashed;
  pool.hash(Secret::from_text("geheim"), {64, 1}, in(1h),
            [&](auto got) { hashed.set_value(std::move(got)); });
  const auto own = hashed.get_future().get();
  ASSERT_TRUE(own);
  for (const std::string& text : {*own, to_text(record_of("geheim"))}) {
    for (const bool right : {true, false}) {
      std::promise<Result<Verdict>> verified;
      pool.verify(Secret::from_text(right ? "geheim" : "Geheim"), *parse_record(text), in(1h),
                  [&](auto got) { verified.set_value(std::move(got)); });
      const auto verdict = verified.get_future().get();
      ASSERT_TRUE(verdict);
      EXPECT_EQ(verdict->right, right) << text;
      EXPECT_EQ(verdict->kek.size(), text == *own ? 32U : 0U);
    }
  }
}

TEST(HashPool, TakesFourOfOneCostAtATimeAndTellsEachItsOwnAnswer) {
  HashPool pool({.threads = 1});
  Plug plug(pool);
  std::latch& all = latch_for(9);
  std::array<std::atomic<int>, 9> right{};
  for (std::size_t i = 0; i < 9; ++i) {
    const auto password = "password " + std::to_string(i);
    pool.verify(Secret::from_text(i % 3 == 2 ? "wrong" : password), record_of(password), in(1h),
                [&, i](Result<Verdict> got) {
                  right[i] = got && got->right ? 1 : 2;
                  all.count_down();
                });
  }
  EXPECT_EQ(pool.figures().waiting, 9U);
  plug.release();
  all.wait();
  for (std::size_t i = 0; i < 9; ++i) EXPECT_EQ(right[i], i % 3 == 2 ? 2 : 1) << i;
  EXPECT_EQ(pool.figures().batches, 1U + 3U);  // the plug; 4, 4 and 1
  EXPECT_EQ(pool.figures().running, 0U);
}

TEST(HashPool, KeepsCostsApart) {
  HashPool pool({.threads = 1});
  Plug plug(pool);
  std::latch& all = latch_for(6);
  std::atomic<int> right{0};
  for (std::size_t i = 0; i < 6; ++i)
    pool.verify(Secret::from_text("geheim"), record_of("geheim", i % 2 ? 4 : 5), in(1h), [&](auto got) {
      right += got && got->right;
      all.count_down();
    });
  plug.release();
  all.wait();
  EXPECT_EQ(right, 6);
  EXPECT_EQ(pool.figures().batches, 1U + 2U);
}

TEST(HashPool, IdleThreadsShareWhatWaits) {
  HashPool pool({.threads = 2});
  // Both threads are held and let go together, with four jobs waiting: whoever comes first takes its share.
  std::latch& held = latch_for(2);
  std::latch& go = latch_for(1);
  for (int i = 0; i < 2; ++i) {
    std::latch& begun = latch_for(1);
    pool.verify(Secret::from_text("x"), record_of("x"), in(1h), [&](auto) {
      begun.count_down();
      held.count_down();
      go.wait();
    });
    begun.wait();
  }
  held.wait();
  std::latch& all = latch_for(4);
  for (int i = 0; i < 4; ++i)
    pool.verify(Secret::from_text("x"), record_of("x"), in(1h), [&](auto) { all.count_down(); });
  go.count_down();
  all.wait();
  EXPECT_GE(pool.figures().batches, 2U + 1U);
  EXPECT_LE(pool.figures().batches, 2U + 4U);
}

TEST(HashPool, BeyondTheBoundItRefusesAtOnce) {
  HashPool pool({.threads = 1, .max_waiting = 3});
  Plug plug(pool);
  std::latch& all = latch_for(3);
  for (int i = 0; i < 3; ++i)
    pool.verify(Secret::from_text("x"), record_of("x"), in(1h), [&](auto) { all.count_down(); });
  std::optional<Code> code;
  pool.verify(Secret::from_text("x"), record_of("x"), in(1h),
              [&](Result<Verdict> got) { code = got.error().code; });
  EXPECT_EQ(code, Code::busy);  // answered before verify() returned
  pool.hash(Secret::from_text("x"), {64, 1}, in(1h), [&](auto got) { code = got.error().code; });
  EXPECT_EQ(code, Code::busy);
  EXPECT_EQ(pool.figures().refused, 2U);
  plug.release();
  all.wait();
}

TEST(HashPool, DoesNotComputeWhatCameTooLate) {
  HashPool pool({.threads = 1});
  Plug plug(pool);
  std::promise<Code> late;
  std::promise<bool> in_time;
  pool.verify(Secret::from_text("x"), record_of("x"), in(-1ms),
              [&](Result<Verdict> got) { late.set_value(got ? Code::internal : got.error().code); });
  pool.verify(Secret::from_text("x"), record_of("x"), in(1h),
              [&](auto got) { in_time.set_value(got && got->right); });
  plug.release();
  EXPECT_EQ(late.get_future().get(), Code::timed_out);
  EXPECT_TRUE(in_time.get_future().get());
  EXPECT_EQ(pool.figures().done, 2U);
}

TEST(HashPool, AnswersEveryoneWhenItEnds) {
  std::atomic<int> answered{0}, closed{0};
  {
    HashPool pool({.threads = 1});
    Plug plug(pool);
    for (int i = 0; i < 20; ++i)
      pool.verify(Secret::from_text("x"), record_of("x"), in(1h), [&](Result<Verdict> got) {
        ++answered;
        closed += !got && got.error().code == Code::closed;
      });
    // The destructor answers what waits before it joins the thread, which the last of them lets go.
    pool.verify(Secret::from_text("x"), record_of("x"), in(1h), [&](auto) { plug.release(); });
  }
  EXPECT_EQ(answered, 20);
  EXPECT_EQ(closed, 20);
}

TEST(HashPool, ItsThreadsYieldToOthers) {
  HashPool pool({.threads = 1, .max_waiting = 10, .nice = 7});
  std::promise<int> nice;
  pool.verify(Secret::from_text("x"), record_of("x"), in(1h),
              [&](auto) { nice.set_value(getpriority(PRIO_PROCESS, static_cast<id_t>(gettid()))); });
  EXPECT_EQ(nice.get_future().get(), getpriority(PRIO_PROCESS, 0) + 7);
}

TEST(HashPool, ManyCallersAtOnceEachGetOneAnswer) {
  HashPool pool({.threads = 3, .max_waiting = 50});
  std::atomic<int> right{0}, wrong{0}, busy{0};
  const BcryptRecord record = record_of("geheim");
  {
    std::vector<std::jthread> callers;
    for (int t = 0; t < 4; ++t)
      callers.emplace_back([&] {
        for (int i = 0; i < 100; ++i) {
          std::promise<void> done;
          pool.verify(Secret::from_text(i % 2 ? "geheim" : "falsch"), record, in(1h),
                      [&](Result<Verdict> got) {
                        if (!got)
                          ++busy;
                        else
                          ++(got->right ? right : wrong);
                        done.set_value();
                      });
          done.get_future().wait();
        }
      });
  }
  EXPECT_EQ(right, 200);
  EXPECT_EQ(wrong, 200);
  EXPECT_EQ(busy, 0);
}

}  // namespace
}  // namespace muhur::passwords
