// Sorts observed objects by kind; decides nothing.
#include "operator/agent/observed_agent.h"

#include <algorithm>

#include "operator/agent/desired.h"
#include "operator/names/names.h"
#include "operator/pods/foreign_pods.h"

namespace controller {
namespace {

using base::Json;

// AgentOfBinding recognizes cluster-scoped children.
bool IsOwnedKind(const std::string& kind) {
  static const std::vector<kube::Resource> kKinds = ChildResources();
  return std::any_of(kKinds.begin(), kKinds.end(), [&](const kube::Resource& resource) {
    return resource.namespaced && resource.kind == kind;
  });
}

bool BelongsTo(const Json& object, const std::string& agent) {
  return kube::LabelOf(object, kAgentLabel) == agent || kube::KeyOf(object).name == agent;
}

bool TakesChildName(const Json& object, const std::string& agent) {
  const std::string name = kube::KeyOf(object).name;
  return name == SpecConfigMapName(agent) || name == PolicyConfigMapName(agent) ||
         name == ReadersName(agent) || name == WritersName(agent);
}

}  // namespace

ObservedAgent Classify(const base::Json& agent, const std::vector<base::Json>& objects) {
  ObservedAgent seen;
  seen.agent = agent;
  const kube::ObjectKey self = kube::KeyOf(agent);
  for (const Json& object : objects) {
    if (!object.is_object() || !object.contains("metadata")) continue;
    const std::string kind = base::StringAt(object, {"kind"});
    const kube::ObjectKey key = kube::KeyOf(object);
    const bool beside = key.name_space == self.name_space;
    if (kind == "Service") seen.services[key] = object;
    if (kind == "AgentTool") seen.agent_tools[key] = object;
    if (kind == "MemoryServer") seen.memory_servers[key] = object;
    if (kind == "Agent" && beside && key != self) seen.agents[key] = object;
    if (kind == "Node") seen.nodes.push_back(object);
    if (kind == "EndpointSlice") {
      kube::ObjectKey service{key.name_space, kube::LabelOf(object, kServiceNameLabel)};
      seen.endpoint_slices[service].push_back(object);
    }
    if (kind == "Pod" && beside && kube::LabelOf(object, kAgentLabel) == self.name)
      seen.pods.push_back(object);
    if (kind == "PersistentVolumeClaim" && beside && key.name == ClaimName(self.name))
      seen.claim = object;
    if (IsOwnedKind(kind) && beside &&
        (BelongsTo(object, self.name) || TakesChildName(object, self.name)))
      seen.children[{kind, key.name}] = object;
    if (AgentOfBinding(object) == self) seen.children[{kind, key.name}] = object;
  }
  return seen;
}

kube::ObjectKey ServerReference(const base::Json& agent) {
  const std::string reference = base::StringAt(agent, {"spec", "memory", "serverRef"});
  const size_t slash = reference.find('/');
  if (slash == std::string::npos) return {kube::KeyOf(agent).name_space, reference};
  return {reference.substr(0, slash), reference.substr(slash + 1)};
}

}  // namespace controller
