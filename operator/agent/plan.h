// The decision of a reconcile: a function of the observed objects, the settings and the time.
// reconcile/execute.h executes the plan. Pure.
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
