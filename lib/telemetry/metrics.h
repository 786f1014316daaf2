// Counters, gauges and histograms for Prometheus (prometheus-cpp inside metrics.cc). The names of
// all metrics stand here, with unit and meaning; docs/operations.md says what to do about them.
#pragma once

#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace telemetry {

using Labels = std::map<std::string, std::string>;

// One registry a program. Any thread. A metric is made on first use; labels must be bounded.
class Metrics {
 public:
  Metrics();
  ~Metrics();
  void Count(std::string_view name, const Labels& labels = {}, double by = 1);
  // Takes a series away whose label stands for something that is gone; nobody may count it
  // meanwhile.
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

// What a metric is, for HELP lines and documents.
struct MetricInfo {
  const char* name;
  const char* type;  // counter, gauge, histogram
  const char* help;  // with its unit
};
const std::vector<MetricInfo>& KnownMetrics();  // an unknown name ends the process (CHECK)

}  // namespace telemetry
