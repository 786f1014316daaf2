// The state of an agent's task as a value: task, files, last actions, plan, budget; and its
// snapshot. task_changes.h changes it, task_text.h writes it for a prompt. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "lib/base/json/json.h"
#include "lib/base/result.h"
#include "lib/conversation/task/mru_ring.h"
#include "lib/conversation/task/plan.h"

namespace conversation {

inline constexpr size_t kTaskWords = 50, kMostTaskCharacters = 2'000;
inline constexpr size_t kMostFiles = 20, kMostFileBytes = 1'024, kMostFilesBytes = 8 << 10;
inline constexpr size_t kMostActions = 10, kMostActionCharacters = 200, kMostActionsBytes = 8 << 10;
inline constexpr int64_t kMostTokens = 1'000'000'000'000;

struct TaskBudget {
  int64_t used_tokens = 0, window_tokens = 0;  // window 0: unknown
  bool Warns() const;                          // from 80 % of the window on
  bool operator==(const TaskBudget&) const = default;
};

struct TaskState {
  std::string task;
  MruRing files_read{kMostFiles, kMostFilesBytes}, files_modified{kMostFiles, kMostFilesBytes};
  MruRing actions{kMostActions, kMostActionsBytes};
  LivePlan plan;
  TaskBudget budget;
  bool lost = false;        // the transcript lost the state, and no prompt has had it since
  int64_t blocks_from = 0;  // first block of the catalogue; earlier ones were cleared
  // Nothing useful for a prompt; a budget alone does not count.
  bool empty() const;
  bool operator==(const TaskState&) const = default;
};

// The first kTaskWords words, blanks between them, at most kMostTaskCharacters.
std::string TaskOf(std::string_view text);

// The snapshot {"task", "files_read": [], "files_modified": [], "plan": {"goal", "steps"}}, with
// which a later conversation starts. Files are in the order of use, the latest last.
base::Json EncodeSnapshot(const TaskState& state);
// Returns `state` with task, files and plan of the snapshot; absent parts become empty. Last
// actions and budget stay. kInvalid names the field.
base::Result<TaskState> RestoreSnapshot(TaskState state, const base::Json& snapshot);

// The stored form: the snapshot with "actions", "budget", "lost" and "blocks_from".
base::Json EncodeTaskState(const TaskState& state);
base::Result<TaskState> DecodeTaskState(const base::Json& json);

// Pushes the strings of the list `json[field]`, if present. kInvalid names the field.
base::Status PushAll(const base::Json& json, const char* field, size_t most_bytes, MruRing& ring);
base::Result<TaskBudget> DecodeBudget(const base::Json& json);

}  // namespace conversation
