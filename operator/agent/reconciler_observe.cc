// Collects the input of a plan: from the caches, the sidecars of running pods, and the API server
// for objects that the caches may lack.
#include "operator/agent/desired.h"
#include "operator/agent/reconciler.h"
#include "operator/agent/shares.h"
#include "operator/names/kinds.h"
#include "operator/names/names.h"

namespace controller {

using base::Json;
using kube::ObjectKey;

// Registers the Agent as a dependent before reading its targets, to miss no change in between.
void AgentReconciler::ObserveReferences(const Json& agent, std::vector<Json>& objects) {
  const ObjectKey reference = ServerReference(agent);
  const std::set<ObjectKey> shared_with = SharedWith(agent);
  std::set<ObjectKey> targets;
  if (!reference.name.empty()) targets.insert(reference);
  auto depend = [&] {
    std::set<ObjectKey> all = targets;
    all.insert(shared_with.begin(), shared_with.end());
    dependents_.Set(kube::KeyOf(agent), all);
  };
  depend();
  for (const ObjectKey& other : shared_with)
    if (auto found = stores_.at(Agents().kind)->Get(other)) objects.push_back(*std::move(found));
  if (targets.empty()) return;
  if (auto tool = stores_.at(AgentTools().kind)->Get(reference)) {
    targets.insert({reference.name_space, base::StringAt(*tool, {"spec", "service", "name"})});
    depend();
    objects.push_back(*std::move(tool));
  }
  if (auto server = stores_.at(MemoryServers().kind)->Get(reference))
    objects.push_back(*std::move(server));
  for (const ObjectKey& target : targets) {
    if (auto service = stores_.at(kube::Services().kind)->Get(target))
      objects.push_back(*std::move(service));
    for (Json& slice :
         stores_.at(kube::EndpointSlices().kind)->ListByLabel(target.name, target.name_space))
      objects.push_back(std::move(slice));
  }
}

// A new StatefulSet silently uses an existing claim of its name: reads the claim uncached before.
base::Status AgentReconciler::ReadClaim(ObservedAgent& observed, const std::stop_token& stop) {
  const ObjectKey self = kube::KeyOf(observed.agent);
  if (base::StringAt(observed.agent, {"spec", "mode"}) == "task") return {};  // a task has no claim
  if (observed.children.contains({kube::StatefulSets().kind, WorkloadName(self.name)})) return {};
  ASSIGN_OR_RETURN(observed.claim,
                   environment_.Read(kube::PersistentVolumeClaims(),
                                     {self.name_space, ClaimName(self.name)}, stop));
  return {};
}

void AgentReconciler::ProbeSidecars(ObservedAgent& observed) const {
  if (!options_.probe_sidecar) return;
  for (const Json& pod : observed.pods) {
    const std::string address = SidecarAddress(pod);
    if (address.empty()) continue;
    if (auto look = options_.probe_sidecar(address)) {
      observed.digests[kube::KeyOf(pod).name] = look->digest;
      observed.idle_ms[kube::KeyOf(pod).name] = look->idle_ms;
    }
  }
}

base::Result<ObservedAgent> AgentReconciler::Observe(const Json& agent,
                                                     const std::stop_token& stop) {
  const ObjectKey self = kube::KeyOf(agent);
  std::vector<Json> objects;
  ObserveReferences(agent, objects);
  std::vector<kube::Resource> kinds = ChildResources();
  kinds.insert(kinds.end(), {kube::Pods(), kube::PersistentVolumeClaims()});
  for (const kube::Resource& kind : kinds) {
    if (!kind.namespaced) continue;
    for (Json& object : stores_.at(kind.kind)->ListByLabel(self.name, self.name_space))
      objects.push_back(std::move(object));
  }
  if (foreign_pods_ && foreign_pods_->bindings()) {
    const ObjectKey binding{"", InjectionBindingName(self.name_space, self.name)};
    if (auto found = foreign_pods_->bindings()->Get(binding)) objects.push_back(*std::move(found));
  }
  faulty_nodes_.With([&](const auto& nodes) {
    for (const auto& [key, node] : nodes) objects.push_back(node);
  });
  ObservedAgent observed = Classify(agent, objects);
  if (foreign_pods_) observed.uninjected = foreign_pods_->UninjectedOf(agent);
  RETURN_IF_ERROR(ReadClaim(observed, stop));
  ProbeSidecars(observed);
  observed.refused = refusals_.Of(self, environment_.clock().MonotonicMs());
  return observed;
}

// The caches have only objects with our label; another object may have the name of a child.
base::Status AgentReconciler::ReadChildren(const std::vector<ChildKey>& not_in_cache,
                                           ObservedAgent& observed, const std::stop_token& stop) {
  for (const ChildKey& child : not_in_cache)
    for (const kube::Resource& resource : ChildResources()) {
      if (resource.kind != child.kind) continue;
      const ObjectKey key{kube::KeyOf(observed.agent).name_space, child.name};
      ASSIGN_OR_RETURN(auto object, environment_.Read(resource, key, stop));
      if (object) observed.children[child] = *std::move(object);
    }
  return {};
}

}  // namespace controller
