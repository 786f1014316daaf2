// The live plan of a task: a goal and steps with a status. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/json/json.h"
#include "lib/base/result.h"

namespace conversation {

inline constexpr size_t kMostPlanSteps = 50;
inline constexpr size_t kMostGoalCharacters = 500, kMostStepCharacters = 300;

enum class StepStatus { kPending, kInProgress, kCompleted, kCancelled };
const char* NameOf(StepStatus status);  // pending, in_progress, completed, cancelled
base::Result<StepStatus> ReadStepStatus(std::string_view name);  // kInvalid names the four

struct PlanStep {
  std::string text;
  StepStatus status = StepStatus::kPending;
  std::string id = {};  // in the agent's own list, if its tools change steps by id; may be empty
  bool operator==(const PlanStep&) const = default;
};

bool IsOpen(const PlanStep& step);  // pending or in progress

struct LivePlan {
  std::string goal;
  std::vector<PlanStep> steps;
  bool empty() const { return goal.empty() && steps.empty(); }
  bool HasOpenSteps() const;
  bool operator==(const LivePlan&) const = default;
};

// {"goal", "steps": [{"text", "status"}]}. Decoding: null is the empty plan, a step without a
// status is pending. kInvalid names the field, its limit and its value.
base::Json EncodePlan(const LivePlan& plan);
base::Result<LivePlan> DecodePlan(const base::Json& json);

// Cuts a plan to the limits of DecodePlan: agents' tools do not know them.
LivePlan WithinLimits(LivePlan plan);

// Sets text and status of the step with this id, or adds the step if there is room.
void ChangeStep(LivePlan& plan, const PlanStep& step);

}  // namespace conversation
