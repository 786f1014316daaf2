// Observe → MakePlan → Execute, and again after a refusal or conflict.
#include "operator/agent/reconciler.h"

#include "operator/names/kinds.h"

namespace controller {

using base::Json;
using kube::ObjectKey;

base::Result<Plan> AgentReconciler::PlanFor(ObservedAgent& observed, const std::stop_token& stop) {
  const Settings& settings = environment_.settings();
  const base::Clock& clock = environment_.clock();
  Plan plan = MakePlan(observed, settings, clock.NowMs());
  if (!plan.not_in_cache.empty()) {
    RETURN_IF_ERROR(ReadChildren(plan.not_in_cache, observed, stop));
    plan = MakePlan(observed, settings, clock.NowMs());
  }
  const ObjectKey self = kube::KeyOf(observed.agent);
  const auto held_ms = plan.wants_rollout_slot ? rollouts_.Acquire(self, clock.MonotonicMs())
                                               : std::optional<int64_t>();
  if (held_ms) {
    observed.has_rollout_slot = true;
    observed.slot_held_ms = *held_ms;
    plan = MakePlan(observed, settings, clock.NowMs());
  }
  if (plan.rolled_out) ReleaseSlot(self);
  if (!plan.suspects.empty()) {
    observed.causes = environment_.event_reader().CausesOf(self.name_space, plan.suspects, stop);
    plan = MakePlan(observed, settings, clock.NowMs());
  }
  return plan;
}

void AgentReconciler::ReleaseSlot(const ObjectKey& key) {
  if (auto next = rollouts_.Release(key)) Enqueue(*next);
}

// Plans and executes again, so that the status reports refusals and conflicts.
Outcome AgentReconciler::PlanAgain(const ObservedAgent& observed, Plan& plan, Outcome first,
                                   const std::stop_token& stop) {
  plan = MakePlan(observed, environment_.settings(), environment_.clock().NowMs());
  plan.apply.clear();  // the first plan was executed
  plan.remove.clear();
  if (!first.conflicts.empty()) plan.patch.clear();  // patches require a successful apply
  Outcome outcome = Execute(environment_.client(), observed.agent, plan, stop);
  outcome.Add(std::move(first));
  return outcome;
}

void AgentReconciler::Forget(const ObjectKey& key) {
  dependents_.Set(key, {});
  refusals_.Forget(key);
  ReleaseSlot(key);
}

base::Result<kube::When> AgentReconciler::Reconcile(const ObjectKey& key, std::stop_token stop) {
  const auto agent = stores_.at(Agents().kind)->Get(key);
  if (!agent || !IsOfClass(*agent, environment_.agent_class())) {
    Forget(key);
    return kube::When{};
  }
  ASSIGN_OR_RETURN(ObservedAgent observed, Observe(*agent, stop));
  ASSIGN_OR_RETURN(Plan plan, PlanFor(observed, stop));
  Outcome outcome = Execute(environment_.client(), *agent, plan, stop);
  if (!outcome.refusals.empty() || !outcome.conflicts.empty()) {
    refusals_.Remember(key, outcome, environment_.clock().MonotonicMs());
    for (const Refusal& refusal : outcome.refusals)
      observed.refused[refusal.intent] = refusal.words;
    observed.conflicts = outcome.conflicts;
    outcome = PlanAgain(observed, plan, std::move(outcome), stop);
  }
  RETURN_IF_ERROR(environment_.Conclude(*agent, plan, outcome, stores_, stop));
  if ((!observed.refused.empty() || !observed.conflicts.empty()) && plan.requeue_after_ms == 0)
    return kube::When{Refusals::kAskAgainMs};
  return kube::When{plan.requeue_after_ms};
}

}  // namespace controller
