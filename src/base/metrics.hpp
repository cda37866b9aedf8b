#pragma once
// Counters, gauges and histograms in one registry, printed in Prometheus' text format 0.0.4.
// A metric is looked up once (a function-local static reference) and then costs one relaxed atomic add.
// Label values come from small closed sets, never from users' input.
//
//   static auto& appended = metrics::counter("muhur_messages_appended_total", "Messages stored");
//   appended.add();

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace muhur::metrics {

class Counter {
 public:
  void add(std::uint64_t n = 1) { value_.fetch_add(n, std::memory_order_relaxed); }
  std::uint64_t value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_{0};
};

class Gauge {
 public:
  void set(std::int64_t v) { value_.store(v, std::memory_order_relaxed); }
  void add(std::int64_t n) { value_.fetch_add(n, std::memory_order_relaxed); }
  std::int64_t value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::int64_t> value_{0};
};

// A counter of time, printed in seconds: CPU used, time waited.
class Seconds {
 public:
  void add(std::chrono::nanoseconds time) { value_.fetch_add(time.count(), std::memory_order_relaxed); }
  // For time that somebody else counts (the kernel): never less than before.
  void set(std::chrono::nanoseconds time) { value_.store(time.count(), std::memory_order_relaxed); }
  std::chrono::nanoseconds value() const {
    return std::chrono::nanoseconds(value_.load(std::memory_order_relaxed));
  }

 private:
  std::atomic<std::int64_t> value_{0};
};

// Durations in seconds with buckets from 0.1 ms to 100 s, three a decade.
class Histogram {
 public:
  static constexpr std::size_t kBuckets = 19;
  void observe(double seconds);
  std::uint64_t count() const { return count_.load(std::memory_order_relaxed); }
  double sum_seconds() const { return static_cast<double>(sum_us_.load(std::memory_order_relaxed)) / 1e6; }
  const std::array<std::atomic<std::uint64_t>, kBuckets + 1>& buckets() const { return buckets_; }
  static double upper_bound(std::size_t bucket);

 private:
  std::array<std::atomic<std::uint64_t>, kBuckets + 1> buckets_{};
  std::atomic<std::uint64_t> count_{0};
  std::atomic<std::uint64_t> sum_us_{0};
};

// The same name and labels give the same object for the life of the process. `labels` is already in
// the form `kind="imap",result="ok"`.
Counter& counter(std::string_view name, std::string_view help, std::string_view labels = {});
Gauge& gauge(std::string_view name, std::string_view help, std::string_view labels = {});
Histogram& histogram(std::string_view name, std::string_view help, std::string_view labels = {});
Seconds& seconds(std::string_view name, std::string_view help, std::string_view labels = {});

// `name="value"`, the value escaped. Several are joined by commas.
std::string label(std::string_view name, std::string_view value);

// Sets what is only worth knowing when somebody looks. Called before each text is made, one text at a time,
// from the thread that asks for it: quick, and not for prometheus_text() or on_scrape() itself. Ends with
// what it returns, which waits for a call under way.
class Scraped {
 public:
  virtual ~Scraped() = default;
};
[[nodiscard]] std::unique_ptr<Scraped> on_scrape(std::function<void()> set);

// Everything, with the figures of the process that Prometheus' own libraries export (process_…). Thread-safe.
std::string prometheus_text();

}  // namespace muhur::metrics
