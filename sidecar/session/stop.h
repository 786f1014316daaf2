// The last work of a stopping sidecar: a daemon's sessions stay open and get an interim summary, a
// task's sessions end; undelivered writes are reported. Counts and ids, never content.
#pragma once

#include <cstdint>
#include <string>

#include "sidecar/outbox/outbox.h"
#include "sidecar/session/sessions.h"
#include "sidecar/state/state.h"

namespace sidecar {

// By the policy's mode; each session in a transaction of its own. A refused session (full outbox or
// volume) is logged and unchanged. `context` must outlive the call.
void StopSessions(State& state, const OutboxContext& context);

// The memory session of the most recently used conversation; empty when its last use is before
// `since_ms`.
std::string LastSession(State& state, int64_t since_ms);

struct TerminationReport {
  bool task = false;         // a task always reports, for the status of its AgentRun
  int64_t undelivered = 0;   // pending writes; < 0: unknown
  std::string session = {};  // of the run; may be empty
};

// Writes {"session", "undelivered", "note"} as JSON without empty fields; operator/run/status.cc
// reads it. `termination_log` is the file that the kubelet made for the container; without the file
// only the log has the report. A daemon that delivered everything reports nothing.
void WriteTerminationMessage(const TerminationReport& report, const std::string& termination_log);

}  // namespace sidecar
