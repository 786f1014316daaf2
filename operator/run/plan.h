// The decision about one AgentRun: its Job, made once, and its status. Like agent/plan.h, a
// function of the observed objects, the settings and the time. Pure.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "operator/plan/plan.h"
#include "operator/plan/settings.h"
#include "operator/pods/causes.h"

namespace controller {

// The input of the plan: all observed objects.
struct ObservedRun {
  base::Json run;                   // defaulted and validated by its schema
  std::optional<base::Json> agent;  // of agentRef
  // Objects with the names of its Job, claim and prompt, of any owner.
  std::map<ChildKey, base::Json> children;
  bool children_read = false;    // `children` are from the API server, not only from caches
  std::vector<base::Json> pods;  // with the run's label
  std::string refused;           // the API server's message about the apply of this reconcile
  std::vector<Cause> causes;     // of a missing pod, by Events
};

// A run waits until its Agent is ready. Its Job is made from the Agent of that moment and never
// changed: a run has one generation. A run that has ended gets no more writes. `not_in_cache` in
// the plan: the caller adds these to `children`, sets `children_read` and plans again.
Plan MakeRunPlan(const ObservedRun& observed, const Settings& settings, int64_t now_ms);

// Whether the status has the end of the run: later changes of its Agent do not matter.
bool HasEnded(const base::Json& run);

}  // namespace controller
