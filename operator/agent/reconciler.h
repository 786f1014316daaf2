// Reconciles Agents: observe from caches, plan, execute. plan.h has the decisions.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lib/base/guarded.h"
#include "operator/agent/plan.h"
#include "operator/foreign_pods/lookup.h"
#include "operator/pods/rollout_budget.h"
#include "operator/probes/pod_probes.h"
#include "operator/reconcile/dependents.h"
#include "operator/reconcile/environment.h"
#include "operator/reconcile/reconciler.h"
#include "operator/reconcile/refusals.h"

namespace controller {

struct AgentOptions {
  size_t concurrent_rollouts = 10;
  // Gets the report of the sidecar at "<ip>:7438"; null: no probes.
  std::function<base::Result<SidecarReport>(const std::string& address)> probe_sidecar;
};

class AgentReconciler : public Reconciler {
 public:
  // `environment` must outlive this.
  AgentReconciler(Environment& environment, AgentOptions options);
  std::string Name() const override { return "agent"; }
  std::vector<Watched> Watches() override;
  base::Result<kube::When> Reconcile(const kube::ObjectKey& key, std::stop_token stop) override;

 private:
  // reconciler_watches.cc
  kube::ObjectStore& Cache(const CachedKind& kind);
  std::vector<kube::ObjectKey> OfNode(const kube::Change& change);

  // reconciler_observe.cc
  base::Result<ObservedAgent> Observe(const base::Json& agent, const std::stop_token& stop);
  void ObserveReferences(const base::Json& agent, std::vector<base::Json>& objects);
  base::Status ReadClaim(ObservedAgent& observed, const std::stop_token& stop);
  void ProbeSidecars(ObservedAgent& observed) const;
  base::Status ReadChildren(const std::vector<ChildKey>& not_in_cache, ObservedAgent& observed,
                            const std::stop_token& stop);

  base::Result<Plan> PlanFor(ObservedAgent& observed, const std::stop_token& stop);
  Outcome PlanAgain(const ObservedAgent& observed, Plan& plan, Outcome first,
                    const std::stop_token& stop);
  void Forget(const kube::ObjectKey& key);
  void ReleaseSlot(const kube::ObjectKey& key);

  Environment& environment_;
  const AgentOptions options_;
  StoresByKind stores_;
  std::optional<ForeignPodLookup> foreign_pods_;  // nullopt: not served
  Dependents dependents_;                         // Agents by the targets of serverRef and share
  Refusals refusals_;
  RolloutBudget rollouts_;
  base::Guarded<std::map<kube::ObjectKey, base::Json>> faulty_nodes_;  // pruned by PruneNode
};

}  // namespace controller
