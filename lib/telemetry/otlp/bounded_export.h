// Decorators around the SDK's batch processor: they bound its queue and count the fate of every
// span. Limits of a span's content: trace_export.cc.
#pragma once

#include <opentelemetry/sdk/trace/exporter.h>
#include <opentelemetry/sdk/trace/processor.h>

#include <atomic>
#include <memory>

#include "lib/telemetry/otlp_module.h"

namespace telemetry {

namespace sdk_trace = opentelemetry::sdk::trace;

// The common state of both decorators.
class ExportState {
 public:
  explicit ExportState(const OtlpSetup& with) : setup(with) {}
  // Refuses new spans; queued ones are sent until a call fails or flush_ms has passed.
  void End();
  bool ended() const { return end_ms_ != 0; }
  bool MaySend() const;

  const OtlpSetup setup;
  std::atomic<size_t> waiting = 0;
  std::atomic<bool> failed = false;  // result of the last call

 private:
  std::atomic<int64_t> end_ms_ = 0;  // monotonic; 0: End was not called
};

// The exporter of 1.19 returns "success" also for a refused connection, a 400 and a timeout: only
// its log has the error. Counts the errors of the log, and keeps it off stderr, since it is no JSON
// and may quote collectors. Once per process.
void WatchSdkLog();

// Before the batch processor: refuses a span if the queue is full.
std::unique_ptr<sdk_trace::SpanProcessor> BoundedProcessor(
    std::unique_ptr<sdk_trace::SpanProcessor> next, std::shared_ptr<ExportState> state);

// After the batch processor: counts the fates of a batch.
std::unique_ptr<sdk_trace::SpanExporter> CountedExporter(
    std::unique_ptr<sdk_trace::SpanExporter> next, std::shared_ptr<ExportState> state);

}  // namespace telemetry
