// The table of child kinds and their builders.
#include "operator/agent/desired.h"

#include "operator/names/kinds.h"
#include "operator/objects/agent_objects.h"

namespace controller {
namespace {

struct ChildKind {
  const kube::Resource& (*resource)();
  std::optional<base::Json> (*build)(const Blueprint&);  // nullopt: the Agent has no such child
};

// Rows of one kind must be adjacent: ChildResources compares neighbors only.
constexpr ChildKind kChildKinds[] = {
    {kube::ServiceAccounts, ServiceAccountOf},
    {kube::ConfigMaps, SpecConfigMapOf},
    {kube::ConfigMaps, PolicyConfigMapOf},
    {kube::Services, ServiceOf},
    {kube::StatefulSets, StatefulSetOf},
    {kube::Roles, ReaderRoleOf},
    {kube::Roles, WriterRoleOf},
    {kube::RoleBindings, ReaderBindingOf},
    {kube::RoleBindings, WriterBindingOf},
    {InjectionBindings, InjectionBindingOf},
};

}  // namespace

std::vector<Child> Desired(const Blueprint& blueprint) {
  std::vector<Child> children;
  for (const ChildKind& kind : kChildKinds) {
    const kube::Resource& resource = kind.resource();
    if (auto object = kind.build(blueprint))
      children.push_back({resource, WithOwnerAndLabels(std::move(*object), resource, blueprint)});
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
