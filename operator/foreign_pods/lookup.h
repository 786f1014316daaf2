// Finds in caches the foreign pods of an Agent that have no sidecar. Which of them may be replaced
// is decided in pods/uninjected_pods.h.
#pragma once

#include <vector>

#include "operator/pods/uninjected_pods.h"
#include "operator/reconcile/environment.h"
#include "operator/reconcile/reconciler.h"

namespace controller {

// Any thread.
class ForeignPodLookup {
 public:
  // Where they are served. `environment` must outlive this.
  explicit ForeignPodLookup(Environment& environment);

  // What brings an Agent back: its foreign pods, and its binding.
  std::vector<Watched> Watches() const;
  UninjectedPods UninjectedOf(const base::Json& agent) const;
  const kube::ObjectStore* bindings() const { return bindings_; }  // null: by webhook, without any

 private:
  // When new pods of the Agent began to get a sidecar; empty: they do not.
  std::string InjectedSince(const kube::ObjectKey& agent) const;

  const Environment& environment_;
  const kube::ObjectStore& pods_;
  const kube::ObjectStore* const bindings_;
};

}  // namespace controller
