// The watches that requeue Agents, and the pruning of kinds that only Agents read.
#include "operator/agent/desired.h"
#include "operator/agent/reconciler.h"
#include "operator/names/kinds.h"
#include "operator/names/names.h"
#include "operator/pods/node_skew.h"

namespace controller {
namespace {

using base::Json;
using kube::Change;
using kube::ObjectKey;

// Keeps only observedGeneration of the status: the generation that the controller has seen.
void PruneWorkload(Json& workload) {
  kube::DropManagedFields(workload);
  const Json* seen = base::At(workload, {"status", "observedGeneration"});
  workload["status"] = {{"observedGeneration", seen ? *seen : Json(0)}};
}

CachedKind CachedChild(const kube::Resource& kind) {
  if (kind == kube::ConfigMaps()) return CachedConfigMaps();
  // Without permission to write grants the operator does everything else.
  const bool may_be_denied = kind == kube::Roles() || kind == kube::RoleBindings();
  return {kind, kind == kube::StatefulSets() ? PruneWorkload : PruneStatus, kAgentLabel,
          kAgentLabel, may_be_denied};
}

}  // namespace

AgentReconciler::AgentReconciler(Environment& environment, AgentOptions options)
    : environment_(environment),
      options_(std::move(options)),
      rollouts_(options_.concurrent_rollouts) {
  if (environment.settings().foreign_pods.Served()) foreign_pods_.emplace(environment);
}

kube::ObjectStore& AgentReconciler::Cache(const CachedKind& kind) {
  kube::ObjectStore& store = environment_.caches().Of(kind);
  stores_[kind.resource.kind] = &store;
  return store;
}

std::vector<Watched> AgentReconciler::Watches() {
  const auto to_agent = kube::ToLabel(kAgentLabel);
  const auto to_dependents = [this](const Change& change) { return dependents_.Of(change.key); };
  std::vector<Watched> watches = {
      {Cache(CachedAgents()),
       [=](const Change& change) {  // the Agent, and those that share with it
         auto keys = to_dependents(change);
         keys.push_back(change.key);
         return keys;
       }},
      {Cache(CachedServices()),
       [=](const Change& change) {
         auto keys = to_dependents(change);
         for (const ObjectKey& key : to_agent(change)) keys.push_back(key);
         return keys;
       }},
      {Cache(CachedEndpointSlices()),
       [this](const Change& change) {
         return dependents_.Of(
             {change.key.name_space, kube::LabelOf(change.object, kServiceNameLabel)});
       }},
      {Cache({AgentTools(), PruneStatus}), to_dependents},
      {Cache(CachedMemoryServers()), to_dependents},
      // Excludes pods of runs, which have their own cache: an Agent may have thousands, and does
      // not read them.
      {Cache({kube::Pods(), PrunePod, kAgentLabel, std::string(kAgentLabel) + ",!" + kRunLabel}),
       to_agent},
      {Cache(CachedClaims()), to_agent}};
  // The list above has Services, which an Agent also depends on if they are not its own.
  for (const kube::Resource& kind : ChildResources())
    if (kind.namespaced && !(kind == kube::Services()))
      watches.push_back({Cache(CachedChild(kind)), to_agent});
  if (environment_.sees_all_namespaces())
    watches.push_back(
        {environment_.caches().Of({kube::Nodes(), PruneNode, "", "", /*may_be_denied=*/true}),
         [this](const Change& change) { return OfNode(change); }});
  if (!foreign_pods_) return watches;
  if (const kube::ObjectStore* bindings = foreign_pods_->bindings())
    stores_[InjectionBindings().kind] = bindings;
  for (Watched& watched : foreign_pods_->Watches()) watches.push_back(std::move(watched));
  return watches;
}

// Kubelets report every few minutes: requeues Agents only if a faulty node appeared, disappeared,
// or changed in a field that PruneNode keeps.
std::vector<ObjectKey> AgentReconciler::OfNode(const Change& change) {
  Json node = change.object;
  node["metadata"].erase("resourceVersion");
  const bool faulty = change.type != Change::Type::kDeleted && node.contains("status");
  const bool news = faulty_nodes_.With([&](auto& nodes) {
    if (!faulty) return nodes.erase(change.key) > 0;
    Json& known = nodes[change.key];
    const bool differs = known != node;
    known = std::move(node);
    return differs;
  });
  // The first lists enqueue every Agent anyway.
  return news && environment_.synced() ? stores_.at(Agents().kind)->Keys()
                                       : std::vector<ObjectKey>();
}

}  // namespace controller
