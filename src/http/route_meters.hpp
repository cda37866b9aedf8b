#pragma once
// What is counted of one route: answers by the class of their status, and how long they took. A route that
// nobody asks for takes no line in the metrics. Private to http/. Thread-safe.

#include <array>
#include <atomic>
#include <string>
#include <string_view>

#include "base/metrics.hpp"

namespace muhur::http {

class RouteMeters {
 public:
  // Both constants of the program: a route is counted as it was added ("/device/{code}"), never as asked for.
  RouteMeters(std::string_view method, std::string_view route);
  RouteMeters(const RouteMeters&) = delete;
  RouteMeters& operator=(const RouteMeters&) = delete;
  void answered(int status);
  void took(double seconds);
  // For what is refused, or has no route.
  static RouteMeters& other();

 private:
  const std::string labels_;
  std::array<std::atomic<metrics::Counter*>, 6> answers_{};  // [1]: 1xx …
  std::atomic<metrics::Histogram*> seconds_{nullptr};
};

}  // namespace muhur::http
