#include "http/route_meters.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace muhur::http {

RouteMeters::RouteMeters(std::string_view method, std::string_view route)
    : labels_(metrics::label("method", method) + "," + metrics::label("route", route)) {}

// The registry gives every caller the same object: threads that come first together agree.
void RouteMeters::answered(int status) {
  const auto kind = static_cast<std::size_t>(std::clamp(status / 100, 1, 5));
  metrics::Counter* counter = answers_[kind].load(std::memory_order_acquire);
  if (counter == nullptr) {
    counter = &metrics::counter("muhur_http_requests_total", "Answers by route and class of their status",
                                fmt::format("{},status=\"{}xx\"", labels_, kind));
    answers_[kind].store(counter, std::memory_order_release);
  }
  counter->add();
}

void RouteMeters::took(double seconds) {
  metrics::Histogram* histogram = seconds_.load(std::memory_order_acquire);
  if (histogram == nullptr) {
    histogram = &metrics::histogram("muhur_http_request_seconds",
                                    "From a request's end to its answer, by route", labels_);
    seconds_.store(histogram, std::memory_order_release);
  }
  histogram->observe(seconds);
}

RouteMeters& RouteMeters::other() {
  static RouteMeters& one = *new RouteMeters("any", "other");
  return one;
}

}  // namespace muhur::http
