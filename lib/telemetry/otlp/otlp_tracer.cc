// Makes and sends spans with opentelemetry-cpp (OTLP/HTTP, protobuf), in the module that
// lib/telemetry/trace_export.cc loads.
#include <opentelemetry/exporters/otlp/otlp_http_exporter_factory.h>
#include <opentelemetry/exporters/otlp/otlp_http_exporter_options.h>
#include <opentelemetry/sdk/resource/resource.h>
#include <opentelemetry/sdk/trace/batch_span_processor_factory.h>
#include <opentelemetry/sdk/trace/batch_span_processor_options.h>
#include <opentelemetry/sdk/trace/samplers/always_on_factory.h>
#include <opentelemetry/sdk/trace/samplers/parent_factory.h>
#include <opentelemetry/sdk/trace/tracer_provider.h>
#include <opentelemetry/sdk/trace/tracer_provider_factory.h>
#include <opentelemetry/trace/propagation/http_trace_context.h>
#include <opentelemetry/trace/span_context.h>
#include <opentelemetry/trace/tracer.h>

#include <chrono>
#include <cstdlib>
#include <vector>

#include "lib/telemetry/otlp/bounded_export.h"

// The module links none of our libraries, so that it has its own copy of what json.cc instantiates.
template class nlohmann::basic_json<>;

namespace telemetry {

namespace {

namespace otel = opentelemetry;
using otel::common::AttributeValue;
using Attributes = std::vector<std::pair<otel::nostd::string_view, AttributeValue>>;
using Links = std::vector<std::pair<otel::trace::SpanContext, Attributes>>;
using std::chrono::milliseconds;

otel::nostd::string_view View(std::string_view text) { return {text.data(), text.size()}; }

// The value points into `json`: text, a number or a boolean (TraceValue of trace_export.cc).
AttributeValue ValueOf(const base::Json& json) {
  if (const auto* text = json.get_ptr<const std::string*>()) return View(*text);
  if (json.is_boolean()) return json.get<bool>();
  if (json.is_number_float()) return json.get<double>();
  if (json.is_number_integer()) return json.get<int64_t>();
  return otel::nostd::string_view("");
}

// Empty ids make an invalid context, which the SDK treats as none.
otel::trace::SpanContext ContextOf(const TraceContext& context) {
  using Reader = otel::trace::propagation::HttpTraceContext;
  const uint8_t flags = context.sampled ? otel::trace::TraceFlags::kIsSampled : 0;
  return {Reader::TraceIdFromHex(View(context.trace_id)),
          Reader::SpanIdFromHex(View(context.span_id)), otel::trace::TraceFlags(flags),
          /*is_remote=*/true};
}

otel::trace::SpanKind KindOf(SpanKind kind) {
  if (kind == SpanKind::kServer) return otel::trace::SpanKind::kServer;
  if (kind == SpanKind::kClient) return otel::trace::SpanKind::kClient;
  return otel::trace::SpanKind::kInternal;
}

using SharedTracer = otel::nostd::shared_ptr<otel::trace::Tracer>;

std::unique_ptr<Span> StartSpan(const SharedTracer& tracer, std::string_view name, SpanKind kind,
                                const otel::trace::SpanContext& parent, const TraceContext& cause);

class OtlpSpan : public Span {
 public:
  OtlpSpan(SharedTracer tracer, otel::nostd::shared_ptr<otel::trace::Span> span)
      : tracer_(std::move(tracer)), span_(std::move(span)) {}
  ~OtlpSpan() override { span_->End(); }

  bool recording() const override { return span_->IsRecording(); }
  void Name(std::string_view name) override { span_->UpdateName(View(name)); }
  void Attribute(std::string_view key, const base::Json& value) override {
    span_->SetAttribute(View(key), ValueOf(value));
  }
  void Event(std::string_view name, const base::Json& attributes) override {
    Attributes converted;
    if (const auto* fields = attributes.get_ptr<const base::Json::object_t*>()) {
      for (const auto& [key, value] : *fields) converted.emplace_back(View(key), ValueOf(value));
    }
    span_->AddEvent(View(name), converted);
  }
  void Fail(std::string_view why) override {
    span_->SetStatus(otel::trace::StatusCode::kError, View(why));
  }
  std::unique_ptr<Span> Child(std::string_view name, SpanKind kind) override {
    return StartSpan(tracer_, name, kind, span_->GetContext(), {});
  }
  TraceContext context() const override {
    const otel::trace::SpanContext context = span_->GetContext();
    char trace[2 * otel::trace::TraceId::kSize], span[2 * otel::trace::SpanId::kSize];
    context.trace_id().ToLowerBase16(trace);
    context.span_id().ToLowerBase16(span);
    return {std::string(trace, sizeof trace), std::string(span, sizeof span), context.IsSampled()};
  }

