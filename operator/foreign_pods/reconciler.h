// Handles foreign pods beside their Agent's plan: emits Events about pods that cannot have a
// sidecar, replaces uninjected pods if the Agent allows it, and removes the bindings of deleted
// Agents. Keys are those of Agents.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>

#include "lib/base/guarded.h"
#include "operator/foreign_pods/eviction_pacer.h"
#include "operator/foreign_pods/lookup.h"
#include "operator/reconcile/environment.h"
#include "operator/reconcile/rate_limiter.h"
#include "operator/reconcile/reconciler.h"

namespace controller {

struct ForeignPodOptions {
  int64_t replacements_per_minute = 10;  // of uninjected pods
  // Called for each new pod that cannot have a sidecar; any thread.
  std::function<void(const std::string& reason)> on_skipped;
};

class ForeignPodReconciler : public Reconciler {
 public:
  // `environment` must outlive this.
  ForeignPodReconciler(Environment& environment, ForeignPodOptions options);
  std::string Name() const override { return "foreignpod"; }
  std::vector<Watched> Watches() override;
  base::Result<kube::When> Reconcile(const kube::ObjectKey& key, std::stop_token stop) override;

 private:
  base::Status RemoveBindingOf(const kube::ObjectKey& gone, const std::stop_token& stop);
  void ReportSkipped(const kube::ObjectKey& agent, const UninjectedPods& uninjected);
  // Returns the delay of the next reconcile in ms; 0: at the next change.
  base::Result<int64_t> ReplaceUninjected(const base::Json& agent, const UninjectedPods& uninjected,
                                          const std::stop_token& stop);
  // `refused`: the API server's message. Returns the backoff in ms.
  int64_t HoldEvictions(const base::Json& agent, const kube::ObjectKey& pod,
                        const std::string& refused);

  Environment& environment_;
  const ForeignPodOptions options_;
  const ForeignPodLookup lookup_;
  const kube::ObjectStore& agents_;
  RateLimiter evictions_;
  // By Agent: uids of the skipped pods that have an Event.
  base::Guarded<std::map<kube::ObjectKey, std::set<std::string>>> reported_skipped_;
  base::Guarded<std::map<kube::ObjectKey, EvictionPacer>> pacers_;  // by Agent
};

}  // namespace controller
