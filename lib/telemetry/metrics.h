// Counters, gauges and histograms for Prometheus (prometheus-cpp inside metrics.cc).
// known_metrics.cc has all names, with unit and meaning; docs/operations/monitoring.md the action
// for each.
#pragma once

#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace telemetry {

using Labels = std::map<std::string, std::string>;

// One registry per program. Any thread. Creates a series on first use; labels must be bounded. An
// unknown name ends the process (CHECK).
class Metrics {
 public:
  Metrics();
  ~Metrics();
  void Count(std::string_view name, const Labels& labels = {}, double by = 1);
  // Removes a series whose label names a deleted thing; no other thread may count it during the
  // call.
  void RemoveCounter(std::string_view name, const Labels& labels);
  void SetGauge(std::string_view name, double value, const Labels& labels = {});
  void Observe(std::string_view name, double value,
               const Labels& labels = {});                               // histogram, seconds
  double Value(std::string_view name, const Labels& labels = {}) const;  // for status and tests
  std::string Render() const;                                            // Prometheus text 0.0.4

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// A metric, for HELP lines and documents.
struct MetricInfo {
  const char* name;
  const char* type;  // counter, gauge, histogram
  const char* help;  // with its unit
};
const std::vector<MetricInfo>& KnownMetrics();

}  // namespace telemetry
