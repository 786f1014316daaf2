// The schemas of crds/ applied to objects: faults, their wording, and defaults.
#include "lib/kube/schema/crd_schema.h"

#include <gtest/gtest.h>

#include "lib/base/json/yaml.h"
#include "lib/base/process/file.h"
#include "lib/kube/schema/crd_schema_rule.h"

namespace kube {
namespace {

using base::Json;

CrdSchema Load(const std::string& name) {
  auto text = base::ReadFile("crds/" + name + ".yaml");
  auto yaml = base::ParseYaml(text.value());
  EXPECT_TRUE(yaml) << yaml.error().message;
  return CrdSchema::Read(yaml.value()).value();
}
const CrdSchema& Agents() {
  static const CrdSchema schema = Load("agent");
  return schema;
}
Json Agent() {
  return Json::parse(R"({"apiVersion": "agents.agentops.io/v1alpha1", "kind": "Agent",
    "metadata": {"name": "a", "namespace": "n"}, "spec": {"image": "x:1", "memory": {"serverRef": "m"},
    "toolHooks": {"memorySaveRules": [{"tool": "bash"}]}}})");
}
// An Agent with `value` (YAML) at the JSON pointer.
Json With(const char* pointer, const char* value) {
  Json agent = Agent();
  agent[Json::json_pointer(pointer)] = base::ParseYaml(std::string("v: ") + value).value()["v"];
  return agent;
}
std::string Faults(const CrdSchema& schema, Json object, const Json* old = nullptr) {
  std::string all;
  for (const std::string& fault : schema.Admit(object, old))
    all += (all.empty() ? "" : "\n") + fault;
  return all;
}

struct Case {
  const char *pointer, *value, *fault;  // fault: what the message contains
};

TEST(CrdSchema, FaultsNameTheFieldLikeTheServer) {
  const Case cases[] = {
      {"/spec/memory/contextLimit", "51",
       "spec.memory.contextLimit: Invalid value: 51: spec.memory.contextLimit in body should be "
       "less than or "
       "equal to 50"},
      {"/spec/memory/contextLimit", "-1", "should be greater than or equal to 0"},
      {"/spec/memory/contextLimit", "x",
       "spec.memory.contextLimit: Invalid value: \"string\": spec.memory.contextLimit in body must "
       "be of type "
       "integer: \"string\""},
      {"/spec/memory/contextLimit", "1.5", "must be of type integer"},
      {"/spec/memory/contextLimt", "5", "unknown field \"spec.memory.contextLimt\""},
      {"/spec/foo", "5", "unknown field \"spec.foo\""},
      {"/metadata/labells", "{}", "unknown field \"metadata.labells\""},
      {"/spec/toolHooks/memorySaveRules/0/matchOuput", "x",
       "unknown field \"spec.toolHooks.memorySaveRules[0].matchOuput\""},
      {"/spec/memory/serverRef", "evil.example/x?",
       "spec.memory.serverRef: Invalid value: \"evil.example/x?\""},
      {"/spec/memory/serverRef", "'http://m:7437'", "spec.memory.serverRef in body should match"},
      {"/spec/memory/serverRef", "null", "spec.memory.serverRef: Required value"},
      {"/spec/mode", "cron",
       "spec.mode: Unsupported value: \"cron\": supported values: \"daemon\", \"task\""},
      {"/spec/image", "''", "spec.image in body should be at least 1 chars long"},
      {"/spec/image", "'a b'", "spec.image in body should match '^\\S+$'"},
      {"/spec/template", "{spec: {}}",
       "spec.image: Invalid value: at most one of image and template may be set"},
      {"/spec/env", "{A: 1}", "spec.env.A in body must be of type string: \"integer\""},
      {"/spec/env", "{1A: x}", "spec.env: Invalid value: env: names are letters"},
      {"/spec/ports", "[{containerPort: 0}]",
       "spec.ports[0].containerPort in body should be greater than"},
      {"/spec/ports", "[{containerPort: 7437}]", "spec.ports: Invalid value: ports: 7437 and 7438"},
      {"/spec/ports", "[{containerPort: 80}, {containerPort: 80}]",
       "spec.ports[1]: Duplicate value: {\"containerPort\":80}"},
      {"/spec/ports", "[{containerPort: 80, name: a}, {containerPort: 81, name: a}]",
       "ports: names must be unique"},
      {"/spec/resources", "{requests: {cpu: lots}}",
       "spec.resources.requests.cpu in body should match"},
      {"/spec/resources", "{requests: {cpu: [1]}}", "spec.resources.requests.cpu: Invalid value"},
      {"/spec/storage", "{size: 0}",
       "spec.storage.size in body should be greater than or equal to 1"},
      {"/spec/storage", "{size: '0Gi'}", "spec.storage.size in body should match"},
      {"/spec/memory/retention", "[{ttl: '-1s'}]", "spec.memory.retention[0].ttl"},
      {"/spec/memory/retention", "[{ttl: 59m}]", "ttl must be 0s, or 1h or more"},
      {"/spec/memory/retention", "[{maxRows: 99}]", "maxRows must be 0, or 100 or more"},
      {"/spec/memory/retention", "[{ttl: 9999999h}]",
       "ttl must be a Go duration of at most 292 years"},
      {"/spec/memory/retention", "[{}, {}]",
       "spec.memory.retention: Invalid value: retention: one entry"},
      {"/spec/toolHooks/memorySaveRules/0/matchOutput", "'(unclosed'",
       "spec.toolHooks.memorySaveRules[0].matchOutput: Invalid value: matchOutput must be an RE2 "
       "regular expression"},
      {"/spec/toolHooks/memorySaveRules/0/matchArgs", "{command: '(?=x)'}",
       "spec.toolHooks.memorySaveRules[0].matchArgs[command]: Invalid value: matchArgs must be "
       "RE2"},
      {"/spec/toolHooks/memorySaveRules", "[{tool: a, name: same}, {tool: b, name: same}]",
       "spec.toolHooks.memorySaveRules: Invalid value: memorySaveRules: rule names must be unique"},
      {"/spec/toolHooks/memorySaveRules/0", "{matchOutput: x}",
       "spec.toolHooks.memorySaveRules[0].tool: Required value"},
      {"/spec/toolHooks/contextInjectTools", "[{tool: a, limit: 11}]",
       "contextInjectTools[0].limit in body should be less"},
      {"/spec/toolHooks/allowedPaths", "[data]",
       "spec.toolHooks.allowedPaths[0] in body should match"},
      {"/spec/toolHooks/allowedPaths", "[/a/../b]", "spec.toolHooks.allowedPaths[0]"},
      {"/spec/proxy", "{llm: {enabled: true}}",
       "spec.proxy.llm.enabled: Invalid value: proxy.llm is not served"},
      {"/spec/proxy", "{mcp: {servers: [{name: a}]}}",
       "spec.proxy.mcp.servers: Invalid value: proxy.mcp is not served"},
      {"/spec/injection", "{placement: 'Before:UP'}", "spec.injection.placement"},
      {"/metadata/name", "aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeefff",
       "metadata.name: Too long"},
      {"/metadata/name", "Upper", "metadata.name in body should match"},
  };
  for (const Case& c : cases)
    EXPECT_NE(Faults(Agents(), With(c.pointer, c.value)).find(c.fault), std::string::npos)
        << c.pointer << "=" << c.value << " gave: " << Faults(Agents(), With(c.pointer, c.value));
}

TEST(CrdSchema, ValidObjectPasses) {
  const Case cases[] = {
      {"/spec/memory/contextLimit", "0", ""},
      {"/spec/memory/contextLimit", "null", ""},
      {"/spec/memory/contextLimit", "50", ""},
      {"/spec/memory/serverRef", "other/m", ""},
      {"/spec/memory", "null", ""},
      {"/spec/model", "{any: [thing, 1]}", ""},
      {"/spec/systemPrompt", "text", ""},
      {"/spec/env", "{A.b-c: '1'}", ""},
      {"/spec/resources", "{requests: {cpu: 1, memory: 64Mi}, limits: {cpu: '0.5'}}", ""},
      {"/spec/storage", "{size: 5}", ""},
      {"/spec/storage", "{size: 0.5Gi, storageClass: null}", ""},
      {"/spec/memory/retention",
       "[{}, {type: audit, maxRows: 100}, {scope: global, ttl: 1h}, {type: x, ttl: '0'}]", ""},
      {"/spec/toolHooks/memorySaveRules",
       "[{tool: a}, {tool: a}, {tool: b, name: ''}, {tool: c, name: ''}]", ""},
      {"/spec/toolHooks/memorySaveRules/0/matchOutput", "'error|panic'", ""},
      {"/spec/toolHooks/allowedPaths", "[/, /data/..x, /a/.b]", ""},
      {"/spec/proxy", "{llm: {enabled: false}, mcp: {servers: []}}", ""},
      {"/spec/injection", "{placement: 'After:istio-proxy', foreignPods: true}", ""},
      {"/metadata/labels", "{a: b}", ""},
      {"/metadata/name", "aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeff", ""},
  };
  for (const Case& c : cases)
    EXPECT_EQ(Faults(Agents(), With(c.pointer, c.value)), "") << c.pointer << "=" << c.value;
}

TEST(CrdSchema, DefaultsApplyInsideDefaultedObjects) {
  Json agent = Agent();
  ASSERT_TRUE(Agents().Admit(agent).empty());
  EXPECT_EQ(agent["spec"]["mode"], "daemon");
  EXPECT_EQ(agent["spec"]["storage"], Json({{"size", "1Gi"}, {"retain", true}, {"adopt", false}}));
  EXPECT_EQ(agent["spec"]["memory"]["contextLimit"], 5);
  EXPECT_EQ(agent["spec"]["memory"]["redaction"]["enabled"], true);
  EXPECT_FALSE(agent["spec"]["toolHooks"]["memorySaveRules"][0].contains("type")) << "in a list";
  EXPECT_FALSE(agent["spec"].contains("proxy"));
}

TEST(CrdSchema, NullEqualsAbsentExceptInTemplates) {
  Json agent = Agent();
  agent["spec"]["storage"] = {{"size", nullptr}, {"storageClass", nullptr}};
  agent["spec"].erase("image");
  agent["spec"]["template"] = {{"spec", {{"x", nullptr}}}};
  ASSERT_EQ(Faults(Agents(), agent), "");
  Agents().Admit(agent);
  EXPECT_EQ(agent["spec"]["storage"]["size"], "1Gi");
  EXPECT_FALSE(agent["spec"]["storage"].contains("storageClass"));
  EXPECT_TRUE(agent["spec"]["template"]["spec"].contains("x"));
}

// The object of a case in e2e/operator/agents_table.json, which e2e/operator/crd_test.py checks
// against a real API server.
Json Case(const Json& table, const Json& change, const Json& from = {}) {
  Json object = from.is_null() ? table["bases"][change.value("base", "agent")] : from;
  for (const char* part : {"before", "set"}) {
    if (part == std::string("before") && !from.is_null()) continue;
    const Json values = change.value(part, Json::object());
    for (const auto& [pointer, value] : values.items()) object[Json::json_pointer(pointer)] = value;
  }
  for (const std::string pointer : change.value("unset", Json::array())) {
    const Json::json_pointer at(pointer);
    object[at.parent_pointer()].erase(at.back());
  }
  return object;
}
const CrdSchema& SchemaFor(const Json& object) {
  static const std::map<std::string, CrdSchema> kSchemas = {{"Agent", Load("agent")},
                                                            {"AgentTool", Load("agenttool")},
                                                            {"AgentRun", Load("agentrun")},
                                                            {"MemoryServer", Load("memoryserver")}};
  return kSchemas.at(object["kind"].get<std::string>());
}
Json Table() {
  return base::ParseJson(base::ReadFile("e2e/operator/agents_table.json").value()).value();
}

TEST(CrdSchemaTable, AcceptsAndDefaultsLikeTheServer) {
  const Json table = Table();
  for (const Json& good : table["good"]) {
    Json object = Case(table, good);
    ASSERT_EQ(Faults(SchemaFor(object), object), "") << good;
    SchemaFor(object).Admit(object);
    const Json expected = good.value("expect", Json::object());
    for (const auto& [pointer, value] : expected.items())
      EXPECT_EQ(object.value(Json::json_pointer(pointer), Json()), value)
          << good["case"] << pointer;
  }
}

TEST(CrdSchemaTable, RefusesLikeTheServerNamingTheField) {
  const Json table = Table();
  for (const Json& bad : table["bad"]) {
    const Json object = Case(table, bad);
    EXPECT_NE(Faults(SchemaFor(object), object).find(bad["field"].get<std::string>()),
              std::string::npos)
        << bad << " gave: " << Faults(SchemaFor(object), object);
  }
}

TEST(CrdSchemaTable, ValidatesEditsLikeTheServer) {
  const Json table = Table();
  for (const Json& edit : table["edits"]) {
    Json first = edit;
    first.erase("set");
    first.erase("unset");
    Json before = Case(table, first);
    Json after = Case(table, edit, before);
    SchemaFor(before).Admit(before);
    const std::string faults = Faults(SchemaFor(after), after, &before);
    if (edit.contains("field"))
      EXPECT_NE(faults.find(edit["field"].get<std::string>()), std::string::npos) << edit << faults;
    else
      EXPECT_EQ(faults, "") << edit;
  }
}

TEST(CrdSchema, ModeCannotChange) {
  Json before = Agent(), after = With("/spec/mode", "task");
  Agents().Admit(before);
  EXPECT_NE(Faults(Agents(), after, &before).find("spec.mode: Invalid value: mode cannot change"),
            std::string::npos);
  EXPECT_EQ(Faults(Agents(), before, &before), "");
}

TEST(CrdSchema, EveryRuleOfEveryKindIsUnderstood) {
  for (const char* name : {"agent", "agentrun", "agenttool", "memoryserver"}) {
    CrdSchema schema = Load(name);
    for (const std::string& rule : schema.Rules()) {
      for (const Json& self : {Json("x"), Json(true), Json::object(), Json::array()}) {
        auto holds = EvaluateRule(rule, {{"self", self}, {"oldSelf", self}});
        if (holds) continue;
        EXPECT_EQ(holds.error().message.find("not known"), std::string::npos)
            << holds.error().message;
        EXPECT_EQ(holds.error().message.find("at character"), std::string::npos)
            << holds.error().message;
      }
    }
  }
  EXPECT_GE(Agents().Rules().size(), 12U);
}

TEST(CrdSchemaRule, RefusesUnknownSyntax) {
  const std::map<std::string, Json> scope = {
      {"self", Json::parse(R"({"a": 1, "list": [1, 2], "t": "x.y"})")}};
  const std::pair<const char*, bool> decided[] = {
      {"self.a == 1 && !(self.a >= 2)", true},
      {"has(self.b) || has(self.a)", true},
      {"self.b == 1 || true", true},  // an error beside a decisive value does not count
      {"false && self.b == 1", false},
      {"self.list.exists(i, i > 1)", true},
      {"self.list.exists_one(i, i > 0)", false},
      {"self.all(k, k.matches('^[a-z]+$'))", true},
      {"self.t.matches('^x\\\\.y$')", true},
      {"duration('1h') > duration('59m')", true},
      {"self.list.size() != 2", false}};
  for (const auto& [rule, expected] : decided) {
    auto holds = EvaluateRule(rule, scope);
    ASSERT_TRUE(holds) << rule << ": " << holds.error().message;
    EXPECT_EQ(*holds, expected) << rule;
  }
  for (const char* rule :
       {"", "self.", "self.a ==", "(true", "'x", "self.a", "nobody", "f(1)", "self.a.b()",
        "true true", "self.b == 1", "self.a < 'x'", "''.matches('(')", "has(self)", "1 == 1 == 1"})
    EXPECT_FALSE(EvaluateRule(rule, scope)) << rule;
}

}  // namespace
}  // namespace kube
