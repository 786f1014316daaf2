// Trace context (W3C) and spans. Without an endpoint spans cost nothing and the context still
// passes through; the exporter is a module loaded only when one is configured (design §3).
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "lib/base/json.h"

namespace telemetry {

// traceparent: 00-<32 hex>-<16 hex>-<2 hex>. Empty ids: no trace.
struct TraceContext {
  std::string trace_id, span_id;
  bool sampled = false;
};
TraceContext ParseTraceparent(std::string_view header);      // malformed: an empty context
std::string FormatTraceparent(const TraceContext& context);  // empty without ids

class Span {
 public:
  virtual ~Span() = default;  // ends the span
  virtual void Attribute(std::string_view key, const base::Json& value) = 0;
  virtual void Event(std::string_view name, const base::Json& attributes) = 0;
  virtual TraceContext context() const = 0;
};

class Tracer {
 public:
  virtual ~Tracer() = default;
  virtual std::unique_ptr<Span> Start(std::string_view name, const TraceContext& parent) = 0;
};

// Spans that only carry the parent's context on.
std::unique_ptr<Tracer> MakeNoopTracer();

}  // namespace telemetry
