#include "base/metrics.hpp"

#include <fmt/format.h>

#include <iterator>
#include <map>
#include <memory>
#include <variant>

#include "base/log.hpp"
#include "base/metrics_process.hpp"
#include "base/sync.hpp"

namespace muhur::metrics {
namespace {

using Metric = std::variant<std::unique_ptr<Counter>, std::unique_ptr<Gauge>, std::unique_ptr<Histogram>,
                            std::unique_ptr<Seconds>>;
constexpr std::string_view kKinds[] = {"counter", "gauge", "histogram", "counter"};

template <class T>
constexpr std::size_t kKindOf = std::is_same_v<T, Counter>     ? 0
                                : std::is_same_v<T, Gauge>     ? 1
                                : std::is_same_v<T, Histogram> ? 2
                                                               : 3;

struct Family {
  std::string help;
  std::size_t kind = 0;  // index into Metric
  std::map<std::string, Metric, std::less<>> by_labels;
};

struct Registry {
  Mutex mutex;
  std::map<std::string, Family, std::less<>> families MUHUR_GUARDED_BY(mutex);
  static Registry& get() {
    static Registry& registry = *new Registry;  // threads may count until the very end
    return registry;
  }
};

template <class T>
T& find_or_make(std::string_view name, std::string_view help, std::string_view labels) {
  Registry& registry = Registry::get();
  constexpr std::size_t kind = kKindOf<T>;
  const Lock lock(registry.mutex);
  auto at = registry.families.find(name);
  if (at == registry.families.end())
    at = registry.families.emplace(std::string(name), Family{std::string(help), kind, {}}).first;
  Family& family = at->second;
  if (family.kind != kind) {
    // A mistake in the program. The text format allows one kind a name, so this one counts unseen.
    log::error("metrics", "a metric's name is used for two kinds", {{"name", name}});
    return *new T;
  }
  auto metric = family.by_labels.find(labels);
  if (metric == family.by_labels.end())
    metric = family.by_labels.emplace(std::string(labels), std::make_unique<T>()).first;
  return *std::get<std::unique_ptr<T>>(metric->second);
}

// Who wants to be asked before a text is made. Held while they are: an entry does not end in between.
struct Asked {
  Mutex mutex;
  std::map<const void*, std::function<void()>> all MUHUR_GUARDED_BY(mutex);
  static Asked& get() {
    static Asked& asked = *new Asked;
    return asked;
  }
};

class Entry final : public Scraped {
 public:
  explicit Entry(std::function<void()> set) {
    const Lock lock(Asked::get().mutex);
    Asked::get().all.emplace(this, std::move(set));
  }
  ~Entry() override {
    const Lock lock(Asked::get().mutex);
    Asked::get().all.erase(this);
  }
};

struct Print {
  std::string& out;
  std::string_view name, labels;
  void operator()(const std::unique_ptr<Counter>& of) const { line(of->value()); }
  void operator()(const std::unique_ptr<Gauge>& of) const { line(of->value()); }
  void operator()(const std::unique_ptr<Seconds>& of) const {
    line(static_cast<double>(of->value().count()) / 1e9);
  }
  void operator()(const std::unique_ptr<Histogram>& of) const;

 private:
  template <class T>
  void line(T value) const;
};

void append_help(std::string& out, std::string_view help) {
  for (const char c : help) {
    if (c == '\\')
      out += "\\\\";
    else if (c == '\n')
      out += "\\n";
    else
      out += c;
  }
}

std::string braced(std::string_view labels) { return labels.empty() ? "" : fmt::format("{{{}}}", labels); }

template <class T>
void Print::line(T value) const {
  fmt::format_to(std::back_inserter(out), "{}{} {}\n", name, braced(labels), value);
}

void Print::operator()(const std::unique_ptr<Histogram>& of) const {
  const std::string_view comma = labels.empty() ? "" : ",";
  std::uint64_t below = 0;
  for (std::size_t i = 0; i <= Histogram::kBuckets; ++i) {
    below += of->buckets()[i].load(std::memory_order_relaxed);
    const std::string bound =
        i < Histogram::kBuckets ? fmt::format("{:g}", Histogram::upper_bound(i)) : "+Inf";
    fmt::format_to(std::back_inserter(out), "{}_bucket{{{}{}le=\"{}\"}} {}\n", name, labels, comma, bound,
                   below);
  }
  fmt::format_to(std::back_inserter(out), "{}_sum{} {}\n", name, braced(labels), of->sum_seconds());
  // Equal to the last bucket by construction, though other threads go on counting.
  fmt::format_to(std::back_inserter(out), "{}_count{} {}\n", name, braced(labels), below);
}

}  // namespace

double Histogram::upper_bound(std::size_t bucket) {
  static constexpr std::array<double, kBuckets> kBounds = {
      0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100};
  return kBounds[bucket];
}

void Histogram::observe(double seconds) {
  if (!(seconds > 0)) seconds = 0;
  std::size_t bucket = 0;
  while (bucket < kBuckets && seconds > upper_bound(bucket)) ++bucket;
  buckets_[bucket].fetch_add(1, std::memory_order_relaxed);
  count_.fetch_add(1, std::memory_order_relaxed);
  sum_us_.fetch_add(static_cast<std::uint64_t>(std::min(seconds, 1e9) * 1e6 + 0.5),
                    std::memory_order_relaxed);
}

Counter& counter(std::string_view name, std::string_view help, std::string_view labels) {
  return find_or_make<Counter>(name, help, labels);
}
Gauge& gauge(std::string_view name, std::string_view help, std::string_view labels) {
  return find_or_make<Gauge>(name, help, labels);
}
Histogram& histogram(std::string_view name, std::string_view help, std::string_view labels) {
  return find_or_make<Histogram>(name, help, labels);
}

Seconds& seconds(std::string_view name, std::string_view help, std::string_view labels) {
  return find_or_make<Seconds>(name, help, labels);
}

std::string label(std::string_view name, std::string_view value) {
  std::string out = fmt::format("{}=\"", name);
  for (const char c : value) {
    if (c == '\n') {
      out += "\\n";
      continue;
    }
    if (c == '\\' || c == '"') out += '\\';
    out += c;
  }
  return out + '"';
}

std::unique_ptr<Scraped> on_scrape(std::function<void()> set) {
  return std::make_unique<Entry>(std::move(set));
}

std::string prometheus_text() {
  {
    const Lock lock(Asked::get().mutex);
    for (const auto& [_, set] : Asked::get().all) set();
  }
  set_process_figures();
  Registry& registry = Registry::get();
  std::string out;
  const Lock lock(registry.mutex);
  for (const auto& [name, family] : registry.families) {
    fmt::format_to(std::back_inserter(out), "# HELP {} ", name);
    append_help(out, family.help);
    fmt::format_to(std::back_inserter(out), "\n# TYPE {} {}\n", name, kKinds[family.kind]);
    for (const auto& [labels, metric] : family.by_labels) std::visit(Print{out, name, labels}, metric);
  }
  return out;
}

}  // namespace muhur::metrics
