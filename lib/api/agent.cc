// Decodes an Agent object and makes its policy. The schema has limits and defaults
// (crds/agent.yaml, lib/kube/schema/crd_schema.h); the decoder only checks the types that the code
// relies on.
#include "lib/api/agent.h"

namespace api {
namespace {

using base::Json;

// The fields of spec.memory for the sidecar; the others are for the operator or the server.
constexpr const char* kPolicyFields[] = {
    "project",        "contextLimit",      "autoSummarize",  "autoSave",
    "autoSearch",     "allowGlobal",       "allowAdmin",     "injectUntrusted",
    "reinject",       "budgetTokens",      "redaction",      "retention",
    "sessionDigest",  "rememberPrompts",   "tools",          "storeRules",
    "workingSection", "agentos",           "autoIngest",     "personality",
    "user",           "saveCommits",       "saveStatements", "askToSave",
    "saveAdvice",     "rememberEverywhere"};

// Parts of the spec with our fields; the other parts are free-form and stay as they are.
constexpr const char* kOurParts[] = {"env",    "secrets",   "ports",     "resources", "storage",
                                     "memory", "toolHooks", "injection", "sidecar",   "proxy"};

// Removes nulls, which an API server may store: null equals absent.
void DropNulls(Json& value) {
  if (value.is_object())
    for (auto field = value.begin(); field != value.end();)
      field = field->is_null() ? value.erase(field) : std::next(field);
  if (value.is_structured())
    for (Json& part : value) DropNulls(part);
}

void DropNullsOfSpec(Json& spec) {
  for (auto field = spec.begin(); field != spec.end();)
    field = field->is_null() ? spec.erase(field) : std::next(field);
  for (const char* part : kOurParts)
    if (auto found = spec.find(part); found != spec.end()) DropNulls(*found);
}

// The object at `key`; empty if absent or null.
base::Result<Json> ObjectAt(const Json& object, const char* key) {
  auto found = object.find(key);
  if (found == object.end() || found->is_null()) return Json::object();
  if (!found->is_object())
    return base::Error{base::Code::kInvalid, std::string("Agent: ") + key + " must be an object"};
  return *found;
}

base::Status ReadMetadata(const Json& object, Agent& agent) {
  ASSIGN_OR_RETURN(Json metadata, ObjectAt(object, "metadata"));
  ASSIGN_OR_RETURN(agent.name, base::RequiredString(metadata, "name"));
  ASSIGN_OR_RETURN(auto name_space, base::OptionalString(metadata, "namespace"));
  ASSIGN_OR_RETURN(auto uid, base::OptionalString(metadata, "uid"));
  ASSIGN_OR_RETURN(auto generation, base::OptionalInt(metadata, "generation"));
  ASSIGN_OR_RETURN(agent.annotations, ObjectAt(metadata, "annotations"));
  agent.name_space = name_space.value_or("");
  agent.uid = uid.value_or("");
  agent.generation = generation.value_or(0);
  return {};
}

base::Status ReadMemory(const Json& spec, Agent& agent) {
  auto found = spec.find("memory");
  if (found == spec.end() || found->is_null()) return {};
  ASSIGN_OR_RETURN(Json fields, ObjectAt(spec, "memory"));
  AgentMemory memory;
  ASSIGN_OR_RETURN(memory.server_ref, base::RequiredString(fields, "serverRef"));
  ASSIGN_OR_RETURN(auto project, base::OptionalString(fields, "project"));
  memory.project = project.value_or("");
  memory.fields = std::move(fields);
  agent.memory = std::move(memory);
  return {};
}

// Reads spec.memory.ingest, the older form of autoIngest and personality, which take precedence.
void AddOlderIngest(const Json& fields, Json& memory) {
  const Json* enabled = base::At(fields, {"ingest", "enabled"});
  if (!memory.contains("autoIngest") && enabled && *enabled == true)
    memory["autoIngest"] = {{"enabled", true}};
  if (memory.contains("personality")) return;
  for (const char* trait : kTraits)
    if (const Json* share = base::At(fields, {"ingest", "personality", trait}))
      memory["personality"][trait] = *share;
}

}  // namespace

base::Result<AgentStorage> DecodeStorage(const Json& spec) {
  ASSIGN_OR_RETURN(Json storage, ObjectAt(spec, "storage"));
  AgentStorage read;
  if (auto size = storage.find("size"); size != storage.end() && !size->is_null())
    read.size = size->is_string() ? size->get<std::string>() : base::DumpJson(*size);
  ASSIGN_OR_RETURN(auto storage_class, base::OptionalString(storage, "storageClass"));
  ASSIGN_OR_RETURN(auto retain, base::OptionalBool(storage, "retain"));
  ASSIGN_OR_RETURN(auto adopt, base::OptionalBool(storage, "adopt"));
  read.storage_class = storage_class.value_or("");
  read.retain = retain.value_or(true);
  read.adopt = adopt.value_or(false);
  return read;
}

base::Result<Agent> DecodeAgent(const base::Json& object) {
  if (!object.is_object()) return base::Error{base::Code::kInvalid, "Agent: must be an object"};
  Agent agent;
  RETURN_IF_ERROR(ReadMetadata(object, agent));
  ASSIGN_OR_RETURN(agent.spec, ObjectAt(object, "spec"));
  DropNullsOfSpec(agent.spec);
  ASSIGN_OR_RETURN(auto mode, base::OptionalString(agent.spec, "mode"));
  ASSIGN_OR_RETURN(auto image, base::OptionalString(agent.spec, "image"));
  ASSIGN_OR_RETURN(auto replicas, base::OptionalInt(agent.spec, "replicas"));
  agent.spec.erase("replicas");
  agent.replicas = replicas.value_or(1);
  if (agent.replicas != 0 && agent.replicas != 1)
    return base::Error{base::Code::kInvalid,
                       "Agent: replicas must be 0 or 1, not " + std::to_string(agent.replicas)};
  agent.mode = mode.value_or("daemon");
  agent.image = image.value_or("");
  ASSIGN_OR_RETURN(agent.storage, DecodeStorage(agent.spec));
  agent.has_storage = agent.mode == "daemon";
  RETURN_IF_ERROR(ReadMemory(agent.spec, agent));
  ASSIGN_OR_RETURN(Json sidecar, ObjectAt(agent.spec, "sidecar"));
  ASSIGN_OR_RETURN(auto sidecar_image, base::OptionalString(sidecar, "image"));
  agent.sidecar_image = sidecar_image.value_or("");
  return agent;
}

base::Result<Policy> PolicyOf(const Agent& agent, const std::string& server_url,
                              const std::string& audience) {
  Json memory = {{"url", server_url}, {"audience", audience}};
  if (agent.memory) {
    for (const char* field : kPolicyFields) {
      auto found = agent.memory->fields.find(field);
      if (found != agent.memory->fields.end()) memory[field] = *found;
    }
    AddOlderIngest(agent.memory->fields, memory);
  }
  return DecodePolicy({{"version", 1},
                       {"agent", agent.name},
                       {"namespace", agent.name_space},
                       {"mode", agent.mode},
                       {"memory", memory},
                       {"toolHooks", agent.spec.value("toolHooks", Json())}});
}

}  // namespace api
