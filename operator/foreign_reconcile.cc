// What the controller does about pods of others beside their Agent's plan: it finds those without a
// sidecar, tells the owners of those that can have none, and replaces the others where that is
// allowed.
#include <algorithm>

#include "operator/controller.h"
#include "operator/names.h"

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

base::Result<int64_t> Controller::ReplaceMissed(const Json& agent, const MissedPods& missed,
                                                const std::stop_token& stop) {
  const ObjectKey self = kube::KeyOf(agent);
  if (!missed.next || !WantsMissedReplaced(agent)) return 0;
  const bool came = before_replaced_.With([&](const auto& all) {
    const auto before = all.find(self);
    return before == all.end() || !std::includes(before->second.begin(), before->second.end(),
                                                 missed.injected.begin(), missed.injected.end());
  });
  if (!came) return 0;
  if (const int64_t wait_ms = replacements_.Take(clock_.MonotonicMs())) return wait_ms;
  RETURN_IF_ERROR(GoOn(stop));
  const MissedPods::Next& pod = *missed.next;
  base::Status evicted = client_.Evict(pod.key, pod.uid);
  // A PodDisruptionBudget says not now; the pod was replaced by somebody else.
  if (!evicted && evicted.error().code == base::Code::kUnavailable) return replacements_.apart_ms();
  if (!evicted && evicted.error().code != base::Code::kNotFound &&
      evicted.error().code != base::Code::kConflict)
    return evicted.error();
  if (evicted) {
    before_replaced_.With([&](auto& all) { all[self] = missed.injected; });
    events_.Normal(agent, "PodReplaced", "Inject",
                   "pod " + pod.key.name +
                       " had no sidecar and was evicted, so that its controller "
                       "makes another one with it");
  }
  return replacements_.apart_ms();
}

}  // namespace controller
