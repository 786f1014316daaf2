// The admin routes, and what is counted for each request.
#include "lib/telemetry/instrument.h"

#include <gtest/gtest.h>

namespace telemetry {
namespace {

http::Response Ask(const std::vector<http::Route>& routes, const std::string& path) {
  http::Request request;
  request.method = "GET";
  request.path = path;
  const http::Router router(routes);
  return router.Find("GET", path).route->handler(request);
}

TEST(AdminRoutes, ReadinessSaysWhy) {
  Metrics metrics;
  base::Status state;
  const auto routes = AdminRoutes(metrics, [&] { return state; });
  EXPECT_EQ(Ask(routes, "/readyz").status, 200);
  state = base::Error{base::Code::kUnavailable, "no policy yet"};
  EXPECT_EQ(Ask(routes, "/readyz").status, 503);
  EXPECT_EQ(Ask(routes, "/readyz").body, "no policy yet\n");
  EXPECT_EQ(Ask(routes, "/livez").status, 200);
}

TEST(AdminRoutes, MetricsHoldTheProcessItself) {
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

}  // namespace
}  // namespace telemetry
