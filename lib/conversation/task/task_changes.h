// Changes of a task by a prompt, a tool call, or a runtime. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/json/json.h"
#include "lib/base/result.h"
#include "lib/conversation/task/task_state.h"

namespace conversation {

struct TaskChanges {
  std::vector<std::string> files_read, files_modified, actions;  // used, in this order
  std::optional<LivePlan> plan;  // replaces the plan; an empty goal keeps the old goal
  std::vector<PlanStep> steps;   // changed in the plan by id, or added
  std::optional<TaskBudget> budget;
  int64_t more_tokens = 0;  // of the window, added to those used
  bool empty() const;
};

// Cuts values to the limits, which agents' tools do not know.
void Apply(TaskState& state, const TaskChanges& changes);

// Begins a request. A prompt of at most kGoOnWords words ("yes, go on") keeps the task; any other
// becomes the task, and removes a plan without open steps, which belongs to the previous task.
inline constexpr size_t kGoOnWords = 3;
void BeginRequest(TaskState& state, std::string_view prompt);

// For an intended restart of the transcript: clears task, plan, actions, used tokens; keeps files.
void ClearTask(TaskState& state);

// Applies the body of PUT …/working to `state`: {"task"?, "files_read"?, "files_modified"?,
// "actions"?, "plan"?, "budget"?}. Pushes lists; replaces task, plan and budget (null removes
// them). kInvalid names the field, its limit and its value.
base::Result<TaskState> ApplyWorking(TaskState state, const base::Json& body);

}  // namespace conversation
