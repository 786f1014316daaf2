// Where spans go: the settings that all programs have for it, and loading the module that sends
// them (OTLP over HTTP). Without an endpoint nothing is loaded. What a span is: trace.h.
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
  std::string endpoint;  // http://collector:4318, /v1/traces is added; empty: no tracing
  std::string setting;   // where the endpoint was given, for errors
  std::string module;    // the file; empty: ../lib/agent-memory-otlp.so beside the program
  std::string service;   // service.name, unless OTEL_SERVICE_NAME says otherwise
};

// otlp-endpoint and otlp-module, for the table of a program.
base::Setting EndpointSetting();
base::Setting ModuleSetting();
// The setting goes over OTEL_EXPORTER_OTLP_ENDPOINT, which OTEL_SDK_DISABLED=true switches off.
// `environment` is a list like environ.
TraceOptions ReadTraceOptions(const base::Settings& settings, const std::string& service,
                              const std::vector<std::string>& environment);
// kInvalid: the endpoint is no http(s) URL with a host, or has a user or a query; names the
// setting.
base::Status CheckTraceOptions(const TraceOptions& options);

// The tracer of a program, one a process; `metrics` must outlive it. Without an endpoint it only
// passes contexts on. kUnavailable: the module does not load (says why). A collector that is away
// is no error: spans are counted as failed.
base::Result<std::unique_ptr<Tracer>> MakeTracer(const TraceOptions& options, Metrics& metrics);

// An attribute as it is sent: text is UTF-8 and at most 256 characters (a batch with one bad byte
// is refused whole), lists and objects are text. Pure.
base::Json TraceValue(const base::Json& value);

}  // namespace telemetry
