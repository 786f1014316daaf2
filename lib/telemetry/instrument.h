// What all three programs have on their admin port, and how their servers are measured.
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

// Sets `options.after` so that each answer is counted and timed, and `options.over_budget`;
// options.name is the label `server`. With a tracer that exports, each request is a span too, whose
// parent is the client's: it begins in front of `options.before`, which therefore has to be set
// first, and what the handler reads as `traceparent` is the span's own. `metrics` and `tracer` must
// outlive the server.
void Instrument(http::ServerOptions& options, Metrics& metrics, Tracer* tracer = nullptr);

// The span of a request; null when nothing records it, so that nothing is made for it in vain.
Span* SpanOf(const http::Request& request);
// A part of it; null likewise. Ends with its life.
std::unique_ptr<Span> ChildOf(const http::Request& request, std::string_view name);

// GET /livez (200 while the process answers), GET /readyz (200, or 503 with the error's message),
// GET /metrics (Prometheus text 0.0.4; with a budget, how full it is). `ready` is called on a
// worker; it and `metrics` must outlive the server.
std::vector<http::Route> AdminRoutes(Metrics& metrics, std::function<base::Status()> ready,
                                     std::shared_ptr<const base::ByteBudget> budget = nullptr);

}  // namespace telemetry
