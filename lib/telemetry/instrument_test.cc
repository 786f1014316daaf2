// The admin routes, and the metrics and spans of requests.
#include "lib/telemetry/instrument.h"

#include <gtest/gtest.h>

#include "lib/base/process/clock.h"
#include "lib/base/process/log.h"

namespace telemetry {
namespace {

http::Response Ask(const std::vector<http::Route>& routes, const std::string& path) {
  http::Request request;
  request.method = "GET";
  request.path = path;
  const http::Router router(routes);
  return router.Find("GET", path).route->handler(request);
}

TEST(AdminRoutes, ReadinessNamesTheReason) {
  Metrics metrics;
  base::Status state;
  const auto routes = AdminRoutes(metrics, [&] { return state; });
  EXPECT_EQ(Ask(routes, "/readyz").status, 200);
  state = base::Error{base::Code::kUnavailable, "no policy yet"};
  EXPECT_EQ(Ask(routes, "/readyz").status, 503);
  EXPECT_EQ(Ask(routes, "/readyz").body, "no policy yet\n");
  EXPECT_EQ(Ask(routes, "/livez").status, 200);
}

TEST(AdminRoutes, MetricsHaveReadinessAndLogErrors) {
  Metrics metrics;
  base::Status state;
  const auto routes = AdminRoutes(metrics, [&] { return state; });
  EXPECT_NE(Ask(routes, "/metrics").body.find("agent_memory_ready 1\n"), std::string::npos);
  state = base::Error{base::Code::kFull, "no space"};
  const double errors = metrics.Value("agent_memory_log_lines", {{"level", "error"}});
  const double now_s = static_cast<double>(base::SystemClock().NowMs()) / 1000;
  base::LogError("for the test", {});
  EXPECT_NE(Ask(routes, "/metrics").body.find("agent_memory_ready 0\n"), std::string::npos);
  EXPECT_EQ(metrics.Value("agent_memory_log_lines", {{"level", "error"}}), errors + 1);
  EXPECT_GE(metrics.Value("agent_memory_last_error_timestamp_seconds"), now_s);
}

TEST(AdminRoutes, MetricsHaveTheProcess) {
  Metrics metrics;
  const auto scrape = Ask(AdminRoutes(metrics, [] { return base::Status(); }), "/metrics");
  EXPECT_EQ(scrape.headers.Get("Content-Type"), "text/plain; version=0.0.4; charset=utf-8");
  for (const char* name : {"process_resident_memory_bytes ", "process_open_fds ",
                           "process_threads ", "agent_memory_build_info{version="}) {
    EXPECT_NE(scrape.body.find(name), std::string::npos) << name;
  }
}

TEST(Instrument, CountsByPatternNotByPath) {
  Metrics metrics;
  http::ServerOptions options;
  options.name = "api";
  Instrument(options, metrics);
  http::Request request;
  request.method = "GET";
  request.path = "/observations/7";
  options.after(request, "/observations/{id}", 200, 0.001);
  options.after({}, "", 400, 0);
  request.method = "A-CLIENTS-OWN-WORD";
  options.after(request, "", 405, 0);
  EXPECT_EQ(metrics.Render().find("A-CLIENTS"), std::string::npos);
  const Labels seen = {
      {"server", "api"}, {"route", "/observations/{id}"}, {"method", "GET"}, {"code", "200"}};
  EXPECT_EQ(metrics.Value("agent_memory_http_requests_total", seen), 1);
  EXPECT_EQ(
      metrics.Value("agent_memory_http_requests_total",
                    {{"server", "api"}, {"route", "none"}, {"method", "none"}, {"code", "400"}}),
      1);
  EXPECT_EQ(metrics.Value("agent_memory_http_request_seconds",
                          {{"server", "api"}, {"route", "/observations/{id}"}}),
            1);
}

// Records the calls of its spans as text.
class NotedTracer : public Tracer {
 public:
  struct NotedSpan : Span {
    NotedSpan(std::string& to, TraceContext as) : notes(to), self(std::move(as)) {}
    ~NotedSpan() override { notes += "end;"; }
    bool recording() const override { return true; }
    void Name(std::string_view name) override { notes += "name " + std::string(name) + ";"; }
    void Attribute(std::string_view key, const base::Json& value) override {
      notes += std::string(key) + "=" + base::DumpJson(value) + ";";
    }
    void Event(std::string_view name, const base::Json&) override { notes += name; }
    void Fail(std::string_view why) override { notes += "failed " + std::string(why) + ";"; }
    std::unique_ptr<Span> Child(std::string_view name, SpanKind) override {
      notes += "child " + std::string(name) + ";";
      return std::make_unique<NotedSpan>(notes, self);
    }
    TraceContext context() const override { return self; }
    std::string& notes;
    const TraceContext self;
  };
  std::unique_ptr<Span> Start(const SpanStart& start) override {
    TraceContext own = start.parent;
    own.span_id = "1111111111111111";
    return std::make_unique<NotedSpan>(notes, own);
  }
  bool exporting() const override { return true; }
  std::string notes;
};

TEST(Instrument, RequestSpanIsBetweenClientAndHandler) {
  Metrics metrics;
  NotedTracer tracer;
  http::ServerOptions options;
  int passed = 0;
  options.before = [&](http::Request& request) -> std::optional<http::Response> {
    ++passed;
    EXPECT_NE(SpanOf(request), nullptr);
    return std::nullopt;
  };
  Instrument(options, metrics, &tracer);
  {
    http::Request request;
    request.method = "GET";
    request.body = "four";
    request.headers.Set("traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01");
    EXPECT_FALSE(options.before(request));
    EXPECT_EQ(request.headers.Get("traceparent"),
              "00-4bf92f3577b34da6a3ce929d0e0e4736-1111111111111111-01");
    ChildOf(request, "part");
    options.after(request, "/observations/{id}", 503, 0.1);
  }
  EXPECT_EQ(passed, 1);
  EXPECT_EQ(tracer.notes,
            "child part;end;http.response.status_code=503;http.request.body.size=4;failed 503;"
            "http.request.method=\"GET\";http.route=\"/observations/{id}\";"
            "name GET /observations/{id};end;");
}

TEST(Instrument, WithoutExporterNoSpanIsMade) {
  Metrics metrics;
  const auto tracer = MakeNoopTracer();
  http::ServerOptions options;
  Instrument(options, metrics, tracer.get());
  EXPECT_FALSE(options.before) << "no hook at all";
  EXPECT_EQ(SpanOf({}), nullptr);
  EXPECT_EQ(ChildOf({}, "part"), nullptr);
}

}  // namespace
}  // namespace telemetry
