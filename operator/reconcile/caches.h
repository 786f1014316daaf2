// The caches of cluster objects that reconcilers read: one per kind and selector, shared by all
// reconcilers, with pruned objects. Decides nothing.
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
  std::string label = {};      // key of the index of ListByLabel
  std::string selector = {};   // of the watch; empty: all objects
  bool may_be_denied = false;  // the operator works without it
};

class Caches {
 public:
  // `loop` must outlive this. `name_spaces`: empty: all.
  Caches(kube::ControllerLoop& loop, std::vector<std::string> name_spaces);

  // Returns the cache of a resource and selector; the first call, before the loop starts, creates
  // it. It lives as long as the loop.
  kube::ObjectStore& Of(const CachedKind& kind);

 private:
  kube::ControllerLoop& loop_;
  const std::vector<std::string> name_spaces_;
  std::map<std::pair<std::string, std::string>, kube::ObjectStore*> stores_;  // plural, selector
};

// Kinds that several reconcilers read.
CachedKind CachedAgents();
CachedKind CachedMemoryServers();
CachedKind CachedServices();        // indexed by their Agent
CachedKind CachedEndpointSlices();  // indexed by their Service
CachedKind CachedConfigMaps();      // of Agents and their runs, indexed by the Agent
CachedKind CachedClaims();          // like CachedConfigMaps
CachedKind CachedForeignPods();     // indexed by the Agent whose memory they use
CachedKind CachedInjectionBindings();

void PruneStatus(kube::Json& object);
// Keeps the fields that StateOf and plans read of the operator's own pods.
void PrunePod(kube::Json& pod);

}  // namespace controller