 private:
  const SharedTracer tracer_;
  const otel::nostd::shared_ptr<otel::trace::Span> span_;
};

std::unique_ptr<Span> StartSpan(const SharedTracer& tracer, std::string_view name, SpanKind kind,
                                const otel::trace::SpanContext& parent, const TraceContext& cause) {
  otel::trace::StartSpanOptions options;
  options.kind = KindOf(kind);
  options.parent = parent;
  Links links;
  if (const auto linked = ContextOf(cause); linked.IsValid())
    links.emplace_back(linked, Attributes{});
  return std::make_unique<OtlpSpan>(tracer,
                                    tracer->StartSpan(View(name), Attributes{}, links, options));
}

std::unique_ptr<sdk_trace::SpanExporter> MakeExporter(const OtlpSetup& setup) {
  otel::exporter::otlp::OtlpHttpExporterOptions options;  // headers, TLS: from OTEL_* variables
  options.url = setup.url;
  options.content_type = otel::exporter::otlp::HttpRequestContentType::kBinary;
  options.timeout = milliseconds(setup.call_ms);
  options.retry_policy_max_attempts = 0;  // a retry would sleep in the sending thread
  return otel::exporter::otlp::OtlpHttpExporterFactory::Create(options);
}

otel::sdk::resource::Resource MakeResource(const OtlpSetup& setup) {
  otel::sdk::resource::ResourceAttributes attributes;
  const char* given = std::getenv("OTEL_RESOURCE_ATTRIBUTES");
  const std::string listed = given ? std::string(",") + given : "";
  const auto offer = [&](const char* key, const std::string& value) {
    if (listed.find("," + std::string(key) + "=") == std::string::npos)
      attributes.SetAttribute(key, value);
  };
  const char* name = std::getenv("OTEL_SERVICE_NAME");
  if (!name || !*name) offer("service.name", setup.service);
  offer("service.version", setup.version);
  offer("service.instance.id", setup.instance);
  return otel::sdk::resource::Resource::Create(attributes);
}

class OtlpTracer : public Tracer {
 public:
  explicit OtlpTracer(const OtlpSetup& setup) : state_(std::make_shared<ExportState>(setup)) {
    sdk_trace::BatchSpanProcessorOptions batches;
    batches.max_queue_size = 2 * setup.queue_spans;  // never full: BoundedProcessor drops first
    batches.schedule_delay_millis = milliseconds(setup.batch_ms);
    batches.max_export_batch_size = std::min<size_t>(512, setup.queue_spans);
    auto processor = sdk_trace::BatchSpanProcessorFactory::Create(
        CountedExporter(MakeExporter(setup), state_), batches);
    // A tracing agent decides by its sampled flag; without a parent every request is a trace.
    auto sampler = sdk_trace::ParentBasedSamplerFactory::Create(
        std::shared_ptr<sdk_trace::Sampler>(sdk_trace::AlwaysOnSamplerFactory::Create()));
    provider_ = sdk_trace::TracerProviderFactory::Create(
        BoundedProcessor(std::move(processor), state_), MakeResource(setup), std::move(sampler));
    tracer_ = provider_->GetTracer("agent-memory", setup.version);
  }
  ~OtlpTracer() override {
    state_->End();
    provider_->Shutdown();  // sends the queued spans within the limits of End()
  }
  std::unique_ptr<Span> Start(const SpanStart& start) override {
    return StartSpan(tracer_, start.name, start.kind, ContextOf(start.parent), start.cause);
  }
  bool exporting() const override { return true; }

 private:
  const std::shared_ptr<ExportState> state_;
  std::unique_ptr<sdk_trace::TracerProvider> provider_;
  SharedTracer tracer_;
};

}  // namespace

}  // namespace telemetry

extern "C" [[gnu::visibility("default")]] telemetry::Tracer* agent_memory_make_otlp_tracer(
    const telemetry::OtlpSetup& setup) {
  try {
    telemetry::WatchSdkLog();
    return new telemetry::OtlpTracer(setup);
  } catch (const std::exception&) {
    return nullptr;
  }
}
