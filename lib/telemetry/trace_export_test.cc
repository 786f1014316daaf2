// The exporter with the real module, which sends to a server that records the bytes.
// e2e/observability/traces_test.py checks with a real decoder that the bytes are valid OTLP.
#include "lib/telemetry/trace_export.h"

#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "lib/base/process/clock.h"
#include "lib/base/text/text.h"
#include "lib/http/server/server.h"

namespace telemetry {
namespace {

constexpr const char* kParent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

// A collector that records its requests, or hangs until released.
class Collector {
 public:
  explicit Collector(bool hangs = false) : hangs_(hangs) {
    ::setenv("NO_PROXY", "127.0.0.1", 1);
    http::Route route;
    route.method = "POST";
    route.pattern = "/v1/traces";
    route.handler = [this](const http::Request& request) { return Take(request); };
    http::ServerOptions options;
    options.workers = 2;
    server_ = *http::Server::Start(http::Router({route}), options);
  }
  ~Collector() {
    {
      const std::lock_guard lock(mutex_);
      hangs_ = false;
    }
    changed_.notify_all();
    server_->Stop(0);
  }
  TraceOptions options() const {
    return {"http://" + server_->address() + "/", "otlp-endpoint", "", "tested"};
  }
  std::string received() {
    const std::lock_guard lock(mutex_);
    return received_;
  }
  bool Waiting() {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(20), [&] { return waiting_; });
  }

