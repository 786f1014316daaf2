// The Job of an AgentRun: runs the pod of a daemon of this Agent once. No retries (backoffLimit 0):
// a restart cannot undo the actions of an agent.
#include "operator/names/names.h"
#include "operator/objects/agent_objects.h"
#include "operator/objects/pod_template.h"
#include "operator/objects/run_objects.h"

namespace controller {
namespace {

using base::Json;

Json* FindVariable(Json& environment, const std::string& name) {
  for (Json& variable : environment)
    if (variable.is_object() && base::StringAt(variable, {"name"}) == name) return &variable;
  return nullptr;
}

bool PromptIsFile(const api::AgentRun& run) {
  return run.prompt.size() > kMostPromptBytesInVariable;
}

Json PromptVariable(const api::AgentRun& run) {
  if (PromptIsFile(run))
    return {{"name", kPromptFileVariable},
            {"value", std::string(kPromptDirectory) + "/" + kPromptFile}};
  return {{"name", kPromptVariable}, {"value", Verbatim(run.prompt)}};
}

void EquipForRun(Json& container, const api::AgentRun& run) {
  if (run.args) container["args"] = *run.args;
  Json& environment = container["env"];
  if (!environment.is_array()) environment = Json::array();
  for (const auto& [name, value] : run.env) {
    Json variable = {{"name", name}, {"value", value}};
    if (Json* present = FindVariable(environment, name))
      *present = std::move(variable);
    else
      environment.push_back(std::move(variable));
  }
  if (run.prompt.empty()) return;
  Json prompt = PromptVariable(run);
  if (!FindVariable(environment, base::StringAt(prompt, {"name"})))
    environment.push_back(std::move(prompt));
  if (PromptIsFile(run))
    container["volumeMounts"].push_back(
        {{"name", kPromptVolume}, {"mountPath", kPromptDirectory}, {"readOnly", true}});
}

Json DataVolume(const api::AgentRun& run) {
  if (!run.storage) return {{"name", kClaimVolume}, {"emptyDir", Json::object()}};
  return {{"name", kClaimVolume},
          {"persistentVolumeClaim", {{"claimName", RunClaimName(run.name)}}}};
}

}  // namespace

std::string Verbatim(const std::string& text) {
  std::string escaped;
  for (const char c : text) escaped.append(c == '$' ? 2 : 1, c);
  return escaped;
}

base::Json JobOf(const Blueprint& blueprint, const api::AgentRun& run) {
  Json pod = PodTemplateOf(blueprint);
  pod["metadata"]["labels"][kRunLabel] = run.name;
  Json& spec = pod["spec"];
  spec["restartPolicy"] = "Never";
  spec["volumes"].push_back(DataVolume(run));
  if (PromptIsFile(run))
    spec["volumes"].push_back(
        {{"name", kPromptVolume}, {"configMap", {{"name", PromptConfigMapName(run.name)}}}});
  EquipForRun(spec["containers"][0], run);
  return {{"metadata",
           {{"name", JobName(run.name)},
            {"labels", {{kRunLabel, run.name}}},
            {"annotations", {{kAgentGeneration, std::to_string(blueprint.agent.generation)}}}}},
          {"spec", {{"backoffLimit", 0}, {"template", std::move(pod)}}}};
}

std::optional<base::Json> RunClaimOf(const api::AgentRun& run) {
  if (!run.storage) return std::nullopt;
  Json spec = {{"accessModes", {"ReadWriteOnce"}},
               {"resources", {{"requests", {{"storage", run.storage->size}}}}}};
  if (!run.storage->storage_class.empty()) spec["storageClassName"] = run.storage->storage_class;
  return Json{{"metadata",
               {{"name", RunClaimName(run.name)},
                {"labels", {{kRunLabel, run.name}}},
                {"annotations", {{kRetainedFrom, run.uid}}}}},
              {"spec", std::move(spec)}};
}

std::optional<base::Json> PromptConfigMapOf(const api::AgentRun& run) {
  if (!PromptIsFile(run)) return std::nullopt;
  return Json{
      {"metadata", {{"name", PromptConfigMapName(run.name)}, {"labels", {{kRunLabel, run.name}}}}},
      {"immutable", true},
      {"data", {{kPromptFile, run.prompt}}}};
}

}  // namespace controller
