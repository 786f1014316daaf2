// The decision about one MemoryServer: what it owns, and what its status says. As agent/plan.h, the
// only input is what it is given and the only output is the plan. Pure.
#pragma once

#include "operator/memory_server/observed_server.h"
#include "operator/plan/settings.h"

namespace controller {

// Never empty of requeue_after_ms: nobody tells us of rows and bytes, nor of an edited child.
Plan MakeServerPlan(const ObservedServer& observed, const Settings& settings, int64_t now_ms);

}  // namespace controller
