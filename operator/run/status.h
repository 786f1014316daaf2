// The status of an AgentRun: waiting, running, or ended with a result. The only place where a Job
// and its pod become conditions of a run. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lib/base/json/json.h"
#include "operator/plan/conditions.h"
#include "operator/pods/causes.h"

namespace controller {

// Why a run has no Job yet.
struct Obstacle {
  std::string reason, message;
  bool needs_person = false;
};

struct RunState {
  std::optional<Obstacle> obstacle;
  const base::Json* job = nullptr;  // of this run; null without an obstacle: being created
  const base::Json* pod = nullptr;  // of that Job
  bool lost = false;                // the Job was deleted before the run had ended
  std::vector<Cause> causes = {};   // of a missing pod, by Events
};

// The whole status; known facts stay when Job and pod are gone. By Ready, Succeeded and Stalled,
// kstatus reports a run as in progress until its end, then as current or failed.
base::Json RunStatusOf(const base::Json& run, const RunState& state, int64_t now_ms);

// The Events of a status change: obstacles, and the end.
std::vector<Notice> NoticesOfRun(const base::Json& old_status, const base::Json& new_status);

}  // namespace controller
