// Prunes unread fields of objects before they are stored.
#include "operator/reconcile/caches.h"

#include "operator/names/kinds.h"
#include "operator/names/names.h"
#include "operator/pods/uninjected_pods.h"

namespace controller {
namespace {

using base::Json;

// Drops unread fields of the endpoints of a slice, which may have a hundred of them.
void PruneSlice(Json& slice) {
  kube::DropManagedFields(slice);
  Json* endpoints = slice.contains("endpoints") ? &slice["endpoints"] : nullptr;
  if (!endpoints || !endpoints->is_array()) return;
  for (Json& endpoint : *endpoints)
    for (const char* field : {"deprecatedTopology", "hints", "nodeName", "zone"})
      if (endpoint.is_object()) endpoint.erase(field);
}

}  // namespace

Caches::Caches(kube::ControllerLoop& loop, std::vector<std::string> name_spaces)
    : loop_(loop), name_spaces_(std::move(name_spaces)) {}

kube::ObjectStore& Caches::Of(const CachedKind& kind) {
  kube::ObjectStore*& store = stores_[{kind.resource.plural, kind.selector}];
  if (store) return *store;
  kube::CachePlan plan;
  plan.reflect.resource = kind.resource;
  plan.reflect.streams_lists = true;
  plan.reflect.selection.label_selector = kind.selector;
  plan.prune = kind.prune;
  plan.label = kind.label;
  plan.may_be_denied = kind.may_be_denied;
  plan.name_spaces = name_spaces_;
  store = &loop_.AddCache(std::move(plan));
  return *store;
}

CachedKind CachedAgents() { return {Agents()}; }
CachedKind CachedMemoryServers() { return {MemoryServers()}; }
CachedKind CachedServices() { return {kube::Services(), PruneStatus, kAgentLabel}; }
CachedKind CachedEndpointSlices() {
  return {kube::EndpointSlices(), PruneSlice, kServiceNameLabel};
}
CachedKind CachedConfigMaps() {
  return {kube::ConfigMaps(), PruneStatus, kAgentLabel, kAgentLabel};
}
CachedKind CachedClaims() {
  return {kube::PersistentVolumeClaims(), kube::DropManagedFields, kAgentLabel, kAgentLabel};
}
CachedKind CachedForeignPods() {
  return {kube::Pods(), PruneForeignPod, kMemoryLabel, kMemoryLabel};
}
CachedKind CachedInjectionBindings() {
  return {InjectionBindings(), kube::DropManagedFields, kAgentLabel, kAgentLabel};
}

void PruneStatus(Json& object) {
  kube::DropManagedFields(object);
  object.erase("status");
}

void PrunePod(Json& pod) {
  kube::DropManagedFields(pod);
  Json init_containers = Json::array();
  if (const Json* list = base::At(pod, {"spec", "initContainers"}); list && list->is_array())
    for (const Json& container : *list)
      init_containers.push_back({{"name", container.value("name", "")},
                                 {"image", container.value("image", "")},
                                 {"resources", container.value("resources", Json::object())}});
  pod["spec"] = {{"initContainers", init_containers}};
}

}  // namespace controller
