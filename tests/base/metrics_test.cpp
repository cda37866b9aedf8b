#include "base/metrics.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ctime>
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

TEST(Metrics, TimeIsCountedInSeconds) {
  auto& time = metrics::seconds("t_time_seconds_total", "Time");
  time.add(std::chrono::milliseconds(1'500));
  time.add(std::chrono::microseconds(250));
  EXPECT_THAT(metrics::prometheus_text(),
              HasSubstr("# TYPE t_time_seconds_total counter\nt_time_seconds_total 1.50025\n"));
}

TEST(Metrics, ALabelsValueIsEscaped) {
  EXPECT_EQ(metrics::label("k", "a\"b\\c\nd"), "k=\"a\\\"b\\\\c\\nd\"");
}

TEST(Metrics, WhatIsSetOnScrapeIsSetBeforeEachTextUntilItEnds) {
  auto& gauge = metrics::gauge("t_scraped", "x");
  std::int64_t times = 0;
  {
    const auto scraped = metrics::on_scrape([&] { gauge.set(++times); });
    EXPECT_THAT(metrics::prometheus_text(), HasSubstr("\nt_scraped 1\n"));
    EXPECT_THAT(metrics::prometheus_text(), HasSubstr("\nt_scraped 2\n"));
  }
  EXPECT_THAT(metrics::prometheus_text(), HasSubstr("\nt_scraped 2\n"));
}

TEST(Metrics, TheProcessIsDescribedAsPrometheusLibrariesDo) {
  const std::string text = metrics::prometheus_text();
  const auto value_of = [&](const std::string& name) {
    const auto at = text.find("\n" + name + " ");
    EXPECT_NE(at, std::string::npos) << name;
    return at == std::string::npos ? 0.0 : std::stod(text.substr(at + name.size() + 2));
  };
  EXPECT_GT(value_of("process_cpu_seconds_total"), 0);
  EXPECT_GT(value_of("process_resident_memory_bytes"), 1 << 20);
  EXPECT_GT(value_of("process_virtual_memory_bytes"), value_of("process_resident_memory_bytes"));
  EXPECT_GE(value_of("process_open_fds"), 3);
  EXPECT_GE(value_of("process_max_fds"), value_of("process_open_fds"));
  EXPECT_GE(value_of("process_threads"), 1);
  const auto now = static_cast<double>(std::time(nullptr));
  EXPECT_LE(value_of("process_start_time_seconds"), now + 1);
  EXPECT_GT(value_of("process_start_time_seconds"), now - 24 * 3600);
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
