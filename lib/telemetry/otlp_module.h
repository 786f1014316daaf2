// What the module of the exporter and the program that loads it agree on. The module is a file of
// its own because opentelemetry-cpp brings 20 libraries, which nobody pays for who does not trace.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "lib/telemetry/trace.h"

namespace telemetry {

struct OtlpSetup {
  std::string url;                         // http://collector:4318/v1/traces
  std::string service, version, instance;  // of the resource; OTEL_* variables go over them
  size_t queue_spans = 2048;               // ended and not sent yet; more are dropped
  int64_t batch_ms = 1'000;                // longest time until an ended span is sent
  int64_t call_ms = 2'000;                 // for one batch; a call that runs cannot be ended
  int64_t flush_ms = 2'000;                // at the end no call begins behind it
  // Fates of spans: "exported", "failed" (the collector did not take them), "dropped" (no room, or
  // no time at the end). Any thread; must not block.
  std::function<void(const char* fate, size_t spans)> count;
};

// The module's one symbol. Null: the library refused; nothing is thrown.
using MakeOtlpTracer = Tracer* (*)(const OtlpSetup& setup);
inline constexpr const char* kMakeOtlpTracer = "agent_memory_make_otlp_tracer";

}  // namespace telemetry
