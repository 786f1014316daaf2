// The state of an agent's task as a value: task, files, last actions, plan, budget; and its
// snapshot. task_changes.h changes it, task_text.h writes it for a prompt. Pure.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/base/json/json.h"
#include "lib/base/result.h"
#include "lib/conversation/rows.h"
#include "lib/conversation/task/plan.h"

namespace conversation {

inline constexpr size_t kTaskWords = 50, kMostTaskCharacters = 2'000;
inline constexpr size_t kMostFiles = 20, kMostFileBytes = 1'024, kMostFilesBytes = 8 << 10;
inline constexpr size_t kMostActions = 10, kMostActionCharacters = 200, kMostActionsBytes = 8 << 10;
inline constexpr int64_t kMostTokens = 1'000'000'000'000;

// A ring of the most recently used texts: a text that is used again moves to the end; over the
// limit of items or bytes the least recently used texts are evicted. One thread at a time.
class MruRing {
 public:
  MruRing(size_t most_items, size_t most_bytes)
      : most_items_(most_items), most_bytes_(most_bytes) {}

  // Ignores an item that alone exceeds the limit of bytes.
  void Push(std::string item) {
    if (item.empty() || item.size() > most_bytes_) return;
    std::erase(items_, item);
    items_.push_back(std::move(item));
    size_t bytes = 0, keep = 0;
    for (auto at = items_.rbegin(); at != items_.rend() && keep < most_items_; ++at, ++keep) {
      bytes += at->size();
      if (bytes > most_bytes_) break;
    }
    items_.erase(items_.begin(), items_.end() - static_cast<std::ptrdiff_t>(keep));
  }
  void Clear() { items_.clear(); }
  // The least recently used first: pushing them in this order restores the ring.
  const std::vector<std::string>& items() const { return items_; }
  bool operator==(const MruRing& other) const { return items_ == other.items_; }

 private:
  size_t most_items_, most_bytes_;
  std::vector<std::string> items_;
};

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

// The stored state of a conversation, inside the caller's transaction. Empty for an unknown
// conversation, and for a row that changed on disk.
base::Result<TaskState> ReadTask(Rows& rows, const std::string& conversation);
base::Status WriteTask(Rows& rows, const std::string& conversation, const TaskState& state,
                       int64_t now_ms);

// Pushes the strings of the list `json[field]`, if present. kInvalid names the field.
base::Status PushAll(const base::Json& json, const char* field, size_t most_bytes, MruRing& ring);
base::Result<TaskBudget> DecodeBudget(const base::Json& json);

}  // namespace conversation
