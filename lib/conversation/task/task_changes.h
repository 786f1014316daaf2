// What happened to a task: a prompt, a tool's call, or what a runtime tells. Pure.
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
  std::optional<LivePlan> plan;  // in place of the plan; an empty goal keeps the goal
  std::vector<PlanStep> steps;   // of the plan, changed by id or added
  std::optional<TaskBudget> budget;
  int64_t more_tokens = 0;  // of the window, on top of those used
  bool empty() const;
};

// What is over a limit is cut: agents' tools know of none.
void Apply(TaskState& state, const TaskChanges& changes);

// A new request. One of at most kGoOnWords words ("yes, go on") keeps the task that is there;
// another one is the task, and a plan without open steps belongs to the task before and goes.
inline constexpr size_t kGoOnWords = 3;
void BeginRequest(TaskState& state, std::string_view prompt);

// The transcript begins again on purpose: task, plan, last actions and used tokens go, files stay.
void ClearTask(TaskState& state);

// The body of PUT …/working, over `state`: {"task"?, "files_read"?, "files_modified"?, "actions"?,
// "plan"?, "budget"?}. Lists are pushed; task, plan and budget replace (null takes out). kInvalid
// names the field, its limit and its value.
base::Result<TaskState> TakeWorking(TaskState state, const base::Json& body);

}  // namespace conversation
