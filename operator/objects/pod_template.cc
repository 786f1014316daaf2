// Pods contain no settings of the policy: a changed policy must not change the pod.
#include "operator/objects/pod_template.h"

#include "operator/names/names.h"

namespace controller {
namespace {

using base::Json;

// Adds `item` unless the list has one with the same value of `field`: the user's item wins.
void AddUnlessThere(Json& list, Json item, const char* field) {
  if (!list.is_array()) list = Json::array();
  for (const Json& present : list)
    if (present.is_object() && present.value(field, Json()) == item[field]) return;
  list.push_back(std::move(item));
}

Json Quantities(const Json& resources) {
  Json out = Json::object();
  for (const auto& [part, fields] : resources.items()) {
    if (part == "claims") continue;  // a field of AgentOps without effect here
    for (const auto& [name, quantity] : fields.items())
      out[part][name] =
          quantity.is_string() ? quantity.get<std::string>() : base::DumpJson(quantity);
  }
  return out;
}

Json Environment(const Json& spec) {
  Json list = Json::array();
  const Json variables = spec.value("env", Json::object());
  for (const auto& [name, value] : variables.items())
    list.push_back({{"name", name}, {"value", value}});
  for (const Json& secret : spec.value("secrets", Json::array())) {
    const Json key = {{"name", base::StringAt(secret, {"secretRef", "name"})},
                      {"key", base::StringAt(secret, {"secretRef", "key"})}};
    list.push_back(
        {{"name", base::StringAt(secret, {"name"})}, {"valueFrom", {{"secretKeyRef", key}}}});
  }
  return list;
}

// The agent container of the short form; passes Pod Security `restricted`.
Json AgentContainer(const api::Agent& agent) {
  const Json& spec = agent.spec;
  Json container = {{"name", kAgentContainer},
                    {"image", agent.image},
                    {"env", Environment(spec)},
                    {"securityContext",
                     {{"allowPrivilegeEscalation", false}, {"capabilities", {{"drop", {"ALL"}}}}}}};
  for (const char* field : {"command", "args", "ports"})
    if (spec.contains(field)) container[field] = spec[field];
  if (container.contains("ports"))
    for (Json& port : container["ports"]) port["protocol"] = "TCP";
  if (spec.contains("resources")) container["resources"] = Quantities(spec["resources"]);
  return container;
}

Json ShortForm(const api::Agent& agent) {
  return {{"metadata", Json::object()},
          {"spec",
           {{"containers", Json::array({AgentContainer(agent)})},
            {"enableServiceLinks", false},
            {"securityContext",
             {{"runAsNonRoot", true},
              {"runAsUser", kDefaultUser},
              {"runAsGroup", kDefaultUser},
              {"fsGroup", kDefaultUser},
              {"fsGroupChangePolicy", "OnRootMismatch"},
              {"seccompProfile", {{"type", "RuntimeDefault"}}}}}}}};
}

Json TemplateForm(const api::Agent& agent) {
  Json pod = agent.spec["template"];
  Json& security = pod["spec"]["securityContext"];
  if (!security.is_object()) security = Json::object();
  // Without fsGroup the claim may not be writable for the sidecar's user.
  if (!security.contains("fsGroup")) {
    security["fsGroup"] = kDefaultUser;
    security["fsGroupChangePolicy"] = "OnRootMismatch";
  }
  return pod;
}

// Adds mounts and the memory URL to the agent container, in either form.
void EquipAgent(Json& container, bool has_memory) {
  AddUnlessThere(container["volumeMounts"],
                 {{"name", kClaimVolume}, {"mountPath", kAgentDataDirectory}, {"subPath", "agent"}},
                 "mountPath");
  AddUnlessThere(container["volumeMounts"],
                 {{"name", kSpecVolume}, {"mountPath", kSpecDirectory}, {"readOnly", true}},
                 "mountPath");
  if (has_memory)
    AddUnlessThere(container["env"], {{"name", kMemoryUrlVariable}, {"value", kSidecarUrl}},
                   "name");
}

bool IsNamedObject(const Json& item) {
  return item.is_object() && !base::StringAt(item, {"name"}).empty();
}

// Why `list` is unusable; empty: it is usable. Elements need names, none of `taken`.
std::string ListFault(const Json& spec, const char* list,
                      std::initializer_list<const char*> taken) {
  if (!spec.contains(list) || spec[list].is_null()) return "";
  const std::string path = std::string("spec.template.spec.") + list;
  if (!spec[list].is_array()) return path + " must be a list";
  for (const Json& item : spec[list]) {
    if (!IsNamedObject(item)) return path + ": every element needs a name";
    for (const char* name : taken)
      if (item["name"] == name)
        return path + ": the name " + name + " belongs to the memory sidecar";
    for (const char* inner : {"volumeMounts", "env"})
      if (item.contains(inner) && !item[inner].is_array() && !item[inner].is_null())
        return path + ": " + inner + " of " + item["name"].get<std::string>() + " must be a list";
  }
  return "";
}

}  // namespace

bool NamesNoImage(const api::Agent& agent) {
  return agent.image.empty() && !agent.spec.contains("template");
}

std::string TemplateFault(const api::Agent& agent) {
  const Json* pod = base::At(agent.spec, {"template"});
  if (!pod || pod->is_null()) return "";
  const Json* spec = base::At(*pod, {"spec"});
  if (!spec || !spec->is_object()) return "spec.template.spec must be a pod's spec";
  for (const char* part : {"labels", "annotations"})
    if (const Json* texts = base::At(*pod, {"metadata", part}); texts && !texts->is_object())
      if (!texts->is_null())
        return std::string("spec.template.metadata.") + part + " must be an object";
  if (base::At(*pod, {"metadata", "labels", kMemoryLabel}))
    return std::string("spec.template.metadata.labels: ") + kMemoryLabel +
           " is for foreign pods; an Agent's own pods have its memory without it";
  const Json* containers = base::At(*spec, {"containers"});
  if (!containers || !containers->is_array() || containers->empty())
    return "spec.template.spec.containers must have the agent as its first container";
  for (const char* list : {"containers", "initContainers"})
    if (std::string fault = ListFault(*spec, list, {kSidecarContainer}); !fault.empty())
      return fault;
  return ListFault(*spec, "volumes",
                   {kClaimVolume, kPolicyVolume, kTokenVolume, kSpecVolume, kPromptVolume});
}

SidecarShape SidecarShapeOf(const Blueprint& blueprint) {
  const Json& spec = blueprint.agent.spec;
  SidecarShape shape;
  shape.image = blueprint.sidecar_image;
  if (const Json* resources = base::At(spec, {"sidecar", "resources"}))
    shape.resources = *resources;
  shape.audience = blueprint.audience;
  shape.otlp_endpoint = blueprint.otlp_endpoint;
  shape.policy_map = PolicyConfigMapName(blueprint.agent.name);
  shape.placement = base::StringAt(spec, {"injection", "placement"}, "First");
  shape.state_volume = kClaimVolume;
  return shape;
}

base::Json PodTemplateOf(const Blueprint& blueprint) {
  const api::Agent& agent = blueprint.agent;
  Json pod = agent.spec.contains("template") ? TemplateForm(agent) : ShortForm(agent);
  Json& spec = pod["spec"];
  Json& metadata = pod["metadata"];
  if (!metadata.is_object()) metadata = Json::object();
  metadata["labels"][kAgentLabel] = agent.name;
  metadata["labels"][kManagedByLabel] = kManagedBy;
  Json& annotations = metadata["annotations"];
  if (!annotations.contains(kDefaultContainer))
    annotations[kDefaultContainer] = spec["containers"][0]["name"];
  if (!spec.contains("serviceAccountName"))
    spec["serviceAccountName"] = ServiceAccountName(agent.name);
  AddUnlessThere(spec["volumes"],
                 {{"name", kSpecVolume}, {"configMap", {{"name", SpecConfigMapName(agent.name)}}}},
                 "name");
  EquipAgent(spec["containers"][0], agent.memory.has_value());
  if (!agent.memory) return pod;
  annotations[kInjected] = "true";
  InjectSidecar(spec, SidecarShapeOf(blueprint));
  return pod;
}

}  // namespace controller
