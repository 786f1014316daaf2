// Reads the settings, loads the module, and limits attributes and events.
#include "lib/telemetry/trace_export.h"

#include <dlfcn.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <string_view>

#include "lib/base/process/log.h"
#include "lib/base/process/random.h"
#include "lib/base/text/text.h"
#include "lib/telemetry/otlp_module.h"

namespace telemetry {

namespace {

using base::Code;
using base::Error;
using base::Json;

constexpr size_t kTextCharacters = 256;
constexpr size_t kEvents = 128;  // of one span: OpenTelemetry's default
constexpr const char* kEndpointVariable = "OTEL_EXPORTER_OTLP_ENDPOINT";
constexpr const char* kTracesPath = "/v1/traces";

std::string Variable(const std::vector<std::string>& environment, const std::string& name) {
  for (const std::string& entry : environment)
    if (entry.starts_with(name + "=")) return entry.substr(name.size() + 1);
  return {};
}

std::string UrlOf(std::string endpoint) {
  while (endpoint.ends_with('/')) endpoint.pop_back();
  return endpoint.ends_with(kTracesPath) ? endpoint : endpoint + kTracesPath;
}

std::string ModuleBesideProgram() {
  char path[PATH_MAX];
  const ssize_t length = ::readlink("/proc/self/exe", path, sizeof path);
  const std::string program(path, length > 0 ? static_cast<size_t>(length) : 0);
  const std::string folder = program.substr(0, program.rfind('/'));
  return folder.substr(0, folder.rfind('/')) + "/lib/agent-memory-otlp.so";
}

class BoundedSpan : public Span {
 public:
  explicit BoundedSpan(std::unique_ptr<Span> span) : span_(std::move(span)) {}
  ~BoundedSpan() override {
    if (events_ > kEvents) span_->Attribute("events.dropped", events_ - kEvents);
  }
  bool recording() const override { return span_->recording(); }
  void Name(std::string_view name) override { span_->Name(name); }
  void Attribute(std::string_view key, const Json& value) override {
    span_->Attribute(key, TraceValue(value));
  }
  void Event(std::string_view name, const Json& attributes) override {
    if (++events_ > kEvents) return;
    Json sent = Json::object();
    for (const auto& [key, value] : attributes.items()) sent[key] = TraceValue(value);
    span_->Event(name, sent);
  }
  void Fail(std::string_view why) override { span_->Fail(why); }
  std::unique_ptr<Span> Child(std::string_view name, SpanKind kind) override {
    return std::make_unique<BoundedSpan>(span_->Child(name, kind));
  }
  TraceContext context() const override { return span_->context(); }

 private:
  const std::unique_ptr<Span> span_;
  size_t events_ = 0;
};

class BoundedTracer : public Tracer {
 public:
  explicit BoundedTracer(std::unique_ptr<Tracer> tracer) : tracer_(std::move(tracer)) {}
  std::unique_ptr<Span> Start(const SpanStart& start) override {
    return std::make_unique<BoundedSpan>(tracer_->Start(start));
  }
  bool exporting() const override { return true; }

 private:
  const std::unique_ptr<Tracer> tracer_;
};

// Counts fates, and logs each change between success and failure once.
std::function<void(const char*, size_t)> Counter(Metrics& metrics, const std::string& url) {
  auto failing = std::make_shared<std::atomic<bool>>(false);
  return [&metrics, url, failing](const char* fate, size_t spans) {
    metrics.Count("agent_memory_trace_spans_total", {{"fate", fate}}, static_cast<double>(spans));
    const std::string_view seen = fate;
    if (seen == "failed" && !failing->exchange(true))
      base::LogWarn("the collector does not take spans", {{"url", url}});
    if (seen == "exported" && failing->exchange(false))
      base::LogInfo("the collector takes spans again", {{"url", url}});
  };
}

}  // namespace

base::Setting EndpointSetting() {
  return {"otlp-endpoint", base::Setting::Kind::kString, "",
          "OTLP/HTTP collector of traces, for example http://host:4318; empty: none"};
}

base::Setting ModuleSetting() {
  return {
      "otlp-module", base::Setting::Kind::kString, "",
      "shared object of the trace exporter; empty: ../lib/agent-memory-otlp.so beside the program"};
}

TraceOptions ReadTraceOptions(const base::Settings& settings, const std::string& service,
                              const std::vector<std::string>& environment) {
  TraceOptions options{settings.Text("otlp-endpoint"), "otlp-endpoint",
                       settings.Text("otlp-module"), service};
  if (!options.endpoint.empty() || Variable(environment, "OTEL_SDK_DISABLED") == "true")
    return options;
  options.endpoint = Variable(environment, kEndpointVariable);
  options.setting = kEndpointVariable;
  return options;
}

base::Status CheckTraceOptions(const TraceOptions& options) {
  const std::string_view url = options.endpoint;
  if (url.empty()) return {};
  const size_t scheme = url.starts_with("http://") ? 7 : url.starts_with("https://") ? 8 : 0;
  const std::string_view rest = url.substr(scheme);
  const std::string_view host = rest.substr(0, rest.find('/'));
  const bool plain = rest.find_first_of("@?# \t\r\n") == std::string_view::npos;
  if (scheme != 0 && !host.empty() && !host.starts_with(':') && plain) return {};
  // Does not quote the URL, which may contain a password.
  return Error{Code::kInvalid, options.setting +
                                   ": must be http://host:port or https://host:port of an "
                                   "OTLP/HTTP collector, without user and query"};
}

base::Json TraceValue(const Json& value) {
  if (value.is_boolean() || value.is_number()) return value;
  const std::string text = value.is_string() ? value.get<std::string>() : base::DumpJson(value);
  // Cuts first, so that a long text is not read to its end: no character has more than eight bytes.
  const std::string_view head = std::string_view(text).substr(0, 8 * kTextCharacters);
  return base::Ellipsize(base::ToUtf8(head), kTextCharacters);
}

base::Result<std::unique_ptr<Tracer>> MakeTracer(const TraceOptions& options, Metrics& metrics) {
  if (options.endpoint.empty()) return MakeNoopTracer();
  RETURN_IF_ERROR(CheckTraceOptions(options));
  const std::string file = options.module.empty() ? ModuleBesideProgram() : options.module;
  // The module stays loaded (NODELETE): threads of its libraries may outlive the tracer.
  void* module = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  void* symbol = module ? ::dlsym(module, kMakeOtlpTracer) : nullptr;
  if (!symbol) {
    const char* why = ::dlerror();
    return Error{Code::kUnavailable, "otlp-module: " + file + " does not load (" +
                                         (why ? why : "no reason given") +
                                         "); without otlp-endpoint it is not needed"};
  }
  OtlpSetup setup;
  setup.url = UrlOf(options.endpoint);
  setup.service = options.service;
  setup.version = AGENT_MEMORY_VERSION;
  setup.instance = base::RandomUuid();
  setup.count = Counter(metrics, setup.url);
  std::unique_ptr<Tracer> tracer(reinterpret_cast<MakeOtlpTracer>(symbol)(setup));
  if (!tracer) return Error{Code::kUnavailable, "otlp-module: " + file + " refused to start"};
  return std::unique_ptr<Tracer>(std::make_unique<BoundedTracer>(std::move(tracer)));
}

}  // namespace telemetry
