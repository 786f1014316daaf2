// W3C Trace Context, level 1 (https://www.w3.org/TR/trace-context/): parser, formatter, and spans
// that only pass the context on.
#include "lib/telemetry/trace.h"

#include <algorithm>

namespace telemetry {

namespace {

constexpr size_t kTraceIdDigits = 32, kSpanIdDigits = 16;
constexpr size_t kHeaderLength = 55;  // of version 00; later versions may be longer

bool IsHex(std::string_view text) {
  return std::ranges::all_of(
      text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

bool IsId(std::string_view text, size_t digits) {
  return text.size() == digits && IsHex(text) &&
         text.find_first_not_of('0') != std::string_view::npos;
}

class PassingSpan : public Span {
 public:
  explicit PassingSpan(TraceContext context) : context_(std::move(context)) {}
  bool recording() const override { return false; }
  void Name(std::string_view) override {}
  void Attribute(std::string_view, const base::Json&) override {}
  void Event(std::string_view, const base::Json&) override {}
  void Fail(std::string_view) override {}
  std::unique_ptr<Span> Child(std::string_view, SpanKind) override {
    return std::make_unique<PassingSpan>(context_);
  }
  TraceContext context() const override { return context_; }

 private:
  const TraceContext context_;
};

class NoopTracer : public Tracer {
 public:
  std::unique_ptr<Span> Start(const SpanStart& start) override {
    return std::make_unique<PassingSpan>(start.parent);
  }
  bool exporting() const override { return false; }
};

}  // namespace

TraceContext ParseTraceparent(std::string_view header) {
  const bool dashes =
      header.size() >= kHeaderLength && header[2] == '-' && header[35] == '-' && header[52] == '-';
  if (!dashes) return {};
  const std::string_view version = header.substr(0, 2);
  const std::string_view flags = header.substr(53, 2);
  const bool longer = header.size() > kHeaderLength;
  if (!IsHex(version) || version == "ff" || !IsHex(flags)) return {};
  if (longer && (version == "00" || header[kHeaderLength] != '-')) return {};
  TraceContext context{std::string(header.substr(3, kTraceIdDigits)),
                       std::string(header.substr(36, kSpanIdDigits)), false};
  if (!IsId(context.trace_id, kTraceIdDigits) || !IsId(context.span_id, kSpanIdDigits)) return {};
  const char last = flags[1];
  context.sampled = ((last <= '9' ? last - '0' : last - 'a' + 10) & 1) != 0;
  return context;
}

std::string FormatTraceparent(const TraceContext& context) {
  if (!IsId(context.trace_id, kTraceIdDigits) || !IsId(context.span_id, kSpanIdDigits)) return {};
  return "00-" + context.trace_id + "-" + context.span_id + (context.sampled ? "-01" : "-00");
}

std::unique_ptr<Tracer> MakeNoopTracer() { return std::make_unique<NoopTracer>(); }

}  // namespace telemetry
