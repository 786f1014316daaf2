// policy.json survives decoding and encoding; unknown fields are refused by name.
#include "lib/api/policy.h"

#include <gtest/gtest.h>

namespace api {
namespace {

using base::Json;

// A policy with every leaf set to a value other than its default.
Json EveryLeaf() {
  return Json::parse(R"({
    "version": 1, "agent": "billing", "namespace": "agents",
    "memory": {
      "url": "http://m.agents.svc.cluster.local:7437", "audience": "agent-memory.agents.m",
      "project": "money", "user": "u-17", "contextLimit": 0, "autoSummarize": false, "sessionDigest": true, "rememberPrompts": true, "saveCommits": true, "saveStatements": true, "askToSave": true, "saveAdvice": "Save little.", "rememberEverywhere": true, "autoSave": false,
      "autoSearch": false, "allowGlobal": true, "allowAdmin": true, "injectUntrusted": true,
      "reinject": "everyTurn", "budgetTokens": 7,
      "workingSection": {"inject": "never", "maxChars": 200, "windowTokens": 9,
        "tools": [{"tool": "view", "reads": "/path", "modifies": "/out~1x", "action": "/why"}]},
      "redaction": {"enabled": false, "workingMemory": false, "extraPatterns": ["a+"]},
      "retention": [{"type": "tool", "scope": "global", "ttl": "720h", "maxRows": 9}],
      "tools": "chapter", "storeRules": [{"match": "incident", "minLength": 9}],
      "agentos": {"includeReflect": true, "includeRehydrate": true, "tools": ["memory_add"]},
      "autoIngest": {"enabled": true, "importanceThreshold": 0.25, "maxPerTurn": 9},
      "personality": {"honesty": 0.1, "emotionality": 0.2, "extraversion": 0.3, "agreeableness": 0.4,
        "conscientiousness": 0.5, "openness": 1}},
    "toolHooks": {
      "memorySaveRules": [{"name": "n", "tool": "bash", "matchOutput": "error", "matchArgs": {"command": "^x"},
        "type": "bugfix", "scope": "global", "title": "t", "tags": ["k8s"], "trust": "rule"}],
      "contextInjectTools": [{"tool": "grep", "query": "fixed", "limit": 10, "inject": true}],
      "blockedCommands": ["rm -rf"], "allowedPaths": ["/data"], "auditTools": ["kubectl*"],
      "strictCommands": true, "untrustedTools": ["crm_*"]}})");
}

std::string ErrorOf(const Json& json) {
  auto policy = DecodePolicy(json);
  return policy ? "" : policy.error().message;
}

TEST(Policy, EveryLeafSurvivesDecodeAndEncode) {
  auto policy = DecodePolicy(EveryLeaf());
  ASSERT_TRUE(policy) << policy.error().message;
  EXPECT_EQ(EncodePolicy(*policy), EveryLeaf());
}

TEST(Policy, NoLeafOfTheSampleIsADefault) {
  Json defaults = EncodePolicy(*DecodePolicy({{"version", 1}, {"agent", "a"}})).flatten();
  const Json sample = EveryLeaf().flatten();
  for (const auto& [path, value] : sample.items()) {
    if (path == "/version") continue;
    EXPECT_NE(value, defaults.value(path, Json("absent"))) << path;
  }
}

TEST(Policy, ABarePolicyHasTheDefaultsOfTheSchema) {
  auto policy =
      DecodePolicy({{"version", 1}, {"agent", "a"}, {"memory", {{"contextLimit", nullptr}}}});
  ASSERT_TRUE(policy) << policy.error().message;
  EXPECT_EQ(policy->project, "a");
  EXPECT_EQ(policy->context_limit, 5);
  EXPECT_TRUE(policy->auto_save && policy->auto_search && policy->auto_summarize);
  EXPECT_EQ(policy->reinject, "changed");
  EXPECT_EQ(policy->budget_tokens, 2000);
}

TEST(Policy, AdviceHasALimit) {
  const auto with = [](size_t characters) {
    std::string advice;
    for (size_t i = 0; i < characters; ++i) advice += "\u00e4";
    return ErrorOf({{"version", 1}, {"agent", "a"}, {"memory", {{"saveAdvice", advice}}}});
  };
  EXPECT_EQ(with(kMostSaveAdvice), "");
  const std::string error = with(kMostSaveAdvice + 1);
  EXPECT_NE(error.find("saveAdvice"), std::string::npos) << error;
  EXPECT_NE(error.find("2001"), std::string::npos) << error;
}

TEST(Policy, UnknownKeysAreRefusedWithTheirPath) {
  for (const auto* pointer :
       {"/x", "/memory/x", "/memory/redaction/x", "/memory/workingSection/x",
        "/memory/workingSection/tools/0/x", "/memory/agentos/x", "/memory/autoIngest/x",
        "/memory/personality/x", "/memory/retention/0/x", "/toolHooks/x",
        "/toolHooks/memorySaveRules/0/x", "/toolHooks/contextInjectTools/0/x"}) {
    Json json = EveryLeaf();
    json[Json::json_pointer(pointer)] = 1;
    EXPECT_NE(ErrorOf(json).find("x is not a known field"), std::string::npos)
        << pointer << ErrorOf(json);
  }
  Json json = EveryLeaf();
  json["toolHooks"]["memorySaveRules"][0]["matchOuput"] = "e";
  EXPECT_EQ(ErrorOf(json), "policy: toolHooks.memorySaveRules[0].matchOuput is not a known field");
}

TEST(Policy, AWrongTypeOfAnyLeafIsRefused) {
  const Json sample = EveryLeaf().flatten();
  for (const auto& [path, value] : sample.items()) {
    Json json = EveryLeaf();
    json[Json::json_pointer(path)] = Json::object({{"wrong", Json::array()}});
    EXPECT_NE(ErrorOf(json), "") << path;
  }
}

TEST(Policy, ValuesOutOfTheirLimitsAreRefused) {
  const std::vector<std::pair<const char*, Json>> bad = {
      {"/version", 2},
      {"/memory/contextLimit", 51},
      {"/memory/contextLimit", -1},
      {"/memory/contextLimit", 1.5},
      {"/memory/contextLimit", 18446744073709551615U},
      {"/memory/budgetTokens", -1},
      {"/memory/reinject", "never"},
      {"/memory/workingSection/inject", "sometimes"},
      {"/memory/workingSection/maxChars", 199},
      {"/memory/workingSection/maxChars", 9'001},
      {"/memory/workingSection/tools/0/tool", ""},
      {"/memory/workingSection/tools/0/reads", "path"},
      {"/memory/workingSection/tools/0/reads", "/a~2"},
      {"/memory/workingSection/tools/0/action", "/a~"},
      {"/memory/tools", "engram"},
      {"/memory/user", "two words"},
      {"/memory/user", std::string(201, 'u')},
      {"/memory/agentos/tools/0", "mem_save"},
      {"/memory/autoIngest/importanceThreshold", 1.01},
      {"/memory/autoIngest/importanceThreshold", -0.1},
      {"/memory/autoIngest/maxPerTurn", 0},
      {"/memory/autoIngest/maxPerTurn", 21},
      {"/memory/personality/openness", 1.5},
      {"/memory/personality/honesty", "high"},
      {"/toolHooks/memorySaveRules/0/scope", "tenant"},
      {"/toolHooks/memorySaveRules/0/tool", ""},
      {"/toolHooks/contextInjectTools/0/limit", 0},
      {"/toolHooks/contextInjectTools/0/limit", 11}};
  for (const auto& [path, value] : bad) {
    Json json = EveryLeaf();
    json[Json::json_pointer(path)] = value;
    EXPECT_NE(ErrorOf(json), "") << path << " " << value;
  }
  EXPECT_NE(ErrorOf(Json::array()), "");
  EXPECT_NE(ErrorOf(Json::object()), "") << "a policy without a version is not one";
}

TEST(Policy, TheDigestIsOfTheBytes) {
  EXPECT_EQ(PolicyDigest(""),
            "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_NE(PolicyDigest("{}"), PolicyDigest("{} "));
}

}  // namespace
}  // namespace api
