// Trace context (W3C) and spans; trace_export.h sends them. Without an endpoint spans cost nothing
// and only pass the context on. Spans have ids, types, titles of memories, counts and outcomes,
// never prompts, contents or secrets.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "lib/base/json/json.h"

namespace telemetry {

// traceparent: 00-<32 hex>-<16 hex>-<2 hex>. Empty ids: no trace.
struct TraceContext {
  std::string trace_id, span_id;
  bool sampled = false;
};
TraceContext ParseTraceparent(std::string_view header);      // malformed: an empty context
std::string FormatTraceparent(const TraceContext& context);  // empty without ids

enum class SpanKind { kInternal, kServer, kClient };

// One thread at a time. Limits: 256 characters per text attribute, 128 events per span.
class Span {
 public:
  virtual ~Span() = default;                     // ends the span
  virtual bool recording() const = 0;            // false: attributes and events go nowhere
  virtual void Name(std::string_view name) = 0;  // if unknown at the start
  virtual void Attribute(std::string_view key, const base::Json& value) = 0;
  virtual void Event(std::string_view name, const base::Json& attributes) = 0;
  virtual void Fail(std::string_view why) = 0;  // the status; `why` is a code, not a message
  // A child span, which must not outlive its tracer.
  virtual std::unique_ptr<Span> Child(std::string_view name, SpanKind kind) = 0;
  virtual TraceContext context() const = 0;
};

struct SpanStart {
  std::string_view name;
  SpanKind kind = SpanKind::kInternal;
  TraceContext parent = {};  // empty: a new trace begins
  TraceContext cause = {};   // a linked span that did not wait for this one; empty: none
};

// Any thread.
class Tracer {
 public:
  virtual ~Tracer() = default;  // sends the rest; no call begins after two seconds
  virtual std::unique_ptr<Span> Start(const SpanStart& start) = 0;
  virtual bool exporting() const = 0;  // false: spans only pass on the parent's context
};

// Makes spans that only pass on the parent's context.
std::unique_ptr<Tracer> MakeNoopTracer();

}  // namespace telemetry
