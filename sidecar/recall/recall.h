// Reads memory for a turn: its calls to the server share a short deadline. Fails open: without an
// answer in time the agent goes on without memory. prompt.h renders.
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

// The result of the contextInjectTools searches before a tool.
struct ToolRecall {
  bool searched = false;  // an entry of the policy named the tool
  std::string query;
  Recalled found;   // all results, for trace and record
  Recalled inject;  // results of entries with inject: true
};

// The prompt that asks.
struct Asking {
  std::string conversation;
  std::string query;   // blank: sessions alone
  bool first = false;  // of its conversation
};

class Recall {
 public:
  struct Options {
    int64_t deadline_ms = 200;
    int sessions = kRecalledSessions;
  };
  Recall(MemoryServers& servers, const base::Clock& clock, Options options)
      : servers_(servers), clock_(clock), options_(options) {}

  // GET /context: session summaries and, when the query is not blank, observations whose trust
  // class the policy admits: those that fit and, at a conversation's first prompt, a few of the
  // newest. With `reinject: everyTurn` the newest always fill up the limit. For an Agent with
  // traces the due traces are in the same answer and stand first. With digests of sessions, which
  // are observations, summaries are not asked for. contextLimit 0: no call.
  Recalled ForPrompt(const api::Policy& policy, const Asking& asking,
                     const telemetry::TraceContext& trace);
  // GET /search for each planned search, all within one deadline.
  ToolRecall ForTool(const api::Policy& policy, const std::vector<SearchPlan>& searches,
                     const telemetry::TraceContext& trace);

 private:
  // The JSON of a 200; else null, and `outcome` has the reason.
  base::Json Ask(const api::Policy& policy, const std::string& target, int64_t end_ms,
                 const telemetry::TraceContext& trace, std::string& outcome);
  MemoryServers& servers_;
  const base::Clock& clock_;
  const Options options_;
};

}  // namespace sidecar
