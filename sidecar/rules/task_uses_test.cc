// Shows calls of Claude Code's tools, the policy's mapping for others, and invalid input.
#include "sidecar/rules/task_uses.h"

#include <gtest/gtest.h>

namespace sidecar {
namespace {

using base::Json;
using conversation::StepStatus;
using Items = std::vector<std::string>;

api::HookEvent Call(const std::string& tool, Json input) {
  api::HookEvent event;
  event.kind = api::HookEvent::Kind::kPostToolUse;
  event.tool_name = tool;
  event.tool_input = std::move(input);
  return event;
}

conversation::TaskChanges Uses(const api::HookEvent& event, const std::string& output = "",
                               const api::Policy& policy = {}) {
  return TaskUses(policy, event, output);
}

TEST(TaskUses, FilesAndActionsOfClaudeCodesTools) {
  EXPECT_EQ(Uses(Call("Read", {{"file_path", "/w/notes.txt"}})).files_read,
            (Items{"/w/notes.txt"}));
  for (const char* tool : {"Edit", "MultiEdit", "Write"}) {
    const auto uses = Uses(Call(tool, {{"file_path", "/w/a.cc"}, {"content", "x"}}));
    EXPECT_EQ(uses.files_modified, (Items{"/w/a.cc"})) << tool;
    EXPECT_TRUE(uses.files_read.empty());
    EXPECT_EQ(uses.actions, (Items{std::string(tool) + " /w/a.cc"}));
  }
  EXPECT_EQ(Uses(Call("NotebookEdit", {{"notebook_path", "/n.ipynb"}})).files_modified,
            (Items{"/n.ipynb"}));
  EXPECT_EQ(Uses(Call("Bash", {{"command", "make\n  test"}, {"description", "d"}})).actions,
            (Items{"Bash make test"}));
  EXPECT_EQ(Uses(Call("mcp__git__git_log", {{"count", 2}})).actions, (Items{"mcp__git__git_log"}));
}

TEST(TaskUses, AFailedCallIsAnActionAndNoChange) {
  api::HookEvent event = Call("Read", {{"file_path", "/none"}});
  event.kind = api::HookEvent::Kind::kPostToolUseFailure;
  EXPECT_TRUE(Uses(event).files_read.empty());
  EXPECT_EQ(Uses(event).actions, (Items{"Read /none (failed)"}));
  event.tool_name = "TodoWrite";
  event.tool_input = {{"todos", {{{"content", "a"}, {"status", "pending"}}}}};
  EXPECT_TRUE(Uses(event).empty());
  event.kind = api::HookEvent::Kind::kPreToolUse;
  EXPECT_TRUE(Uses(event).empty());
}

TEST(TaskUses, OurOwnToolsAreNoWork) {
  EXPECT_TRUE(Uses(Call("mcp__memory__mem_search", {{"query", "x"}})).empty());
  EXPECT_TRUE(Uses(Call("recall", {{"block", 1}})).empty());
}

TEST(TaskUses, TheTodoListIsThePlan) {
  const auto uses = Uses(Call("TodoWrite", {{"todos",
                                             {{{"content", "build"}, {"status", "completed"}},
                                              {{"content", "ship"}, {"status", "in_progress"}},
                                              {{"content", "tell"}, {"status", "odd"}},
                                              7}}}));
  ASSERT_TRUE(uses.plan);
  ASSERT_EQ(uses.plan->steps.size(), 3u);
  EXPECT_EQ(uses.plan->steps[0].status, StepStatus::kCompleted);
  EXPECT_EQ(uses.plan->steps[1].status, StepStatus::kInProgress);
  EXPECT_EQ(uses.plan->steps[2].status, StepStatus::kPending);
  EXPECT_TRUE(uses.actions.empty());
}

TEST(TaskUses, AnAcceptedPlanAndTasksById) {
  const auto plan =
      Uses(Call("ExitPlanMode", {{"plan", "# Ship v2\n\nFirst:\n1. build it\n- test it\n"}}));
  ASSERT_TRUE(plan.plan);
  EXPECT_EQ(plan.plan->goal, "Ship v2");
  ASSERT_EQ(plan.plan->steps.size(), 2u);
  EXPECT_EQ(plan.plan->steps[0].text, "build it");
  const auto made = Uses(Call("TaskCreate", {{"subject", "build"}}), R"({"task":{"id":"3"}})");
  EXPECT_EQ(made.steps,
            (std::vector<conversation::PlanStep>{{"build", StepStatus::kPending, "3"}}));
  EXPECT_EQ(Uses(Call("TaskCreate", {{"subject", "b"}}), "Task #12 created").steps[0].id, "12");
  const auto changed = Uses(Call("TaskUpdate", {{"taskId", "3"}, {"status", "deleted"}}));
  EXPECT_EQ(changed.steps,
            (std::vector<conversation::PlanStep>{{"", StepStatus::kCancelled, "3"}}));
  EXPECT_TRUE(Uses(Call("TaskUpdate", {{"taskId", "3"}, {"owner", "x"}})).steps.empty());
}

TEST(TaskUses, ThePolicyMapsOtherTools) {
  api::Policy policy;
  policy.working_section.tools = {{"view*", "/path", "", "/why"},
                                  {"apply", "", "/edits~1all", ""},
                                  {"nth", "/list/1/name", "", ""},
                                  {"Read", "", "", ""}};
  const auto view =
      Uses(Call("mcp__fs__view_file", {{"path", "a.go"}, {"why", "look"}}), "", policy);
  EXPECT_EQ(view.files_read, (Items{"a.go"}));
  EXPECT_EQ(view.actions, (Items{"mcp__fs__view_file look"}));
  EXPECT_EQ(Uses(Call("apply", {{"edits/all", {"a", 7, "b"}}}), "", policy).files_modified,
            (Items{"a", "b"}));
  EXPECT_EQ(Uses(Call("nth", {{"list", {1, {{"name", "c"}}}}}), "", policy).files_read,
            (Items{"c"}));
  EXPECT_TRUE(Uses(Call("Read", {{"file_path", "/x"}}), "", policy).files_read.empty());
}

TEST(TaskUses, OddArgumentsAreNoFault) {
  for (const Json& input :
       {Json(), Json(7), Json("{"), Json::array({1}), Json{{"file_path", {1, 2}}},
        Json{{"todos", {{"a", 1}}}}, Json{{"plan", {1}}}, Json{{"taskId", 3}}}) {
    for (const char* tool :
         {"Read", "TodoWrite", "ExitPlanMode", "TaskCreate", "TaskUpdate", "Bash"})
      (void)Uses(Call(tool, input), "#");
  }
}

}  // namespace
}  // namespace sidecar
