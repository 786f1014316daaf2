// The wire forms of a task state.
#include "lib/conversation/task/task_state.h"

#include <algorithm>
#include <utility>

#include "lib/base/json/stored.h"
#include "lib/base/text/text.h"

namespace conversation {
namespace {

using base::Json;
using base::Result;
using base::Status;

constexpr size_t kMostPushed = 1'000;           // in one list
constexpr size_t kMostReadCharacters = 20'000;  // of a prompt, for its first words

Status CheckItem(const Json& item, const std::string& place, size_t most_bytes) {
  if (!item.is_string()) return base::Error{base::Code::kInvalid, place + " must be a string"};
  const size_t bytes = item.get_ref<const std::string&>().size();
  if (bytes > most_bytes) {
    return base::Error{base::Code::kInvalid, place + " has " + std::to_string(bytes) +
                                                 " bytes; the limit is " +
                                                 std::to_string(most_bytes)};
  }
  return {};
}

Result<int64_t> TokensAt(const Json& json, const char* field) {
  const auto found = json.find(field);
  const bool fits =
      found != json.end() && found->is_number_integer() && *found >= 0 && *found <= kMostTokens;
  if (fits) return found->get<int64_t>();
  return base::Error{base::Code::kInvalid, std::string("budget.") + field +
                                               " must be a whole number from 0 to " +
                                               std::to_string(kMostTokens)};
}

}  // namespace

bool TaskBudget::Warns() const { return window_tokens > 0 && used_tokens * 5 >= window_tokens * 4; }

bool TaskState::empty() const {
  return task.empty() && files_read.items().empty() && files_modified.items().empty() &&
         actions.items().empty() && plan.empty();
}

std::string TaskOf(std::string_view text) {
  const std::string words =
      base::CollapseWhitespace(base::Prefix(base::Trim(text), kMostReadCharacters));
  size_t end = 0;
  for (size_t word = 0; word < kTaskWords && end < words.size(); ++word) {
    end = std::min(words.find(' ', end + 1), words.size());
  }
  return base::Ellipsize(std::string_view(words).substr(0, end), kMostTaskCharacters);
}

Json EncodeSnapshot(const TaskState& state) {
  return {{"task", state.task},
          {"files_read", state.files_read.items()},
          {"files_modified", state.files_modified.items()},
          {"plan", EncodePlan(state.plan)}};
}

Status PushAll(const Json& json, const char* field, size_t most_bytes, MruRing& ring) {
  const auto list = json.find(field);
  if (list == json.end() || list->is_null()) return {};
  if (!list->is_array())
    return base::Error{base::Code::kInvalid, std::string(field) + " must be a list of strings"};
  if (list->size() > kMostPushed) {
    return base::Error{base::Code::kInvalid,
                       std::string(field) + " has " + std::to_string(list->size()) +
                           " items; the limit is " + std::to_string(kMostPushed)};
  }
  for (size_t i = 0; i < list->size(); ++i) {
    const Json& item = (*list)[i];
    RETURN_IF_ERROR(
        CheckItem(item, std::string(field) + "[" + std::to_string(i) + "]", most_bytes));
    ring.Push(item.get<std::string>());
  }
  return {};
}

Result<TaskState> RestoreSnapshot(TaskState state, const Json& snapshot) {
  if (!snapshot.is_object())
    return base::Error{base::Code::kInvalid, "a snapshot must be a JSON object"};
  ASSIGN_OR_RETURN(const auto task, base::OptionalString(snapshot, "task"));
  state.task = TaskOf(task.value_or(""));
  state.files_read.Clear();
  state.files_modified.Clear();
  RETURN_IF_ERROR(PushAll(snapshot, "files_read", kMostFileBytes, state.files_read));
  RETURN_IF_ERROR(PushAll(snapshot, "files_modified", kMostFileBytes, state.files_modified));
  ASSIGN_OR_RETURN(state.plan, DecodePlan(snapshot.contains("plan") ? snapshot["plan"] : Json()));
  return state;
}

Result<TaskBudget> DecodeBudget(const Json& json) {
  if (json.is_null()) return TaskBudget();
  if (!json.is_object()) {
    return base::Error{base::Code::kInvalid,
                       "budget must be an object {used_tokens, window_tokens} or null"};
  }
  TaskBudget budget;
  ASSIGN_OR_RETURN(budget.used_tokens, TokensAt(json, "used_tokens"));
  ASSIGN_OR_RETURN(budget.window_tokens, TokensAt(json, "window_tokens"));
  return budget;
}

Json EncodeTaskState(const TaskState& state) {
  Json json = EncodeSnapshot(state);
  json["actions"] = state.actions.items();
  json["budget"] = {{"used_tokens", state.budget.used_tokens},
                    {"window_tokens", state.budget.window_tokens}};
  json["lost"] = state.lost;
  json["blocks_from"] = state.blocks_from;
  return json;
}

Result<TaskState> DecodeTaskState(const Json& json) {
  ASSIGN_OR_RETURN(TaskState state, RestoreSnapshot({}, json));
  RETURN_IF_ERROR(PushAll(json, "actions", kMostActionsBytes, state.actions));
  ASSIGN_OR_RETURN(state.budget, DecodeBudget(json.contains("budget") ? json["budget"] : Json()));
  ASSIGN_OR_RETURN(const auto lost, base::OptionalBool(json, "lost"));
  state.lost = lost.value_or(false);
  ASSIGN_OR_RETURN(const auto blocks_from, base::OptionalInt(json, "blocks_from"));
  state.blocks_from = blocks_from.value_or(0);
  return state;
}

Result<TaskState> ReadTask(Rows& rows, const std::string& conversation) {
  ASSIGN_OR_RETURN(const auto stored, rows.FindTask(conversation));
  if (!stored) return TaskState();
  ASSIGN_OR_RETURN(const Json json, base::ParseStored(*stored, Json()));
  return DecodeTaskState(json).value_or(TaskState());
}

Status WriteTask(Rows& rows, const std::string& conversation, const TaskState& state,
                 int64_t now_ms) {
  return rows.SaveTask(conversation, base::DumpJson(EncodeTaskState(state)), now_ms);
}

}  // namespace conversation
