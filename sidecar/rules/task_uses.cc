// The tools of Claude Code, and the policy's mapping for others.
#include "sidecar/rules/task_uses.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/base/text/text.h"
#include "sidecar/text/tool_text.h"

namespace sidecar {
namespace {

using base::Json;
using conversation::LivePlan;
using conversation::PlanStep;
using conversation::StepStatus;
using conversation::TaskChanges;
using EventKind = api::HookEvent::Kind;

constexpr size_t kMostFilesOfACall = 20;
constexpr size_t kActionCharacters = 120, kMostReadBytes = 64 << 10;

struct KnownTool {
  const char *tool, *reads, *modifies;
};
constexpr KnownTool kKnownTools[] = {
    {"Read", "/file_path", ""},  {"NotebookRead", "/notebook_path", ""},
    {"Edit", "", "/file_path"},  {"MultiEdit", "", "/file_path"},
    {"Write", "", "/file_path"}, {"NotebookEdit", "", "/notebook_path"},
};

// `pointer`: valid, since the policy's decoder checks it.
std::vector<std::string> TextsAt(const Json& arguments, const std::string& pointer) {
  std::vector<std::string> texts;
  if (pointer.empty()) return texts;
  const Json* at = &arguments;
  for (const std::string& part : base::Split(pointer.substr(1), '/')) {
    std::string key;
    for (size_t i = 0; i < part.size(); ++i) {
      const bool escaped = part[i] == '~' && i + 1 < part.size();
      key += escaped ? (part[++i] == '1' ? '/' : '~') : part[i];
    }
    if (at->is_object() && at->contains(key)) {
      at = &(*at)[key];
      continue;
    }
    const bool number = !key.empty() && key.size() < 6 &&
                        std::ranges::all_of(key, [](char c) { return c >= '0' && c <= '9'; });
    if (!number || !at->is_array() || std::stoul(key) >= at->size()) return texts;
    at = &(*at)[std::stoul(key)];
  }
  if (at->is_string()) texts.push_back(at->get<std::string>());
  if (!at->is_array()) return texts;
  for (const Json& item : *at) {
    if (item.is_string() && texts.size() < kMostFilesOfACall) texts.push_back(item);
  }
  return texts;
}

std::string ActionOf(const api::HookEvent& event, const std::string& argument) {
  const std::string words = base::CollapseWhitespace(base::Prefix(argument, 4 * kActionCharacters));
  const bool failed = event.kind == EventKind::kPostToolUseFailure;
  return base::Ellipsize(event.tool_name, kActionCharacters) + (words.empty() ? "" : " ") +
         base::Ellipsize(words, kActionCharacters) + (failed ? " (failed)" : "");
}

std::optional<StepStatus> StatusOf(const std::string& word) {
  if (word == "deleted") return StepStatus::kCancelled;
  const auto read = conversation::ReadStepStatus(word);
  return read ? std::optional(*read) : std::nullopt;
}

LivePlan PlanOfTodos(const Json& todos) {
  LivePlan plan;
  for (const Json& todo : todos) {
    if (!todo.is_object() || plan.steps.size() == conversation::kMostPlanSteps) continue;
    plan.steps.push_back(
        {base::StringAt(todo, {"content"}),
         StatusOf(base::StringAt(todo, {"status"})).value_or(StepStatus::kPending)});
  }
  return plan;
}

// "- text", "* text" or "1. text" → text; empty: the line is no item of a list.
std::string_view ItemOfList(std::string_view line) {
  line = base::Trim(line);
  const size_t digits = line.find_first_not_of("0123456789");
  if (line.starts_with("- ") || line.starts_with("* ")) return base::Trim(line.substr(2));
  const bool numbered = digits != std::string_view::npos && digits > 0 &&
                        (line[digits] == '.' || line[digits] == ')');
  return numbered ? base::Trim(line.substr(digits + 1)) : std::string_view();
}

// The plan that a user accepted, as Markdown: the first line is the goal, list items are steps.
LivePlan PlanOfMarkdown(const std::string& text) {
  LivePlan plan;
  for (const std::string& line :
       base::Split(text.substr(0, base::BorderBefore(text, kMostReadBytes)), '\n')) {
    if (base::IsBlank(line)) continue;
    const std::string_view item = ItemOfList(line);
    if (plan.goal.empty() && item.empty()) {
      const size_t begin = std::min(line.find_first_not_of("# "), line.size());
      plan.goal = std::string(base::Trim(std::string_view(line).substr(begin)));
    }
    if (!item.empty()) plan.steps.push_back({std::string(item)});
    if (plan.steps.size() == conversation::kMostPlanSteps) break;
  }
  return plan;
}

// TaskCreate returns the id in its result: {"task": {"id": "3"}} or "Task #3 created".
std::string CreatedId(const std::string& output) {
  const auto json = base::ParseJson(output.substr(0, kMostReadBytes));
  if (json && json->is_object()) return base::StringAt(*json, {"task", "id"});
  const size_t begin = output.find('#');
  if (begin == std::string::npos) return "";
  const size_t end = output.find_first_not_of("0123456789", begin + 1);
  return output.substr(begin + 1, std::min(end, output.size()) - begin - 1);
}

// True for a tool of plans: its call is no action.
bool ReadPlan(const std::string& tool, const Json& arguments, const std::string& output,
              TaskChanges& changes) {
  if (tool == "TodoWrite") {
    if (arguments.contains("todos") && arguments["todos"].is_array())
      changes.plan = PlanOfTodos(arguments["todos"]);
    return true;
  }
  if (tool == "ExitPlanMode") {
    LivePlan plan = PlanOfMarkdown(base::StringAt(arguments, {"plan"}));
    if (!plan.empty()) changes.plan = std::move(plan);
    return true;
  }
  if (tool == "TaskCreate") {
    changes.steps = {
        {base::StringAt(arguments, {"subject"}), StepStatus::kPending, CreatedId(output)}};
    return true;
  }
  if (tool == "TaskUpdate") {
    const auto status = StatusOf(base::StringAt(arguments, {"status"}));
    const std::string id = base::StringAt(arguments, {"taskId"});
    if (status && !id.empty())
      changes.steps = {{base::StringAt(arguments, {"subject"}), *status, id}};
    return true;
  }
  return tool == "TaskList" || tool == "TaskGet";
}

}  // namespace

TaskChanges TaskUses(const api::Policy& policy, const api::HookEvent& event,
                     const std::string& output) {
  TaskChanges changes;
  const bool failed = event.kind == EventKind::kPostToolUseFailure;
  if ((event.kind != EventKind::kPostToolUse && !failed) || IsOwnTool(event.tool_name))
    return changes;
  const Json arguments = Arguments(event.tool_input);
  const auto& mapped = policy.working_section.tools;
  const auto entry = std::ranges::find_if(
      mapped, [&](const api::TaskTool& tool) { return ToolMatches(tool.tool, event.tool_name); });
  std::string reads, modifies, action;
  if (entry != mapped.end()) {
    reads = entry->reads;
    modifies = entry->modifies;
    action = entry->action;
  } else {
    TaskChanges plan;
    if (ReadPlan(event.tool_name, arguments, output, plan)) return failed ? changes : plan;
    const auto* known = std::ranges::find_if(
        kKnownTools, [&](const KnownTool& tool) { return event.tool_name == tool.tool; });
    if (known != std::end(kKnownTools)) {
      reads = known->reads;
      modifies = known->modifies;
    }
  }
  if (!failed) {
    changes.files_read = TextsAt(arguments, reads);
    changes.files_modified = TextsAt(arguments, modifies);
  }
  changes.actions = {ActionOf(event, action.empty()
                                         ? MainArgument(arguments)
                                         : base::Join(TextsAt(arguments, action), ", "))};
  return changes;
}

}  // namespace sidecar
