// Which changes bring an Agent back, and what is kept of the kinds that only it reads.
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

// Of its status, whether its controller has seen what is applied.
void PruneWorkload(Json& workload) {
  kube::DropManagedFields(workload);
  const Json* seen = base::At(workload, {"status", "observedGeneration"});
  workload["status"] = {{"observedGeneration", seen ? *seen : Json(0)}};
}

CachedKind CachedChild(const kube::Resource& kind) {
  if (kind == kube::ConfigMaps()) return CachedConfigMaps();
  // An operator that was given no right to write grants keeps all else.
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
       [=](const Change& change) {  // itself, and those that share with it
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
      // Pods of runs have a cache of their own: an Agent may have had thousands, and has no use for
      // them.
      {Cache({kube::Pods(), PrunePod, kAgentLabel, std::string(kAgentLabel) + ",!" + kRunLabel}),
       to_agent},
      {Cache(CachedClaims()), to_agent}};
  // Services are in the list above: an Agent also refers to those of others.
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

// A kubelet reports every few minutes; Agents are looked at again only when one of those with a
// fault came, went, or may be used by others than before.
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
  // The first lists bring every Agent anyhow.
  return news && environment_.synced() ? stores_.at(Agents().kind)->Keys()
                                       : std::vector<ObjectKey>();
}

}  // namespace controller
