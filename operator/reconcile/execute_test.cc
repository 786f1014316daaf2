// Execution of plans: the order of new children, conflicts, and no calls after a stop.
#include "operator/reconcile/execute.h"

#include <gtest/gtest.h>

#include "lib/testing/fake_cluster.h"
#include "operator/names/kinds.h"

namespace controller {
namespace {

using base::Json;

Child MapNamed(const std::string& name, const std::string& uid = {}) {
  Json object = {{"apiVersion", "v1"},
                 {"kind", "ConfigMap"},
                 {"metadata", {{"name", name}, {"namespace", "n"}}},
                 {"data", {{"x", name}}}};
  if (!uid.empty()) object["metadata"]["uid"] = uid;
  return {kube::ConfigMaps(), object};
}

class ExecuteTest : public testing::Test {
 protected:
  ExecuteTest() {
    cluster_.Serve(Agents());
    agent_ = cluster_.Put({{"apiVersion", Agents().ApiVersion()},
                           {"kind", "Agent"},
                           {"metadata", {{"name", "a"}, {"namespace", "n"}}}});
    cluster_.ForgetCalls();
  }

  testing::FakeCluster cluster_;
  std::stop_source stop_;
  bool stop_after_first_ = false;
  kube::KubeClient client_{cluster_,
                           {"me",
                            10'000,
                            60'000,
                            [this](std::string_view, int, double) {
                              if (stop_after_first_) stop_.request_stop();
                            },
                            {}}};
  Json agent_;
};

TEST_F(ExecuteTest, NewChildrenAreCreatedInOrderThenStatus) {
  Plan plan;
  for (int i = 0; i < 20; ++i) plan.apply.push_back(MapNamed("m" + std::to_string(i)));
  plan.status = Json{{"observedGeneration", 1}};
  const Outcome outcome = Execute(client_, agent_, plan, stop_.get_token());
  EXPECT_TRUE(outcome.Summary());
  const auto calls = cluster_.calls();
  ASSERT_EQ(calls.size(), 21u);
  for (size_t i = 0; i < 20; ++i)
    EXPECT_TRUE(calls[i].path.ends_with("/m" + std::to_string(i))) << calls[i].path;
  EXPECT_TRUE(calls[20].path.ends_with("/agents/a/status")) << calls[20].path;
}

TEST_F(ExecuteTest, ReturnsNewestVersionPerKind) {
  Plan plan;
  for (int i = 0; i < 20; ++i) {
    const std::string name = "m" + std::to_string(i);
    Json stored = cluster_.Put(MapNamed(name).object);
    stored["data"]["x"] = "other";
    plan.apply.push_back(MapNamed(name, kube::UidOf(cluster_.Put(stored))));
  }
  const Outcome outcome = Execute(client_, agent_, plan, stop_.get_token());
  EXPECT_TRUE(outcome.Summary());
  EXPECT_EQ(outcome.written.at("ConfigMap"), std::to_string(cluster_.version()));
}

TEST_F(ExecuteTest, PersonsEditIsRevertedAndConflictReported) {
  kube::KubeClient flux(cluster_, {"flux", 10'000, 60'000, {}, {}});
  Plan plan;
  for (const char* name : {"edited", "applied"}) {
    auto made = client_.Apply(kube::ConfigMaps(), MapNamed(name).object);
    ASSERT_TRUE(made) << made.error().message;
    plan.apply.push_back(MapNamed(name, kube::UidOf(*made)));
  }
  Json theirs = MapNamed("applied").object;
  theirs["data"]["x"] = "theirs";
  kube::ApplyOptions force;
  force.force = true;
  ASSERT_TRUE(flux.Apply(kube::ConfigMaps(), theirs, force));
  ASSERT_TRUE(flux.MergePatch(kube::ConfigMaps(), {"n", "edited"}, {{"data", {{"x", "by hand"}}}}));
  plan.status = Json{{"observedGeneration", 1}};
  const Outcome outcome = Execute(client_, agent_, plan, stop_.get_token());
  EXPECT_EQ(cluster_.Get(kube::ConfigMaps(), {"n", "edited"})->at("data").at("x"), "edited");
  EXPECT_EQ(cluster_.Get(kube::ConfigMaps(), {"n", "applied"})->at("data").at("x"), "theirs");
  ASSERT_EQ(outcome.conflicts.size(), 1u);
  EXPECT_NE(outcome.conflicts[0].find("\"flux\": .data.x"), std::string::npos)
      << outcome.conflicts[0];
  EXPECT_TRUE(outcome.Summary()) << "it is no failure: what else waits for a look goes on";
  EXPECT_FALSE(cluster_.Get(Agents(), {"n", "a"})->contains("status"))
      << "a status that does not know of the conflict is not written";
}

TEST_F(ExecuteTest, AdmissionDenialIsRefusalAndMissingRightError) {
  struct Case {
    int status;
    const char* words;
    bool refused;
  };
  const Case kCases[] = {
      {403, R"(configmaps "one" is forbidden: exceeded quota: q, requested: count/configmaps=1)",
       true},
      {403, R"(statefulsets.apps "one" is forbidden: maximum storage usage per PVC is 1Gi)", true},
      {422, "ValidatingAdmissionPolicy 'p' with binding 'b' denied request: no", true},
      {400, R"(admission webhook "w" denied the request: no)", true},
      {403, R"(configmaps "one" is forbidden: User "system:serviceaccount:n:o" cannot patch)",
       false},
      {401, "Unauthorized", false},
      {500, R"(Internal error occurred: failed calling webhook "w")", false}};
  for (const Case& one : kCases) {
    cluster_.Inject({"APPLY", "/configmaps/one", one.status, 0, false, 1, one.words});
    Plan plan;
    plan.apply = {MapNamed("one")};
    const Outcome outcome = Execute(client_, agent_, plan, stop_.get_token());
    EXPECT_EQ(outcome.refusals.size(), one.refused ? 1u : 0u) << one.words;
    EXPECT_EQ(outcome.errors.size(), one.refused ? 0u : 1u) << one.words;
  }
}

TEST_F(ExecuteTest, JobRequiresTheObjectsOfItsPod) {
  for (const int status : {403, 422, 500, 0}) {
    cluster_.Inject({"APPLY", "/configmaps/prompt", status, 0, false, 1,
                     R"(configmaps "prompt" is forbidden: exceeded quota: q)"});
    Plan plan;
    plan.apply = {MapNamed("prompt")};
    plan.apply.push_back({kube::Jobs(),
                          {{"apiVersion", "batch/v1"},
                           {"kind", "Job"},
                           {"metadata", {{"name", "r"}, {"namespace", "n"}}}}});
    const Outcome outcome = Execute(client_, agent_, plan, stop_.get_token());
    EXPECT_FALSE(outcome.refusals.empty() && outcome.errors.empty()) << status;
    EXPECT_FALSE(cluster_.Get(kube::Jobs(), {"n", "r"})) << status;
  }
}

TEST_F(ExecuteTest, NoCallBeginsAfterStop) {
  Plan plan;
  plan.apply = {MapNamed("one"), MapNamed("two")};
  plan.patch = {{Agents(), {"n", "a"}, {{"metadata", {{"labels", {{"x", "y"}}}}}}}};
  plan.remove = {{kube::ConfigMaps(), {"n", "three"}, "u"}};
  plan.status = Json{{"observedGeneration", 1}};
  stop_after_first_ = true;
  const Outcome outcome = Execute(client_, agent_, plan, stop_.get_token());
  EXPECT_EQ(cluster_.calls().size(), 1u);
  EXPECT_FALSE(outcome.Summary()) << "the key comes again where somebody leads";
}

TEST_F(ExecuteTest, StopAfterAppliesOmitsTheRest) {
  Plan plan;
  plan.apply = {MapNamed("one")};
  plan.patch = {{Agents(), {"n", "a"}, {{"metadata", {{"labels", {{"x", "y"}}}}}}}};
  plan.remove = {{kube::ConfigMaps(), {"n", "three"}, "u"}};
  plan.status = Json{{"observedGeneration", 1}};
  stop_after_first_ = true;
  const Outcome outcome = Execute(client_, agent_, plan, stop_.get_token());
  EXPECT_EQ(cluster_.calls().size(), 1u);
  EXPECT_EQ(outcome.errors.size(), 3u) << "patch, removal and status, each by itself";
}

}  // namespace
}  // namespace controller
