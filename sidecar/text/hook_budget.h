// The budget of processor time for the text of one hook event: denial, redaction and rules
// together.
#pragma once

#include <cstdint>

#include "lib/base/limits/work_budget.h"

namespace sidecar {

using base::CpuClock;
using base::WorkBudget;

// A hook event has at most 8 MiB; ordinary text of that size takes less on a current core.
inline constexpr int64_t kHookBudgetUs = 250'000;

}  // namespace sidecar
