// The table of child kinds and the labels and owner that all of them carry.
#include "operator/desired.h"

#include "operator/foreign_pods.h"
#include "operator/names.h"
#include "operator/objects/children.h"

namespace controller {
namespace {

struct ChildKind {
  const kube::Resource& (*resource)();
  std::optional<base::Json> (*build)(const Blueprint&);  // nullopt: this Agent has none
};

constexpr ChildKind kChildKinds[] = {
    {kube::ServiceAccounts, ServiceAccountOf}, {kube::ConfigMaps, SpecConfigMapOf},
    {kube::ConfigMaps, PolicyConfigMapOf},     {kube::Services, ServiceOf},
    {kube::StatefulSets, StatefulSetOf},       {InjectionBindings, InjectionBindingOf},
};

}  // namespace

base::Json Dressed(base::Json object, const kube::Resource& resource, const Blueprint& blueprint) {
  object["apiVersion"] = resource.ApiVersion();
  object["kind"] = resource.kind;
  base::Json& metadata = object["metadata"];
  metadata["labels"][kAgentLabel] = blueprint.agent.name;
  metadata["labels"][kManagedByLabel] = kManagedBy;
  if (!resource.namespaced) return object;  // nothing cluster-scoped can be owned by an Agent
  metadata["namespace"] = blueprint.agent.name_space;
  if (!blueprint.owner.is_null())
    metadata["ownerReferences"] = base::Json::array({blueprint.owner});
  return object;
}

std::vector<Child> Desired(const Blueprint& blueprint) {
  std::vector<Child> children;
  for (const ChildKind& kind : kChildKinds) {
    const kube::Resource& resource = kind.resource();
    if (auto object = kind.build(blueprint))
      children.push_back({resource, Dressed(std::move(*object), resource, blueprint)});
  }
  return children;
}

std::vector<kube::Resource> ChildResources() {
  std::vector<kube::Resource> resources;
  for (const ChildKind& kind : kChildKinds)
    if (resources.empty() || !(resources.back() == kind.resource()))
      resources.push_back(kind.resource());
  return resources;
}

}  // namespace controller
