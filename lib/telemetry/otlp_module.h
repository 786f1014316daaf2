// The interface of the exporter's module and the program that loads it. The module is a separate
// file, so that only programs with tracing load the 20 libraries of opentelemetry-cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "lib/telemetry/trace.h"

namespace telemetry {

struct OtlpSetup {
  std::string url;                         // http://collector:4318/v1/traces
  std::string service, version, instance;  // of the resource; OTEL_* variables override them
  size_t queue_spans = 2048;               // ended but unsent spans; more are dropped
  int64_t batch_ms = 1'000;                // longest delay before a batch is sent
  int64_t call_ms = 2'000;                 // timeout of a batch; a running call cannot be aborted
  int64_t flush_ms = 2'000;                // at the end no call begins after it
  // Counts fates of spans: "exported", "failed" (the collector refused them or did not answer),
  // "dropped" (full queue, or no time at the end). Any thread; must not block.
  std::function<void(const char* fate, size_t spans)> count;
};

// The module's only symbol. Null: the library failed; throws nothing.
using MakeOtlpTracer = Tracer* (*)(const OtlpSetup& setup);
inline constexpr const char* kMakeOtlpTracer = "agent_memory_make_otlp_tracer";

}  // namespace telemetry
