// The registry on top of prometheus-cpp, which no other file uses.
#include "lib/telemetry/metrics.h"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <mutex>

#include "lib/base/check.h"

namespace telemetry {

namespace {

// Half a millisecond to ten seconds: from a lookup in memory to a request with a timeout.
const prometheus::Histogram::BucketBoundaries& Buckets() {
  static const prometheus::Histogram::BucketBoundaries buckets = {
      0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10};
  return buckets;
}

const MetricInfo& Known(std::string_view name, std::string_view type) {
  for (const MetricInfo& metric : KnownMetrics()) {
    if (metric.name == name && metric.type == type) return metric;
  }
  base::CheckFailed(__FILE__, __LINE__,
                    ("no " + std::string(type) + " named " + std::string(name)).c_str());
}

}  // namespace

struct Metrics::State {
  template <class Family>
  using Families = std::map<std::string, Family*, std::less<>>;

  // The family of a name; registers it on first use.
  template <class Type, class Builder>
  prometheus::Family<Type>& FamilyOf(Families<prometheus::Family<Type>>& families,
                                     std::string_view name, const char* type, Builder builder) {
    const std::lock_guard lock(mutex);
    if (const auto found = families.find(name); found != families.end()) return *found->second;
    const MetricInfo& known = Known(name, type);
    auto& family = builder().Name(known.name).Help(known.help).Register(registry);
    families.emplace(known.name, &family);
    return family;
  }
  auto& Counters(std::string_view name) {
    return FamilyOf(counters, name, "counter", prometheus::BuildCounter);
  }
  auto& Gauges(std::string_view name) {
    return FamilyOf(gauges, name, "gauge", prometheus::BuildGauge);
  }
  auto& Histograms(std::string_view name) {
    return FamilyOf(histograms, name, "histogram", prometheus::BuildHistogram);
  }

  prometheus::Registry registry;
  std::mutex mutex;  // guards the maps; the families have their own
  Families<prometheus::Family<prometheus::Counter>> counters;
  Families<prometheus::Family<prometheus::Gauge>> gauges;
  Families<prometheus::Family<prometheus::Histogram>> histograms;
};

Metrics::Metrics() : state_(std::make_unique<State>()) {}
Metrics::~Metrics() = default;

void Metrics::Count(std::string_view name, const Labels& labels, double by) {
  state_->Counters(name).Add(labels).Increment(by);
}

void Metrics::RemoveCounter(std::string_view name, const Labels& labels) {
  auto& family = state_->Counters(name);
  if (family.Has(labels)) family.Remove(&family.Add(labels));
}

void Metrics::SetGauge(std::string_view name, double value, const Labels& labels) {
  state_->Gauges(name).Add(labels).Set(value);
}

void Metrics::Observe(std::string_view name, double value, const Labels& labels) {
  state_->Histograms(name).Add(labels, Buckets()).Observe(value);
}

double Metrics::Value(std::string_view name, const Labels& labels) const {
  for (const MetricInfo& known : KnownMetrics()) {
    if (known.name != name) continue;
    const std::string_view type = known.type;
    if (type == "histogram") {
      auto& family = state_->Histograms(name);
      if (!family.Has(labels)) return 0;
      return static_cast<double>(family.Add(labels, Buckets()).Collect().histogram.sample_count);
    }
    if (type == "gauge") {
      auto& family = state_->Gauges(name);
      return family.Has(labels) ? family.Add(labels).Value() : 0;
    }
    auto& family = state_->Counters(name);
    return family.Has(labels) ? family.Add(labels).Value() : 0;
  }
  base::CheckFailed(__FILE__, __LINE__, ("no metric named " + std::string(name)).c_str());
}

std::string Metrics::Render() const {
  return prometheus::TextSerializer().Serialize(state_->registry.Collect());
}

}  // namespace telemetry
