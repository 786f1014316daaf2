// The ends of the SDK's batch processor, so that nothing waits in it without a limit and every span
// has a fate that is counted. Not for what is in a span.
#pragma once

#include <opentelemetry/sdk/trace/exporter.h>
#include <opentelemetry/sdk/trace/processor.h>

#include <atomic>
#include <memory>

#include "lib/telemetry/otlp_module.h"

namespace telemetry {

namespace sdk_trace = opentelemetry::sdk::trace;

// What both ends share.
class ExportState {
 public:
  explicit ExportState(const OtlpSetup& with) : setup(with) {}
  // From now on no span is taken; those that wait are sent until a call fails or flush_ms is over.
  void End();
  bool ended() const { return end_ms_ != 0; }
  bool MaySend() const;

  const OtlpSetup setup;
  std::atomic<size_t> waiting = 0;
  std::atomic<bool> failed = false;  // the last call

 private:
  std::atomic<int64_t> end_ms_ = 0;  // monotonic; 0: it does not end yet
};

// The exporter of 1.19 answers "success" to a refused connection, a 400 and a time-out alike; that
// a call failed is only in its log. This takes the log, which is no JSON and may quote collectors,
// off stderr and counts the errors in it. Once a process.
void WatchSdkLog();

// In front of the batch processor: refuses a span when the queue is full.
std::unique_ptr<sdk_trace::SpanProcessor> BoundedProcessor(
    std::unique_ptr<sdk_trace::SpanProcessor> next, std::shared_ptr<ExportState> state);

// Behind it: counts what became of a batch.
std::unique_ptr<sdk_trace::SpanExporter> CountedExporter(
    std::unique_ptr<sdk_trace::SpanExporter> next, std::shared_ptr<ExportState> state);

}  // namespace telemetry
