// Names of the statuses, limits, and the wire form.
#include "lib/conversation/task/plan.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "lib/base/text/text.h"

namespace conversation {
namespace {

using base::Json;
using base::Result;

constexpr const char* kStatusNames[] = {"pending", "in_progress", "completed", "cancelled"};

Result<std::string> TextWithin(const Json& object, const std::string& place, const char* field,
                               size_t most) {
  const auto found = object.find(field);
  if (found == object.end() || found->is_null()) return std::string();
  const std::string name = place + "." + field;
  if (!found->is_string()) return base::Error{base::Code::kInvalid, name + " must be a string"};
  const size_t characters = base::CountCharacters(found->get_ref<const std::string&>());
  if (characters > most) {
    return base::Error{base::Code::kInvalid, name + " has " + std::to_string(characters) +
                                                 " characters; the limit is " +
                                                 std::to_string(most)};
  }
  return found->get<std::string>();
}

Result<PlanStep> DecodeStep(const Json& json, const std::string& place) {
  if (!json.is_object())
    return base::Error{base::Code::kInvalid, place + " must be an object {text, status}"};
  PlanStep step;
  ASSIGN_OR_RETURN(step.text, TextWithin(json, place, "text", kMostStepCharacters));
  if (base::IsBlank(step.text))
    return base::Error{base::Code::kInvalid, place + ".text is required"};
  ASSIGN_OR_RETURN(const std::string status, TextWithin(json, place, "status", 100));
  if (!status.empty()) {
    const auto read = ReadStepStatus(status);
    if (!read) return base::Error{base::Code::kInvalid, place + ".status " + read.error().message};
    step.status = *read;
  }
  ASSIGN_OR_RETURN(step.id, TextWithin(json, place, "id", kMostStepCharacters));
  return step;
}

}  // namespace

const char* NameOf(StepStatus status) { return kStatusNames[static_cast<size_t>(status)]; }

Result<StepStatus> ReadStepStatus(std::string_view name) {
  const auto* found = std::find(std::begin(kStatusNames), std::end(kStatusNames), name);
  if (found != std::end(kStatusNames))
    return static_cast<StepStatus>(found - std::begin(kStatusNames));
  return base::Error{base::Code::kInvalid,
                     "must be pending, in_progress, completed or cancelled, not \"" +
                         std::string(base::Prefix(name, 100)) + "\""};
}

bool IsOpen(const PlanStep& step) {
  return step.status == StepStatus::kPending || step.status == StepStatus::kInProgress;
}

bool LivePlan::HasOpenSteps() const { return std::ranges::any_of(steps, IsOpen); }

Json EncodePlan(const LivePlan& plan) {
  Json steps = Json::array();
  for (const PlanStep& step : plan.steps) {
    steps.push_back({{"text", step.text}, {"status", NameOf(step.status)}});
    if (!step.id.empty()) steps.back()["id"] = step.id;
  }
  return {{"goal", plan.goal}, {"steps", std::move(steps)}};
}

Result<LivePlan> DecodePlan(const Json& json) {
  LivePlan plan;
  if (json.is_null()) return plan;
  if (!json.is_object())
    return base::Error{base::Code::kInvalid, "plan must be an object {goal, steps} or null"};
  ASSIGN_OR_RETURN(plan.goal, TextWithin(json, "plan", "goal", kMostGoalCharacters));
  const auto steps = json.find("steps");
  if (steps == json.end() || steps->is_null()) return plan;
  if (!steps->is_array())
    return base::Error{base::Code::kInvalid, "plan.steps must be a list of {text, status}"};
  if (steps->size() > kMostPlanSteps) {
    return base::Error{base::Code::kInvalid, "plan.steps has " + std::to_string(steps->size()) +
                                                 " steps; the limit is " +
                                                 std::to_string(kMostPlanSteps)};
  }
  for (const Json& step : *steps) {
    const std::string place = "plan.steps[" + std::to_string(plan.steps.size()) + "]";
    ASSIGN_OR_RETURN(PlanStep read, DecodeStep(step, place));
    plan.steps.push_back(std::move(read));
  }
  return plan;
}

LivePlan WithinLimits(LivePlan plan) {
  plan.goal = base::Ellipsize(plan.goal, kMostGoalCharacters);
  std::erase_if(plan.steps, [](const PlanStep& step) { return base::IsBlank(step.text); });
  if (plan.steps.size() > kMostPlanSteps) plan.steps.resize(kMostPlanSteps);
  for (PlanStep& step : plan.steps) {
    step.text = base::Ellipsize(step.text, kMostStepCharacters);
    step.id = base::Ellipsize(step.id, kMostStepCharacters);
  }
  return plan;
}

void ChangeStep(LivePlan& plan, const PlanStep& step) {
  const auto known = std::ranges::find_if(
      plan.steps, [&](const PlanStep& other) { return !step.id.empty() && other.id == step.id; });
  if (known == plan.steps.end()) {
    if (!step.text.empty() && plan.steps.size() < kMostPlanSteps) plan.steps.push_back(step);
    return;
  }
  if (!step.text.empty()) known->text = step.text;
  known->status = step.status;
}

}  // namespace conversation
