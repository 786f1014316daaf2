// The admin routes of all three programs, and metrics and spans of their servers.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "lib/base/result.h"
#include "lib/http/message/router.h"
#include "lib/http/server/server.h"
#include "lib/telemetry/metrics.h"
#include "lib/telemetry/trace.h"

namespace telemetry {

// Sets `options.after` to count and time each answer, and `options.over_budget`; options.name is
// the label `server`. With an exporting tracer each request is a span with the client's span as
// parent, and handlers read the new span as `traceparent`. The span begins before `options.before`:
// set that first. `metrics` and `tracer` must outlive the server.
void Instrument(http::ServerOptions& options, Metrics& metrics, Tracer* tracer = nullptr);

// The span of a request; null without recording, so that callers skip the work for attributes.
Span* SpanOf(const http::Request& request);
// A child of that span; null without recording. Its destructor ends it.
std::unique_ptr<Span> ChildOf(const http::Request& request, std::string_view name);

// GET /livez (200 while the process answers), GET /readyz (200, or 503 with the error's message),
// GET /metrics (Prometheus text 0.0.4, with the use of `budget` if given). Workers call `ready`; it
// and `metrics` must outlive the server.
std::vector<http::Route> AdminRoutes(Metrics& metrics, std::function<base::Status()> ready,
                                     std::shared_ptr<const base::ByteBudget> budget = nullptr);

}  // namespace telemetry
