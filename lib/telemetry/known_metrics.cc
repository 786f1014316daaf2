// The table of all metrics of the three programs: name, type, meaning. docs/operations.md says what
// to do about each of them.
#include "lib/telemetry/metrics.h"

namespace telemetry {

const std::vector<MetricInfo>& KnownMetrics() {
  static const std::vector<MetricInfo> known = {
      // Every program.
      {"agent_memory_build_info", "gauge", "Always 1; the version is a label."},
      {"process_open_fds", "gauge", "Open file descriptors."},
      {"process_resident_memory_bytes", "gauge", "Resident memory in bytes."},
      {"process_threads", "gauge", "Threads."},
      {"agent_memory_http_requests_total", "counter",
       "Requests answered, by server, route pattern (none: no route fits), method and status "
       "code."},
      {"agent_memory_http_request_seconds", "histogram",
       "Seconds from the request read to the answer written, by server and route pattern."},
      // The sidecar.
      {"agent_memory_sidecar_captures_total", "counter", "Observations captured by rules."},
      {"agent_memory_sidecar_denials_total", "counter", "Tool calls denied by the policy."},
      {"agent_memory_sidecar_hooks_refused_total", "counter", "Hook events refused."},
      {"agent_memory_sidecar_hooks_total", "counter", "Hook events taken, by event name."},
      {"agent_memory_sidecar_injected_items_total", "counter", "Items put into turns."},
      {"agent_memory_sidecar_recalls_total", "counter", "Reads of memory for a turn, by outcome."},
      {"agent_memory_sidecar_redactions_total", "counter", "Secrets cut out before saving."},
  };
  return known;
}

}  // namespace telemetry
