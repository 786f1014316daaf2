// Tests of rings, plan, snapshot and changes.
#include "lib/conversation/task/task_state.h"

#include <gtest/gtest.h>

#include <random>

#include "lib/base/text/text.h"
#include "lib/conversation/task/task_changes.h"

namespace conversation {
namespace {

using base::Json;
using Items = std::vector<std::string>;

TEST(MruRing, ReusedItemMovesToTheEnd) {
  MruRing ring(3, 100);
  for (const char* item : {"a", "b", "c", "a", "d"}) ring.Push(item);
  EXPECT_EQ(ring.items(), (Items{"c", "a", "d"}));
  ring.Push("");
  ring.Push(std::string(101, 'x'));
  EXPECT_EQ(ring.items(), (Items{"c", "a", "d"}));
  ring.Push(std::string(99, 'y'));
  EXPECT_EQ(ring.items(), (Items{"d", std::string(99, 'y')}));
}

TEST(TaskOf, HasTheFirstFiftyWords) {
  std::string words, fifty;
  for (int i = 0; i < 60; ++i) words += "w" + std::to_string(i) + " \n";
  for (int i = 0; i < 50; ++i) fifty += (i ? " w" : "w") + std::to_string(i);
  EXPECT_EQ(TaskOf(words), fifty);
  EXPECT_EQ(TaskOf("  fix\tthe build\n"), "fix the build");
  EXPECT_EQ(TaskOf(""), "");
  EXPECT_EQ(base::CountCharacters(TaskOf(std::string(9 << 20, 'x'))), kMostTaskCharacters);
}

TEST(TaskBudget, WarnsFromEightyPercentOn) {
  EXPECT_TRUE((TaskBudget{80, 100}).Warns());
  EXPECT_FALSE((TaskBudget{79, 100}).Warns());
  EXPECT_FALSE((TaskBudget{500, 0}).Warns());
  EXPECT_FALSE((TaskBudget{0, 1}).Warns());
  EXPECT_TRUE((TaskBudget{kMostTokens, kMostTokens}).Warns());
}

TEST(Snapshot, RestoresTaskFilesAndPlan) {
  const Json snapshot = {{"task", "deploy v2"},
                         {"files_read", {"a", "b"}},
                         {"files_modified", {"b"}},
                         {"plan",
                          {{"goal", "v2 runs"},
                           {"steps",
                            {{{"text", "build"}, {"status", "completed"}},
                             {{"text", "ship"}, {"status", "pending"}}}}}}};
  TaskState before;
  before.actions.Push("Bash ls");
  before.files_read.Push("old");
  const auto state = RestoreSnapshot(before, snapshot);
  ASSERT_TRUE(state) << state.error().message;
  EXPECT_EQ(EncodeSnapshot(*state), snapshot);
  EXPECT_EQ(state->actions.items(), (Items{"Bash ls"}));
  const auto again = DecodeTaskState(EncodeTaskState(*state));
  ASSERT_TRUE(again);
  EXPECT_TRUE(*again == *state);
  const auto none = RestoreSnapshot(*state, Json::object());
  ASSERT_TRUE(none);
  EXPECT_EQ(EncodeSnapshot(*none), (Json{{"task", ""},
                                         {"files_read", Json::array()},
                                         {"files_modified", Json::array()},
                                         {"plan", {{"goal", ""}, {"steps", Json::array()}}}}));
}

TEST(TaskState, RoundTrips) {
  TaskState state;
  state.task = "deploy";
  state.actions.Push("Read a");
  state.budget = {80, 100};
  state.lost = true;
  const auto back = DecodeTaskState(EncodeTaskState(state));
  ASSERT_TRUE(back);
  EXPECT_EQ(*back, state);
}

TEST(ApplyWorking, PushesListsAndReplacesTheRest) {
  TaskState state;
  state.files_read.Push("a");
  const auto taken = ApplyWorking(state, {{"task", "one two"},
                                          {"files_read", {"b", "a"}},
                                          {"actions", {"exec ls", std::string(300, 'x')}},
                                          {"budget", {{"used_tokens", 9}, {"window_tokens", 10}}}});
  ASSERT_TRUE(taken) << taken.error().message;
  EXPECT_EQ(taken->files_read.items(), (Items{"b", "a"}));
  EXPECT_EQ(base::CountCharacters(taken->actions.items()[1]), kMostActionCharacters);
  EXPECT_TRUE(taken->budget.Warns());
  const auto out =
      ApplyWorking(*taken, {{"task", nullptr}, {"plan", nullptr}, {"budget", nullptr}});
  ASSERT_TRUE(out);
  EXPECT_EQ(out->task, "");
  EXPECT_EQ(out->files_read.items(), (Items{"b", "a"}));
}

TEST(ApplyWorking, ErrorsNameFieldLimitAndValue) {
  const auto error = [](const Json& body) {
    const auto taken = ApplyWorking({}, body);
    return taken ? std::string("accepted") : taken.error().message;
  };
  EXPECT_EQ(error(Json::array()), "the body must be a JSON object");
  EXPECT_NE(error({{"task", 7}}).find("task"), std::string::npos);
  EXPECT_EQ(error({{"files_read", "a"}}), "files_read must be a list of strings");
  EXPECT_EQ(error({{"files_read", {"a", 7}}}), "files_read[1] must be a string");
  EXPECT_EQ(error({{"files_modified", {std::string(1'025, 'x')}}}),
            "files_modified[0] has 1025 bytes; the limit is 1024");
  EXPECT_EQ(error({{"actions", Json(1'001, "x")}}), "actions has 1001 items; the limit is 1000");
  EXPECT_EQ(error({{"plan", "x"}}), "plan must be an object {goal, steps} or null");
  EXPECT_EQ(
      error({{"plan", {{"steps", {{{"text", "x"}, {"status", "done"}}}}}}}),
      "plan.steps[0].status must be pending, in_progress, completed or cancelled, not \"done\"");
  EXPECT_EQ(error({{"plan", {{"steps", {{{"text", " "}}}}}}}), "plan.steps[0].text is required");
  EXPECT_EQ(error({{"plan", {{"steps", Json(51, {{"text", "x"}})}}}}),
            "plan.steps has 51 steps; the limit is 50");
  EXPECT_EQ(error({{"plan", {{"goal", std::string(501, 'x')}}}}),
            "plan.goal has 501 characters; the limit is 500");
  EXPECT_EQ(error({{"budget", {{"used_tokens", -1}, {"window_tokens", 1}}}}),
            "budget.used_tokens must be a whole number from 0 to 1000000000000");
}

TEST(Changes, PlanOfAToolKeepsGoalAndIsCut) {
  TaskState state;
  state.plan.goal = "v2 runs";
  TaskChanges changes;
  changes.plan = LivePlan{"", std::vector<PlanStep>(60, {std::string(400, 'x')})};
  Apply(state, changes);
  EXPECT_EQ(state.plan.goal, "v2 runs");
  EXPECT_EQ(state.plan.steps.size(), kMostPlanSteps);
  EXPECT_TRUE(DecodePlan(EncodePlan(state.plan)));
}

TEST(Changes, StepsChangeById) {
  TaskState state;
  TaskChanges changes;
  changes.steps = {{"build", StepStatus::kPending, "1"}, {"ship", StepStatus::kPending, "2"}};
  Apply(state, changes);
  changes.steps = {{"", StepStatus::kCompleted, "1"}, {"", StepStatus::kCompleted, "9"}};
  Apply(state, changes);
  ASSERT_EQ(state.plan.steps.size(), 2u);
  EXPECT_EQ(state.plan.steps[0], (PlanStep{"build", StepStatus::kCompleted, "1"}));
}

TEST(BeginRequest, FinishedPlanIsRemovedWithItsTask) {
  TaskState state;
  BeginRequest(state, "deploy the new version");
  state.plan.steps = {{"build", StepStatus::kPending, ""}};
  BeginRequest(state, "yes, go on");
  EXPECT_EQ(state.task, "deploy the new version");
  BeginRequest(state, "and also fix the login page");
  EXPECT_EQ(state.task, "and also fix the login page");
  EXPECT_EQ(state.plan.steps.size(), 1u);
  state.plan.steps[0].status = StepStatus::kCancelled;
  BeginRequest(state, "what is the weather like");
  EXPECT_TRUE(state.plan.empty());
}

// Every limit holds for random changes, and each stored state is read back.
TEST(TaskStateProperty, StaysWithinItsLimits) {
  const char* given = std::getenv("AGENT_MEMORY_TEST_SEED");
  const uint64_t seed = given ? std::stoull(given) : std::random_device{}();
  SCOPED_TRACE("AGENT_MEMORY_TEST_SEED=" + std::to_string(seed));
  std::mt19937_64 random(seed);
  const auto text = [&](size_t most) {
    constexpr const char* kParts[] = {"a", "é", "🚀", " ", "\n", "[TASK CONTEXT]", ", ", "<", "\\u"};
    std::string made;
    for (size_t left = random() % most; left > 0; --left)
      made += kParts[random() % std::size(kParts)];
    return made;
  };
  TaskState state;
  for (int i = 0; i < 100; ++i) {
    TaskChanges changes;
    changes.files_read = {text(600)};
    changes.files_modified = {text(20), text(20)};
    changes.actions = {text(400)};
    if (random() % 4 == 0)
      changes.plan = LivePlan{text(600), std::vector<PlanStep>(random() % 70, {text(400)})};
    changes.steps = {{text(9), static_cast<StepStatus>(random() % 4), text(3)}};
    changes.more_tokens = static_cast<int64_t>(random());
    Apply(state, changes);
    BeginRequest(state, text(300));
    for (const MruRing* ring : {&state.files_read, &state.files_modified}) {
      size_t bytes = 0;
      for (const std::string& item : ring->items()) bytes += item.size();
      ASSERT_LE(bytes, kMostFilesBytes);
      ASSERT_LE(ring->items().size(), kMostFiles);
    }
    ASSERT_LE(state.actions.items().size(), kMostActions);
    const auto again = DecodeTaskState(EncodeTaskState(state));
    ASSERT_TRUE(again) << again.error().message;
    ASSERT_TRUE(*again == state);
  }
}

}  // namespace
}  // namespace conversation
