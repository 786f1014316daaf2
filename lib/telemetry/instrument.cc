// Counts requests, measures the process, and serves both.
#include "lib/telemetry/instrument.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>

#include "lib/base/process/log.h"
#include "lib/base/process/log_debug.h"

namespace telemetry {

namespace {

size_t EntriesOf(const char* directory) {
  std::error_code error;
  size_t count = 0;
  for (auto entry = std::filesystem::directory_iterator(directory, error);
       !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    ++count;
  }
  return count;
}

void MeasureProcess(Metrics& metrics) {
  std::ifstream statm("/proc/self/statm");
  double total_pages = 0, resident_pages = 0;
  if (statm >> total_pages >> resident_pages) {
    const auto page_bytes = static_cast<double>(::sysconf(_SC_PAGESIZE));
    metrics.SetGauge("process_resident_memory_bytes", resident_pages * page_bytes);
  }
  metrics.SetGauge("process_open_fds", static_cast<double>(EntriesOf("/proc/self/fd")));
  metrics.SetGauge("process_threads", static_cast<double>(EntriesOf("/proc/self/task")));
  metrics.SetGauge("agent_memory_build_info", 1, {{"version", AGENT_MEMORY_VERSION}});
}

void MeasureLog(Metrics& metrics) {
  const base::LogCounts lines = base::CountedLogLines();
  metrics.SetGauge("agent_memory_log_lines", static_cast<double>(lines.warnings),
                   {{"level", "warn"}});
  metrics.SetGauge("agent_memory_log_lines", static_cast<double>(lines.errors),
                   {{"level", "error"}});
  metrics.SetGauge("agent_memory_last_error_timestamp_seconds",
                   static_cast<double>(lines.last_error_ms) / 1000);
}

void MeasureBudget(Metrics& metrics, const base::ByteBudget& budget) {
  const auto gauge = [&](const char* name, size_t bytes) {
    metrics.SetGauge(name, static_cast<double>(bytes));
  };
  gauge("agent_memory_budget_limit_bytes", budget.limit());
  gauge("agent_memory_budget_used_bytes", budget.used());
  gauge("agent_memory_budget_highest_bytes", budget.highest());
}

// Known methods only: the client chooses the text, and labels must be bounded.
std::string MethodLabel(const std::string& method) {
  if (method.empty()) return "none";
  static constexpr std::string_view kMethods[] = {"GET",   "HEAD",   "POST",   "PUT",
                                                  "PATCH", "DELETE", "OPTIONS"};
  return std::ranges::find(kMethods, method) != std::end(kMethods) ? method : "other";
}

// The object of Request::span.
struct RequestSpan {
  std::unique_ptr<Span> span;
};

void BeginSpan(Tracer& tracer, http::Request& request) {
  const std::string given = request.headers.Get("traceparent").value_or("");
  auto held = std::make_shared<RequestSpan>();
  held->span = tracer.Start(
      {.name = "request", .kind = SpanKind::kServer, .parent = ParseTraceparent(given)});
  request.headers.Set("traceparent", FormatTraceparent(held->span->context()));
  request.span = std::move(held);
}

// Prefers Content-Length: the server frees the body before it sends the answer.
int64_t BodyBytes(const http::Request& request) {
  const std::string announced = request.headers.Get("Content-Length").value_or("");
  int64_t bytes = static_cast<int64_t>(request.body.size());
  std::from_chars(announced.data(), announced.data() + announced.size(), bytes);
  return bytes;
}

void EndSpan(const http::Request& request, std::string_view pattern, int status) {
  Span* span = SpanOf(request);
  if (span == nullptr) return;
  span->Attribute("http.response.status_code", status);
  span->Attribute("http.request.body.size", BodyBytes(request));
  if (status >= 500) span->Fail(std::to_string(status));
  // Without a route the method may be any text of the client.
  if (pattern.empty()) return;
  span->Attribute("http.request.method", request.method);
  span->Attribute("http.route", pattern);
  span->Name(request.method + " " + std::string(pattern));
}

}  // namespace

void Instrument(http::ServerOptions& options, Metrics& metrics, Tracer* tracer) {
  options.after = [&metrics, server = options.name](const http::Request& request,
                                                    std::string_view pattern, int status,
                                                    double seconds) {
    // The pattern, not the path, whose ids would each create a series.
    const std::string route = pattern.empty() ? "none" : std::string(pattern);
    metrics.Count("agent_memory_http_requests_total", {{"server", server},
                                                       {"route", route},
                                                       {"method", MethodLabel(request.method)},
                                                       {"code", std::to_string(status)}});
    metrics.Observe("agent_memory_http_request_seconds", seconds,
                    {{"server", server}, {"route", route}});
    base::LogDebug("request", [&] {
      return base::Json{{"server", server},        {"method", MethodLabel(request.method)},
                        {"route", route},          {"status", status},
                        {"ms", seconds * 1'000.0}, {"body_bytes", BodyBytes(request)},
                        {"request_id", request.id}};
    });
    EndSpan(request, pattern, status);
  };
  options.over_budget = [&metrics, server = options.name](int status) {
    metrics.Count("agent_memory_budget_refusals_total",
                  {{"server", server}, {"code", std::to_string(status)}});
  };
  if (tracer == nullptr || !tracer->exporting()) return;
  options.before = [tracer, then = std::move(options.before)](http::Request& request) {
    BeginSpan(*tracer, request);
    return then ? then(request) : std::nullopt;
  };
}

Span* SpanOf(const http::Request& request) {
  const auto* held = static_cast<const RequestSpan*>(request.span.get());
  return held && held->span->recording() ? held->span.get() : nullptr;
}

std::unique_ptr<Span> ChildOf(const http::Request& request, std::string_view name) {
  Span* span = SpanOf(request);
  return span ? span->Child(name, SpanKind::kInternal) : nullptr;
}

std::vector<http::Route> AdminRoutes(Metrics& metrics, std::function<base::Status()> ready,
                                     std::shared_ptr<const base::ByteBudget> budget) {
  const auto live = [](const http::Request&) { return http::TextResponse(200, "ok\n"); };
  const auto is_ready = [ready](const http::Request&) {
    const base::Status status = ready();
    if (status) return http::TextResponse(200, "ok\n");
    return http::TextResponse(503, status.error().message + "\n");
  };
  const auto scrape = [&metrics, ready = std::move(ready),
                       budget = std::move(budget)](const http::Request&) {
    MeasureProcess(metrics);
    if (budget) MeasureBudget(metrics, *budget);
    MeasureLog(metrics);
    metrics.SetGauge("agent_memory_ready", ready() ? 1 : 0);
    return http::TextResponse(200, metrics.Render(), "text/plain; version=0.0.4; charset=utf-8");
  };
  return {{"GET", "/livez", live}, {"GET", "/readyz", is_ready}, {"GET", "/metrics", scrape}};
}

}  // namespace telemetry