 private:
  http::Response Take(const http::Request& request) {
    std::unique_lock lock(mutex_);
    waiting_ = true;
    changed_.notify_all();
    changed_.wait(lock, [&] { return !hangs_; });
    received_ += request.headers.Get("Content-Type").value_or("") + "\n" + request.body;
    return http::EmptyResponse(200);
  }
  std::mutex mutex_;
  std::condition_variable changed_;
  bool hangs_, waiting_ = false;
  std::string received_;
  std::unique_ptr<http::Server> server_;
};

double Fate(const Metrics& metrics, const char* fate) {
  return metrics.Value("agent_memory_trace_spans_total", {{"fate", fate}});
}

TEST(TraceExport, SpansArriveWithTheirAttributes) {
  Collector collector;
  Metrics metrics;
  auto tracer = MakeTracer(collector.options(), metrics);
  ASSERT_TRUE(tracer) << tracer.error().message;
  ASSERT_TRUE((*tracer)->exporting());
  {
    const auto span = (*tracer)->Start({.name = "", .parent = ParseTraceparent(kParent)});
    EXPECT_TRUE(span->recording());
    EXPECT_EQ(span->context().trace_id, "4bf92f3577b34da6a3ce929d0e0e4736");
    EXPECT_NE(span->context().span_id, "00f067aa0ba902b7");
    span->Name("GET /context");
    span->Attribute("http.route", "/context");
    span->Event("context.injected", {{"title", "grün"}, {"rank", -1.5}, {"id", 7}});
    span->Child("memory.recall", SpanKind::kInternal)->Fail("timeout");
  }
  tracer->reset();
  const std::string received = collector.received();
  for (const char* part : {"application/x-protobuf", "GET /context", "http.route",
                           "context.injected", "grün", "memory.recall", "service.name", "tested"}) {
    EXPECT_NE(received.find(part), std::string::npos) << part;
  }
  EXPECT_EQ(Fate(metrics, "exported"), 2);
}

TEST(TraceExport, UnsampledParentSendsNothing) {
  Collector collector;
  Metrics metrics;
  auto tracer = *MakeTracer(collector.options(), metrics);
  std::string parent = kParent;
  parent.back() = '0';
  {
    const auto span = tracer->Start({.name = "quiet", .parent = ParseTraceparent(parent)});
    EXPECT_FALSE(span->recording());
    EXPECT_EQ(span->context().trace_id, "4bf92f3577b34da6a3ce929d0e0e4736");
    EXPECT_FALSE(span->context().sampled);
  }
  tracer.reset();
  EXPECT_EQ(collector.received(), "");
}

TEST(TraceExport, UnreachableCollectorBlocksNobody) {
  Metrics metrics;
  auto tracer = *MakeTracer({"http://127.0.0.1:9", "otlp-endpoint", "", "tested"}, metrics);
  tracer->Start({.name = "lost"});
  tracer.reset();
  EXPECT_EQ(Fate(metrics, "failed"), 1);
}

TEST(TraceExport, FullQueueDropsAndHangingCollectorDelaysNoEnd) {
  Collector collector(/*hangs=*/true);
  Metrics metrics;
  auto tracer = *MakeTracer(collector.options(), metrics);
  constexpr int kSpans = 5'000;
  for (int i = 0; i < kSpans; ++i) tracer->Start({.name = "many"});
  ASSERT_TRUE(collector.Waiting());
  EXPECT_GE(Fate(metrics, "dropped"), kSpans - 2048);
  const int64_t begun_ms = base::SystemClock().MonotonicMs();
  tracer.reset();
  EXPECT_LT(base::SystemClock().MonotonicMs() - begun_ms, 10'000) << "two seconds and some room";
  EXPECT_EQ(Fate(metrics, "dropped") + Fate(metrics, "failed") + Fate(metrics, "exported"), kSpans)
      << "every span has a fate";
}

TEST(TraceExport, InvalidEndpointNamesItsSetting) {
  for (const char* bad : {"collector:4318", "ftp://collector", "http://", "http://:4318",
                          "http://user:secret@collector", "http://collector/?a=b"}) {
    const auto checked = CheckTraceOptions({bad, "otlp-endpoint", "", ""});
    ASSERT_FALSE(checked) << bad;
    EXPECT_TRUE(checked.error().message.starts_with("otlp-endpoint: ")) << bad;
    EXPECT_EQ(checked.error().message.find("secret"), std::string::npos);
  }
  for (const char* good : {"", "http://collector:4318", "https://[::1]:4318/prefix/"}) {
    EXPECT_TRUE(CheckTraceOptions({good, "otlp-endpoint", "", ""})) << good;
  }
}

TEST(TraceExport, MissingModuleIsNamed) {
  Metrics metrics;
  const auto tracer = MakeTracer({"http://collector", "otlp-endpoint", "/nowhere.so", ""}, metrics);
  ASSERT_FALSE(tracer);
  EXPECT_NE(tracer.error().message.find("otlp-module: /nowhere.so"), std::string::npos);
}

TEST(TraceExport, SettingWinsOverStandardVariable) {
  const base::Program program = {"tested", "", {EndpointSetting(), ModuleSetting()}, ""};
  const std::vector<std::string> environment = {"OTEL_EXPORTER_OTLP_ENDPOINT=http://standard"};
  const auto read = [&](std::vector<std::string> argv, std::vector<std::string> more) {
    more.insert(more.end(), environment.begin(), environment.end());
    return ReadTraceOptions(base::ReadCommandLine(program, argv, more).settings, "tested", more);
  };
  EXPECT_EQ(read({"x"}, {}).endpoint, "http://standard");
  EXPECT_EQ(read({"x"}, {}).setting, "OTEL_EXPORTER_OTLP_ENDPOINT");
  EXPECT_EQ(read({"x", "--otlp-endpoint", "http://flag"}, {}).endpoint, "http://flag");
  EXPECT_EQ(read({"x"}, {"AGENT_MEMORY_OTLP_ENDPOINT=http://ours"}).endpoint, "http://ours");
  EXPECT_EQ(read({"x"}, {"OTEL_SDK_DISABLED=true"}).endpoint, "");
}

TEST(TraceValue, TextIsCutBetweenCharacters) {
  std::string text;
  for (int i = 0; i < 300; ++i) text += "ü";
  const std::string cut = TraceValue(text).get<std::string>();
  EXPECT_EQ(base::CountCharacters(cut), 256u);
  EXPECT_TRUE(base::IsUtf8(cut));
  EXPECT_TRUE(base::IsUtf8(TraceValue("bad \xff\xc3").get<std::string>()));
  EXPECT_EQ(TraceValue(std::string(100'000, 'x')).get<std::string>().size(), 255 + 3u);
  EXPECT_EQ(TraceValue(-1.5), base::Json(-1.5));
  EXPECT_EQ(TraceValue(base::Json::array({1, 2})), base::Json("[1,2]"));
}

}  // namespace
}  // namespace telemetry
