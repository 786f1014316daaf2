// Decoding of Agents, and their policies with the fields of the spec.
#include "lib/api/agent.h"

#include <gtest/gtest.h>

namespace api {
namespace {

using base::Json;

Json Whole() {
  return Json::parse(R"({"metadata": {"name": "a", "namespace": "n", "uid": "u", "generation": 3,
      "annotations": {"k": "v"}},
    "spec": {"mode": "task", "image": "x:1", "replicas": 0, "storage": {"size": "2Gi", "storageClass": "fast",
      "retain": false, "adopt": true}, "sidecar": {"image": "s:1"},
      "memory": {"serverRef": "other/m", "project": "p", "contextLimit": 0, "autoSave": false,
        "retention": [], "share": [], "redaction": {"extraPatterns": ["x"]}},
      "toolHooks": {"memorySaveRules": [{"tool": "bash", "type": "bugfix"}], "auditTools": ["k*"]}}})");
}

TEST(Agent, EveryFieldIsDecoded) {
  auto agent = DecodeAgent(Whole());
  ASSERT_TRUE(agent) << agent.error().message;
  EXPECT_EQ(agent->name + agent->name_space + agent->uid + agent->mode + agent->image,
            "anutaskx:1");
  EXPECT_EQ(agent->generation, 3);
  EXPECT_EQ(agent->replicas, 0);
  EXPECT_FALSE(agent->spec.contains("replicas"));
  EXPECT_EQ(agent->annotations["k"], "v");
  EXPECT_EQ(agent->storage.size + agent->storage.storage_class, "2Gifast");
  EXPECT_TRUE(agent->storage.adopt);
  EXPECT_FALSE(agent->storage.retain);
  EXPECT_EQ(agent->memory->server_ref, "other/m");
  EXPECT_EQ(agent->sidecar_image, "s:1");
}

TEST(Agent, ABareAgentHasTheDefaults) {
  auto agent = DecodeAgent({{"metadata", {{"name", "a"}}}, {"spec", {{"memory", nullptr}}}});
  ASSERT_TRUE(agent) << agent.error().message;
  EXPECT_EQ(agent->mode, "daemon");
  EXPECT_EQ(agent->storage.size, "1Gi");
  EXPECT_EQ(agent->replicas, 1);
  EXPECT_FALSE(agent->memory);
}

TEST(Agent, StoredNullsAreGoneButInATemplateTheyStay) {
  auto agent =
      DecodeAgent(Json::parse(R"({"metadata": {"name": "a"}, "spec": {"image": null, "env": null,
    "memory": {"serverRef": "m", "project": null, "embeddings": {"endpoint": null}},
    "toolHooks": {"memorySaveRules": [{"tool": "t", "name": null}]}, "template": {"spec": {"x": null}}}})"));
  ASSERT_TRUE(agent) << agent.error().message;
  EXPECT_EQ(agent->spec, Json::parse(R"({"memory": {"serverRef": "m", "embeddings": {}},
    "toolHooks": {"memorySaveRules": [{"tool": "t"}]}, "template": {"spec": {"x": null}}})"));
}

TEST(Agent, WrongShapesAreRefusedNotFatal) {
  for (const char* text : {"[]", "{}", R"({"metadata": 1})", R"({"metadata": {"name": 1}})",
                           R"({"metadata": {"name": "a"}, "spec": []})",
                           R"({"metadata": {"name": "a"}, "spec": {"replicas": 2}})",
                           R"({"metadata": {"name": "a"}, "spec": {"memory": 1}})",
                           R"({"metadata": {"name": "a"}, "spec": {"memory": {}}})",
                           R"({"metadata": {"name": "a"}, "spec": {"storage": "1Gi"}})"})
    EXPECT_FALSE(DecodeAgent(Json::parse(text))) << text;
}

