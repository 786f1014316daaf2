// What all three programs have on their admin port, and how their servers are measured.
#pragma once

#include <functional>
#include <vector>

#include "lib/base/result.h"
#include "lib/http/router.h"
#include "lib/http/server.h"
#include "lib/telemetry/metrics.h"

namespace telemetry {

// Sets `options.after` so that each answer is counted and timed; options.name is the label
// `server`. `metrics` must outlive the server.
void Instrument(http::ServerOptions& options, Metrics& metrics);

// GET /livez (200 while the process answers), GET /readyz (200, or 503 with the error's message),
// GET /metrics (Prometheus text 0.0.4). `ready` is called on a worker; it and `metrics` must
// outlive the server.
std::vector<http::Route> AdminRoutes(Metrics& metrics, std::function<base::Status()> ready);

}  // namespace telemetry
