// The decision about one AgentRun: its Job, made once, and its status. Like agent/plan.h, a
// function of the observed objects, the settings and the time. Pure.
#pragma once

#include "operator/plan/settings.h"
#include "operator/run/observed_run.h"

namespace controller {

// A run waits until its Agent is ready. Its Job is made from the Agent of that moment and never
// changed: a run has one generation. A run that has ended gets no more writes. `not_in_cache` in
// the plan: the caller adds these to `children`, sets `children_read` and plans again.
Plan MakeRunPlan(const ObservedRun& observed, const Settings& settings, int64_t now_ms);

// Whether the status has the end of the run: later changes of its Agent do not matter.
bool HasEnded(const base::Json& run);

}  // namespace controller
