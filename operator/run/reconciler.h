// Reconciles AgentRuns: makes the Job once, and reports its progress in the status. plan.h has the
// decisions.
#pragma once

#include <string>
#include <vector>

#include "operator/reconcile/dependents.h"
#include "operator/reconcile/environment.h"
#include "operator/reconcile/reconciler.h"
#include "operator/run/plan.h"

namespace controller {

class RunReconciler : public Reconciler {
 public:
  // `environment` must outlive this.
  explicit RunReconciler(Environment& environment);
  std::string Name() const override { return "agentrun"; }
  std::vector<Watched> Watches() override;
  base::Result<kube::When> Reconcile(const kube::ObjectKey& key, std::stop_token stop) override;

 private:
  ObservedRun Observe(const base::Json& run);
  base::Result<Plan> PlanFor(ObservedRun& observed, const std::stop_token& stop);

  Environment& environment_;
  const kube::ObjectStore &agents_, &runs_, &jobs_, &pods_, &config_maps_, &claims_;
  const StoresByKind written_;  // of the kinds that a plan writes
  Dependents dependents_;       // runs by their Agents
};

}  // namespace controller
