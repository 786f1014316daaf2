// Export of spans (trace.h): the settings of all programs, and loading of the module that sends
// spans (OTLP over HTTP). Without an endpoint no module is loaded.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "lib/base/process/config.h"
#include "lib/base/result.h"
#include "lib/telemetry/metrics.h"
#include "lib/telemetry/trace.h"

namespace telemetry {

struct TraceOptions {
  std::string endpoint;  // http://collector:4318; MakeTracer adds /v1/traces; empty: no tracing
  std::string setting;   // the setting or variable of the endpoint, for errors
  std::string module;    // the file; empty: ../lib/agent-memory-otlp.so beside the program
  std::string service;   // service.name, unless OTEL_SERVICE_NAME is set
};

// otlp-endpoint and otlp-module, for a program's table of settings.
base::Setting EndpointSetting();
base::Setting ModuleSetting();
// The setting overrides OTEL_EXPORTER_OTLP_ENDPOINT, which OTEL_SDK_DISABLED=true disables.
// `environment` is a list like environ.
TraceOptions ReadTraceOptions(const base::Settings& settings, const std::string& service,
                              const std::vector<std::string>& environment);
// kInvalid: the endpoint is no http(s) URL with a host, or has a user, a query or a fragment; names
// the setting.
base::Status CheckTraceOptions(const TraceOptions& options);

// Makes the tracer, one per process; `metrics` must outlive it. Without an endpoint it only passes
// contexts on. kUnavailable: the module does not load, with the reason. An unavailable collector is
// no error: its spans count as failed.
base::Result<std::unique_ptr<Tracer>> MakeTracer(const TraceOptions& options, Metrics& metrics);

// The sent form of an attribute: text is UTF-8 of at most 256 characters (collectors refuse a whole
// batch for one bad byte); lists and objects are text. Pure.
base::Json TraceValue(const base::Json& value);

}  // namespace telemetry
