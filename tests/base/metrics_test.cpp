#include "base/metrics.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace muhur {
namespace {

using testing::HasSubstr;

TEST(Metrics, TheSameNameAndLabelsAreTheSameCounter) {
  auto& a = metrics::counter("t_same_total", "x", "k=\"1\"");
  auto& b = metrics::counter("t_same_total", "x", "k=\"1\"");
  auto& c = metrics::counter("t_same_total", "x", "k=\"2\"");
  EXPECT_EQ(&a, &b);
  EXPECT_NE(&a, &c);
}

TEST(Metrics, PrintsPrometheusText) {
  metrics::counter("t_print_total", "Things\nseen", "kind=\"a\"").add(3);
  metrics::gauge("t_print_open", "Open").set(-2);
  const std::string text = metrics::prometheus_text();
  EXPECT_THAT(text, HasSubstr("# HELP t_print_total Things\\nseen\n# TYPE t_print_total counter\n"
                              "t_print_total{kind=\"a\"} 3\n"));
  EXPECT_THAT(text, HasSubstr("# TYPE t_print_open gauge\nt_print_open -2\n"));
}

TEST(Metrics, AHistogramsBucketsAreCumulative) {
  auto& h = metrics::histogram("t_hist_seconds", "Time", "op=\"x\"");
  h.observe(0.0001);
  h.observe(0.003);
  h.observe(500);
  h.observe(-1);
  EXPECT_EQ(h.count(), 4U);
  const std::string text = metrics::prometheus_text();
  EXPECT_THAT(text, HasSubstr("t_hist_seconds_bucket{op=\"x\",le=\"0.0001\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("t_hist_seconds_bucket{op=\"x\",le=\"0.005\"} 3\n"));
  EXPECT_THAT(text, HasSubstr("t_hist_seconds_bucket{op=\"x\",le=\"100\"} 3\n"));
  EXPECT_THAT(text, HasSubstr("t_hist_seconds_bucket{op=\"x\",le=\"+Inf\"} 4\n"));
  EXPECT_THAT(text, HasSubstr("t_hist_seconds_count{op=\"x\"} 4\n"));
}

TEST(Metrics, CountsFromManyThreads) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([] {
      for (int n = 0; n < 1000; ++n) metrics::counter("t_threads_total", "x").add();
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(metrics::counter("t_threads_total", "x").value(), 4000U);
}

}  // namespace
}  // namespace muhur
