// Values beyond the limits are cut instead of refused: they come from tools of agents, which do not
// know our limits.
#include "lib/conversation/task/task_changes.h"

#include <algorithm>
#include <utility>

#include "lib/base/text/text.h"

namespace conversation {
namespace {

using base::Json;
using base::Result;

std::string WithinBytes(const std::string& text, size_t most) {
  constexpr std::string_view kCut = "…";
  if (text.size() <= most) return text;
  return text.substr(0, base::BorderBefore(text, most - kCut.size())) + std::string(kCut);
}

void PushFiles(const std::vector<std::string>& files, MruRing& ring) {
  for (const std::string& file : files) ring.Push(WithinBytes(file, kMostFileBytes));
}

}  // namespace

bool TaskChanges::empty() const {
  return files_read.empty() && files_modified.empty() && actions.empty() && !plan &&
         steps.empty() && !budget && more_tokens == 0;
}

void Apply(TaskState& state, const TaskChanges& changes) {
  PushFiles(changes.files_read, state.files_read);
  PushFiles(changes.files_modified, state.files_modified);
  for (const std::string& action : changes.actions)
    state.actions.Push(base::Ellipsize(action, kMostActionCharacters));
  if (changes.plan) {
    std::string goal = std::move(state.plan.goal);
    state.plan = WithinLimits(*changes.plan);
    if (state.plan.goal.empty()) state.plan.goal = std::move(goal);
  }
  for (const PlanStep& step : changes.steps) ChangeStep(state.plan, step);
  if (!changes.steps.empty()) state.plan = WithinLimits(std::move(state.plan));
  if (changes.budget) state.budget = *changes.budget;
  state.budget.used_tokens =
      std::min(kMostTokens, state.budget.used_tokens + std::max<int64_t>(changes.more_tokens, 0));
}

void BeginRequest(TaskState& state, std::string_view prompt) {
  std::string task = TaskOf(prompt);
  if (task.empty()) return;
  const auto words = static_cast<size_t>(std::ranges::count(task, ' ')) + 1;
  if (words <= kGoOnWords && !state.task.empty()) return;
  if (task != state.task && !state.plan.HasOpenSteps()) state.plan = {};
  state.task = std::move(task);
}

void ClearTask(TaskState& state) {
  state.task.clear();
  state.actions.Clear();
  state.plan = {};
  state.budget.used_tokens = 0;
}

Result<TaskState> ApplyWorking(TaskState state, const Json& body) {
  if (!body.is_object()) return base::Error{base::Code::kInvalid, "the body must be a JSON object"};
  ASSIGN_OR_RETURN(const auto task, base::OptionalString(body, "task"));
  if (body.contains("task")) state.task = TaskOf(task.value_or(""));
  RETURN_IF_ERROR(PushAll(body, "files_read", kMostFileBytes, state.files_read));
  RETURN_IF_ERROR(PushAll(body, "files_modified", kMostFileBytes, state.files_modified));
  MruRing pushed = state.actions;
  RETURN_IF_ERROR(PushAll(body, "actions", kMostActionsBytes, pushed));
  state.actions.Clear();
  for (const std::string& action : pushed.items())
    state.actions.Push(base::Ellipsize(action, kMostActionCharacters));
  if (body.contains("plan")) {
    ASSIGN_OR_RETURN(state.plan, DecodePlan(body["plan"]));
  }
  if (body.contains("budget")) {
    ASSIGN_OR_RETURN(state.budget, DecodeBudget(body["budget"]));
  }
  return state;
}

}  // namespace conversation
