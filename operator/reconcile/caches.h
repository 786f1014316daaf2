// The copies of the cluster's objects that reconcilers read: one for each kind and selection,
// however many reconcilers ask for it, and what is kept of an object. Nothing is decided here.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "lib/kube/controller/controller_loop.h"

namespace controller {

struct CachedKind {
  kube::Resource resource;
  kube::Prune prune = kube::DropManagedFields;
  std::string label = {};      // that ListByLabel asks for
  std::string selector = {};   // of what is watched; empty: everything
  bool may_be_denied = false;  // work goes on without it
};

class Caches {
 public:
  // `loop` must outlive this. `name_spaces`: empty: all.
  Caches(kube::ControllerLoop& loop, std::vector<std::string> name_spaces);

  // The first call of a resource and selector makes the cache; before the loop starts. It lives as
  // long as the loop.
  kube::ObjectStore& Of(const CachedKind& kind);

 private:
  kube::ControllerLoop& loop_;
  const std::vector<std::string> name_spaces_;
  std::map<std::pair<std::string, std::string>, kube::ObjectStore*> stores_;  // plural, selector
};

// Kinds that several reconcilers read.
CachedKind CachedAgents();
CachedKind CachedMemoryServers();
CachedKind CachedServices();        // by the label of their Agent
CachedKind CachedEndpointSlices();  // by their Service
CachedKind CachedConfigMaps();      // of Agents and their runs, by the Agent
CachedKind CachedClaims();          // likewise
CachedKind CachedForeignPods();     // by the Agent whose memory they get
CachedKind CachedInjectionBindings();

void PruneStatus(kube::Json& object);
// Keeps of a pod of our own what StateOf and plans read.
void PrunePod(kube::Json& pod);

}  // namespace controller
