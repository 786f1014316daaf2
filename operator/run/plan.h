// The decision about one AgentRun: which Job it becomes, once, and what its status says. As
// agent/plan.h, the only input is what it is given and the only output is the plan. Pure.
#pragma once

#include "operator/plan/settings.h"
#include "operator/run/observed_run.h"

namespace controller {

// Until its Agent is ready a run waits. Its Job is made from the Agent as it is then and never
// changed: a run is of one generation. Nothing is written any more for a run that has ended.
// `not_in_cache` in the plan: fill in `children`, set `children_read` and ask again.
Plan MakeRunPlan(const ObservedRun& observed, const Settings& settings, int64_t now_ms);

// It has ended and its status says how: no change of its Agent concerns it.
bool HasEnded(const base::Json& run);

}  // namespace controller
