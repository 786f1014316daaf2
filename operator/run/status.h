// The status of an AgentRun: whether it waits, runs or has ended, and how. The one place where a
// Job and its pod become conditions of a run. Pure.
#pragma once

#include <optional>
#include <string>

#include "lib/base/json/json.h"
#include "operator/plan/conditions.h"

namespace controller {

// Why a run has no Job yet.
struct Obstacle {
  std::string reason, message;
  bool needs_person = false;
};

struct RunState {
  std::optional<Obstacle> obstacle;
  const base::Json* job =
      nullptr;  // of this run; without one and without an obstacle it is being made
  const base::Json* pod = nullptr;  // of that Job
  bool lost = false;                // there was a Job, and it went before the run had ended
};

// The whole status; what was known once stays, though Job and pod may be gone. Ready, Succeeded and
// Stalled: kstatus calls a run in progress until it has ended, then current or failed.
base::Json RunStatusOf(const base::Json& run, const RunState& state, int64_t now_ms);

// Worth an Event: what is in the way, and the end.
std::vector<Notice> NoticesOfRun(const base::Json& old_status, const base::Json& new_status);

}  // namespace controller
