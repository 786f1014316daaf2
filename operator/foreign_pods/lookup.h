// Finds an Agent's uninjected pods in the caches. pods/uninjected_pods.h decides which of them may
// be replaced.
#pragma once

#include <vector>

#include "operator/pods/uninjected_pods.h"
#include "operator/reconcile/environment.h"
#include "operator/reconcile/reconciler.h"

namespace controller {

// Any thread.
class ForeignPodLookup {
 public:
  // Only if foreign pods are served. `environment` must outlive this.
  explicit ForeignPodLookup(Environment& environment);

  // Changes that requeue an Agent: of its foreign pods, and of its binding.
  std::vector<Watched> Watches() const;
  UninjectedPods UninjectedOf(const base::Json& agent) const;
  const kube::ObjectStore* bindings() const { return bindings_; }  // null: the webhook has none

 private:
  // Since when new pods of the Agent get a sidecar; empty: they do not.
  std::string InjectedSince(const kube::ObjectKey& agent) const;

  const Environment& environment_;
  const kube::ObjectStore& pods_;
  const kube::ObjectStore* const bindings_;
};

}  // namespace controller
