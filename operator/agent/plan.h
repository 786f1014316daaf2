// The decision: from what there is to what must be done. The only input is what it is given, the
// only output is the plan; reconcile/execute.h carries it out. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "operator/agent/observed_agent.h"
#include "operator/plan/plan.h"
#include "operator/plan/settings.h"

namespace controller {

Plan MakePlan(const ObservedAgent& observed, const Settings& settings, int64_t now_ms);

}  // namespace controller
