// Judges the words of a command that may be paths, in the order in which it changes directory.
// Pure.
#pragma once

#include <string>

#include "sidecar/denial/path_judge.h"
#include "sidecar/text/hook_budget.h"

namespace sidecar {

// Why one of them may not be touched; empty: all may, or the budget ran out.
std::string RefusalOfScript(const std::string& script, PathJudge& judge, WorkBudget& budget);

}  // namespace sidecar
