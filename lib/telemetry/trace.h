// Trace context (W3C) and spans. Without an endpoint spans cost nothing and the context still
// passes through; what sends them is trace_export.h. No span is told prompts, contents or secrets:
// ids, types, titles of memories, counts and outcomes.
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

// One thread at a time. Text of attributes is cut at 256 characters, events at 128 a span.
class Span {
 public:
  virtual ~Span() = default;                     // ends the span
  virtual bool recording() const = 0;            // false: attributes and events go nowhere
  virtual void Name(std::string_view name) = 0;  // when it was not known at the start
  virtual void Attribute(std::string_view key, const base::Json& value) = 0;
  virtual void Event(std::string_view name, const base::Json& attributes) = 0;
  virtual void Fail(std::string_view why) = 0;  // the status; `why` is a code, not a message
  // A part of this span, which may not outlive its tracer.
  virtual std::unique_ptr<Span> Child(std::string_view name, SpanKind kind) = 0;
  virtual TraceContext context() const = 0;
};

struct SpanStart {
  std::string_view name;
  SpanKind kind = SpanKind::kInternal;
  TraceContext parent = {};  // empty: a new trace begins
  TraceContext cause = {};   // a span that did not wait for this one and is linked; empty: none
};

// Any thread.
class Tracer {
 public:
  virtual ~Tracer() = default;  // sends what is left, for two seconds at most
  virtual std::unique_ptr<Span> Start(const SpanStart& start) = 0;
  virtual bool exporting() const = 0;  // false: spans only pass the parent's context on
};

// Spans that only carry the parent's context on.
std::unique_ptr<Tracer> MakeNoopTracer();

}  // namespace telemetry
