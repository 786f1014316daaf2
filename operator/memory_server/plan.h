// The decision about one MemoryServer: its objects and its status. Like agent/plan.h, a function of
// the observed objects, the settings and the time. Pure.
#pragma once

#include "operator/memory_server/observed_server.h"
#include "operator/plan/settings.h"

namespace controller {

// Sets requeue_after_ms except during deletion: no watch reports rows, bytes or an edited child.
Plan MakeServerPlan(const ObservedServer& observed, const Settings& settings, int64_t now_ms);

}  // namespace controller
