// The settings of agent-memory-sidecar: flags, environment and config/sidecar.yaml as one struct.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lib/base/process/config.h"
#include "lib/telemetry/trace_export.h"
#include "sidecar/growth/growth_plan.h"
#include "sidecar/outbox/outbox.h"

namespace sidecar {

struct SidecarSettings {
  std::string listen, admin, policy, data_directory, token_file;
  int64_t lock_wait_ms = 45'000;
  std::vector<std::string> allowed_origins;
  bool erase = false;  // POST /v1/erase without memory.allowAdmin
  int64_t recall_timeout_ms = 200, policy_interval_ms = 250;
  int64_t retry_longest_ms = 30'000, drain_timeout_ms = 20'000;
  int64_t session_idle_ms = 0, conversation_ttl_ms = 0;  // 0: never
  int64_t checkpoints_kept = 3;                          // of a conversation
  GrowthLimits growth;
  OutboxLimits outbox;
  size_t workers = 8;
  int64_t memory_budget = 0;  // of bodies and answers; 0: a share of the memory limit
  telemetry::TraceOptions traces;
  std::string termination_log = "/dev/termination-log";  // the kubelet's default; no setting
};

const base::Program& SidecarProgram();
SidecarSettings ReadSidecarSettings(const base::Settings& settings);
// kInvalid: the agent's listener would be reachable from other hosts.
base::Status CheckSidecarSettings(const SidecarSettings& settings);

}  // namespace sidecar