TEST(Agent, ThePolicyCarriesItsWordsAndTheResolvedServer) {
  auto policy = PolicyOf(*DecodeAgent(Whole()), "http://m.other.svc.cluster.local:7437", "aud");
  ASSERT_TRUE(policy) << policy.error().message;
  EXPECT_EQ(policy->agent + policy->agent_namespace + policy->project, "anp");
  EXPECT_EQ(policy->server_url, "http://m.other.svc.cluster.local:7437");
  EXPECT_EQ(policy->audience, "aud");
  EXPECT_EQ(policy->context_limit, 0);
  EXPECT_FALSE(policy->auto_save);
  EXPECT_EQ(policy->redaction.extra_patterns.size(), 1U);
  EXPECT_EQ(policy->save_rules.at(0).type, "bugfix");
  EXPECT_EQ(policy->audit_tools.at(0), "k*");
}

TEST(Agent, ItsRetentionIsInItsPolicy) {
  Json object = Whole();
  object["spec"]["memory"]["retention"] = Json::parse(
      R"([{"type": "tool", "scope": "global", "ttl": "1h30m", "maxRows": 500}, {"ttl": "720h"}])");
  auto policy = PolicyOf(*DecodeAgent(object), "http://m:1", "audience");
  ASSERT_TRUE(policy) << policy.error().message;
  EXPECT_EQ(EncodePolicy(*policy)["memory"]["retention"],
            Json::parse(R"([{"type": "tool", "scope": "global", "ttl": "1h30m", "maxRows": 500},
                            {"type": "*", "scope": "project", "ttl": "720h", "maxRows": 0}])"));
  EXPECT_FALSE(
      EncodePolicy(*PolicyOf(*DecodeAgent(Whole()), "", ""))["memory"].contains("retention"))
      << "a sidecar from before it would refuse the policy";
}

TEST(Agent, TheToolsOfTracesAndTheIngestOfTurnsAreInItsPolicy) {
  Json object = Whole();
  Json& memory = object["spec"]["memory"];
  memory["tools"] = "agentos";
  memory["agentos"] = {{"includeReflect", true}, {"includeRehydrate", false}};
  memory["autoIngest"] = {{"importanceThreshold", 0.6}};
  memory["personality"] = {{"openness", 0.7}};
  auto policy = PolicyOf(*DecodeAgent(object), "http://m:1", "audience");
  ASSERT_TRUE(policy) << policy.error().message;
  EXPECT_EQ(policy->tools, "agentos");
  EXPECT_TRUE(policy->agentos.Includes("memory_add"));
  EXPECT_TRUE(policy->agentos.Includes(kReflectTool));
  EXPECT_FALSE(policy->agentos.Includes(kRehydrateTool));
  EXPECT_TRUE(policy->auto_ingest.enabled);
  EXPECT_EQ(EncodeIngestSettings(policy->auto_ingest, policy->personality),
            Json::parse(R"({"importanceThreshold": 0.6, "maxPerTurn": 3,
                            "personality": {"openness": 0.7}})"));
  memory["agentos"]["tools"] = {"memory_search"};
  policy = PolicyOf(*DecodeAgent(object), "http://m:1", "audience");
  EXPECT_TRUE(policy->agentos.Includes("memory_search"));
  EXPECT_FALSE(policy->agentos.Includes("memory_add"));
  EXPECT_FALSE(policy->agentos.Includes(kReflectTool)) << "only the tools that are named";
}

TEST(Agent, TheOlderNameOfTheIngestIsTaken) {
  Json object = Whole();
  Json& memory = object["spec"]["memory"];
  memory["ingest"] = {{"enabled", false}, {"personality", {{"openness", 0.7}}}};
  EXPECT_FALSE(PolicyOf(*DecodeAgent(object), "", "")->auto_ingest.enabled);
  memory["ingest"] = {{"enabled", true}, {"personality", {{"openness", 0.7}, {"charm", 1}}}};
  auto policy = PolicyOf(*DecodeAgent(object), "", "");
  ASSERT_TRUE(policy) << policy.error().message;
  EXPECT_TRUE(policy->auto_ingest.enabled);
  EXPECT_EQ(policy->personality, (Personality{{"openness", 0.7}}));
  memory["autoIngest"] = {{"enabled", false}};
  memory["personality"] = {{"honesty", 1}};
  policy = PolicyOf(*DecodeAgent(object), "", "");
  EXPECT_FALSE(policy->auto_ingest.enabled);
  EXPECT_EQ(policy->personality, (Personality{{"honesty", 1}}));
}

}  // namespace
}  // namespace api
