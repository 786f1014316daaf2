// Reads memory for a turn: one question to the server inside a short deadline. Fails open: when the
// server is away or slow the agent goes on without memory. What the text looks like is prompt.h.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lib/api/hook_event.h"
#include "lib/api/policy.h"
#include "lib/base/process/clock.h"
#include "lib/telemetry/trace.h"
#include "sidecar/recall/recalled.h"
#include "sidecar/rules/recall_plan.h"
#include "sidecar/upstream/memory_servers.h"

namespace sidecar {

// What a contextInjectTools search before a tool found.
struct ToolRecall {
  bool searched = false;  // an entry of the policy named the tool
  std::string query;
  Recalled found;   // all of it, for trace and record
  Recalled inject;  // what entries with inject: true may put into the prompt
};

class Recall {
 public:
  struct Options {
    int64_t deadline_ms = 200;
    int sessions = kRecalledSessions;
  };
  Recall(MemoryServers& servers, const base::Clock& clock, Options options)
      : servers_(servers), clock_(clock), options_(options) {}

  // GET /context: session summaries and, when `query` is not blank, observations. Trust classes
  // that the policy does not admit are left out (rulings K26). contextLimit 0 asks nothing.
  Recalled ForPrompt(const api::Policy& policy, const std::string& query,
                     const telemetry::TraceContext& trace);
  // GET /search for each entry that searches, all inside one deadline.
  ToolRecall ForTool(const api::Policy& policy, const std::vector<SearchPlan>& searches,
                     const telemetry::TraceContext& trace);

 private:
  // The JSON of a 200; else nothing, and `outcome` says why.
  base::Json Ask(const api::Policy& policy, const std::string& target, int64_t end_ms,
                 const telemetry::TraceContext& trace, std::string& outcome);
  MemoryServers& servers_;
  const base::Clock& clock_;
  const Options options_;
};

}  // namespace sidecar
