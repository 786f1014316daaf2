// What the controller does about pods of others beside their Agent's plan: it finds those without a
// sidecar, tells the owners of those that can have none, and replaces the others where that is
// allowed.
#include "operator/controller.h"
#include "operator/names/kinds.h"
#include "operator/names/names.h"

namespace controller {

using base::Json;
using kube::ObjectKey;

MissedPods Controller::LookAtForeignPods(const Observed& observed) const {
  const Json* wished = base::At(observed.agent, {"spec", "injection", "foreignPods"});
  if (!foreign_pods_ || !wished || *wished != true) return {};
  const ObjectKey self = kube::KeyOf(observed.agent);
  std::string since = started_;  // the webhook serves as long as this process
  if (!options_.settings.foreign_pods.policy.empty()) {
    const auto binding = observed.children.find(
        {InjectionBindings().kind, InjectionBindingName(self.name_space, self.name)});
    since = binding == observed.children.end()
                ? ""
                : base::StringAt(binding->second, {"metadata", "creationTimestamp"});
  }
  return LookForMissed(foreign_pods_->ListByLabel(self.name, self.name_space), since);
}

// Each pod once while this process runs.
void Controller::TellSkipped(const ObjectKey& agent, const MissedPods& missed) {
  std::set<std::string> now;
  for (const SkippedPod& pod : missed.skipped) now.insert(pod.uid);
  const std::set<std::string> before = told_skipped_.With([&](auto& all) {
    std::set<std::string> old = std::move(all[agent]);
    if (now.empty())
      all.erase(agent);
    else
      all[agent] = now;
    return old;
  });
  for (const SkippedPod& pod : missed.skipped) {
    if (before.contains(pod.uid)) continue;
    events_.Warning(pod.told, "InjectionSkipped", "Inject",
                    "pod " + pod.name + " runs without the memory of Agent " + agent.name + ": " +
                        pod.skip.message);
    if (options_.on_skipped) options_.on_skipped(pod.skip.reason);
  }
}

int64_t Controller::HoldReplacing(const Json& agent, const ObjectKey& pod,
                                  const std::string& refused) {
  replacements_.GiveBack();
  const int64_t wait_ms = replacing_.With(
      [&](auto& all) { return all[kube::KeyOf(agent)].Blocked(clock_.MonotonicMs()); });
  events_.Warning(agent, "PodNotReplaced", "Inject",
                  "pod " + pod.name + " has no sidecar and may not be evicted: " + refused +
                      "; tried again in " + std::to_string(wait_ms / 1000) +
                      " s. kubectl get poddisruptionbudgets -n " + pod.name_space +
                      " says who forbids it: allow a disruption there, or delete the pod");
  return wait_ms;
}

base::Result<int64_t> Controller::ReplaceMissed(const Json& agent, const MissedPods& missed,
                                                const std::stop_token& stop) {
  const ObjectKey self = kube::KeyOf(agent);
  if (!WantsMissedReplaced(agent)) return 0;
  const Replacing::Verdict verdict = replacing_.With(
      [&](auto& all) { return all[self].Look(missed.injected, clock_.MonotonicMs()); });
  if (!verdict.lost.empty())
    events_.Warning(agent, "PodNotReplaced", "Inject",
                    "pod " + verdict.lost + " was evicted " +
                        std::to_string(Replacing::kComesWithinMs / 1000) +
                        " s ago and no other pod with a sidecar is ready since: no more are "
                        "evicted until one is. kubectl get pods,events -n " +
                        self.name_space +
                        " says what keeps it: it was not made, has no sidecar, "
                        "or does not get ready");
  if (!verdict.evict) return verdict.again_ms;
  if (!missed.next) return 0;
  if (const int64_t wait_ms = replacements_.Take(clock_.MonotonicMs())) return wait_ms;
  RETURN_IF_ERROR(GoOn(stop));
  const MissedPods::Next& pod = *missed.next;
  const base::Status evicted = client_.Evict(pod.key, pod.uid);
  if (!evicted && evicted.error().code == base::Code::kUnavailable)
    return HoldReplacing(agent, pod.key, evicted.error().message);
  // Else it was replaced by somebody else.
  if (!evicted && evicted.error().code != base::Code::kNotFound &&
      evicted.error().code != base::Code::kConflict)
    return evicted.error();
  if (evicted) {
    replacing_.With(
        [&](auto& all) { all[self].Evicted(pod.key.name, missed.injected, clock_.MonotonicMs()); });
    events_.Normal(agent, "PodReplaced", "Inject",
                   "pod " + pod.key.name +
                       " had no sidecar and was evicted, so that its controller "
                       "makes another one with it");
  }
  return replacements_.apart_ms();
}

}  // namespace controller
