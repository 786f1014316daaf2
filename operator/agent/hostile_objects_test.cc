// Plans of objects that no schema has validated neither throw nor crash. Mutates a sample at random
// places; a failure prints its seed.
#include <gtest/gtest.h>

#include <random>

#include "lib/base/process/file.h"
#include "operator/agent/observed_agent.h"
#include "operator/agent/plan.h"
#include "operator/crds/read_objects.h"
#include "operator/run/plan.h"

namespace controller {
namespace {

using base::Json;

class Breaker {
 public:
  explicit Breaker(uint64_t seed) : random_(seed) {}
  size_t Pick(size_t n) { return random_() % n; }

  // Replaces, removes or adds a value at a random place.
  void Break(Json& value, int depth = 0) {
    if (!value.is_structured() || value.empty() || (depth > 1 && Pick(4) == 0)) {
      value = Junk();
      return;
    }
    auto at = std::next(value.begin(), static_cast<std::ptrdiff_t>(Pick(value.size())));
    switch (Pick(8)) {
      case 0:
        value.erase(at);
        return;
      case 1:
        *at = Junk();
        return;
      default:
        Break(*at, depth + 1);
    }
  }

 private:
  Json Junk() {
    static const std::vector<Json> kJunk = {nullptr,
                                            true,
                                            -1,
                                            1e300,
                                            18446744073709551615U,
                                            "",
                                            "x",
                                            "memory",
                                            "a/b/c",
                                            "\xff",
                                            Json::array(),
                                            Json::array({nullptr, 1}),
                                            Json::object(),
                                            {{"name", 7}},
                                            {{"name", nullptr}, {"x", {1, 2}}},
                                            Json::array({Json::object()}),
                                            "First",
                                            "After:",
                                            "0Gi",
                                            "9999999999999999999999",
                                            std::string(100'000, 'a')};
    return kJunk[Pick(kJunk.size())];
  }
  std::mt19937_64 random_;
};

std::vector<Json> Sample() {
  std::vector<Json> objects;
  for (const char* file : {"basic/agent", "template/agent", "basic/cluster", "agent-tool/cluster",
                           "headless/cluster", "claim-not-adopted/cluster"}) {
    auto text = base::ReadFile(std::string("operator/testdata/") + file + ".yaml");
    auto read = ReadObjects(text.value(), "agents");
    objects.insert(objects.end(), read->begin(), read->end());
  }
  objects.push_back(
      Json::parse(R"({"kind": "Pod", "metadata": {"name": "coder-0", "namespace": "agents",
      "labels": {"agents.agentops.io/agent": "coder"}}, "spec": {"initContainers": [{"name": "memory"}]},
      "status": {"conditions": [{"type": "Ready", "status": "False"}], "initContainerStatuses": [{"name": "memory",
        "state": {"terminated": {"exitCode": 1}}}]}})"));
  return objects;
}

// A run of the Agent, with random objects as its pods and its Job.
ObservedRun RunOf(const Json& agent, Breaker& breaker) {
  ObservedRun observed;
  auto text = base::ReadFile("operator/testdata/run-ended/run.yaml");
  observed.run = ReadObjects(text.value(), "agents")->at(0);
  auto cluster = base::ReadFile("operator/testdata/run-ended/cluster.yaml");
  std::vector<Json> objects = *ReadObjects(cluster.value(), "agents");
  breaker.Break(objects[breaker.Pick(objects.size())]);
  if (breaker.Pick(2)) breaker.Break(observed.run);
  if (breaker.Pick(2)) observed.agent = agent;
  observed.children_read = breaker.Pick(2);
  for (const Json& object : objects) {
    if (breaker.Pick(2)) observed.pods.push_back(object);
    if (breaker.Pick(2)) observed.children[{"Job", "nightly"}] = object;
  }
  return observed;
}

TEST(HostileObjects, NeverEndTheProcessOrThrow) {
  const char* given = std::getenv("AGENT_MEMORY_TEST_SEED");
  const uint64_t seed = given ? std::stoull(given) : std::random_device{}();
  SCOPED_TRACE("AGENT_MEMORY_TEST_SEED=" + std::to_string(seed));
  Breaker breaker(seed);
  const std::vector<Json> sample = Sample();
  for (int round = 0; round < 400; ++round) {
    std::vector<Json> objects = sample;
    Json agent = objects[breaker.Pick(2)];
    // The second plan also reads a status and children.
    Plan first = MakePlan(Classify(agent, objects), {}, 1);
    if (first.status) agent["status"] = *first.status;
    for (const Child& child : first.apply) objects.push_back(child.object);
    for (size_t i = 0, faults = 1 + breaker.Pick(4); i < faults; ++i)
      breaker.Break(breaker.Pick(2) ? agent : objects[breaker.Pick(objects.size())]);
    const Json broken = agent;
    EXPECT_NO_THROW((void)MakePlan(Classify(agent, objects), {}, 1'767'323'045'000))
        << round << ": " << base::DumpJson(broken).substr(0, 4'000);
    EXPECT_NO_THROW((void)MakeRunPlan(RunOf(agent, breaker), {}, 1'767'323'045'000))
        << round << ": " << base::DumpJson(broken).substr(0, 4'000);
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace controller
