// Reports skipped pods, replaces one uninjected pod, cleans up after a deleted Agent.
#include "operator/foreign_pods/reconciler.h"

#include "lib/base/process/log.h"
#include "operator/names/kinds.h"
#include "operator/names/names.h"
#include "operator/pods/foreign_pods.h"

namespace controller {
namespace {

using base::Json;
using kube::ObjectKey;

// Recreated pods get their sidecar from the Agent's status, which must be of its generation.
bool GivesParts(const Json& agent) {
  const Json* seen = base::At(agent, {"status", "observedGeneration"});
  return base::At(agent, {"status", "foreignPods"}) && seen && *seen == kube::GenerationOf(agent);
}

}  // namespace

ForeignPodReconciler::ForeignPodReconciler(Environment& environment, ForeignPodOptions options)
    : environment_(environment),
      options_(std::move(options)),
      lookup_(environment),
      agents_(environment.caches().Of(CachedAgents())),
      evictions_(options_.replacements_per_minute) {}

std::vector<Watched> ForeignPodReconciler::Watches() {
  std::vector<Watched> watches = lookup_.Watches();
  watches.push_back({agents_, kube::ToSelf});
  return watches;
}

base::Result<kube::When> ForeignPodReconciler::Reconcile(const ObjectKey& key,
                                                         std::stop_token stop) {
  const auto agent = agents_.Get(key);
  if (!agent || !IsOfClass(*agent, environment_.agent_class())) {
    ReportSkipped(key, {});
    pacers_.With([&](auto& all) { all.erase(key); });
    if (!agent) RETURN_IF_ERROR(RemoveBindingOf(key, stop));
    return kube::When{};
  }
  const UninjectedPods uninjected = lookup_.UninjectedOf(*agent);
  ReportSkipped(key, uninjected);
  ASSIGN_OR_RETURN(const int64_t again_ms, ReplaceUninjected(*agent, uninjected, stop));
  return kube::When{again_ms};
}

// A binding has no owner, so it is not garbage-collected. Also covers Agents that were deleted
// while no operator ran: the first list enqueues every binding.
base::Status ForeignPodReconciler::RemoveBindingOf(const ObjectKey& gone,
                                                   const std::stop_token& stop) {
  if (!lookup_.bindings()) return {};
  const ObjectKey key{"", InjectionBindingName(gone.name_space, gone.name)};
  const auto binding = lookup_.bindings()->Get(key);
  if (!binding || AgentOfBinding(*binding) != gone || kube::IsBeingDeleted(*binding) ||
      !IsOfClass(*binding, environment_.agent_class()))
    return {};
  // The Agent may exist although the cache lacks it.
  ASSIGN_OR_RETURN(const auto agent, environment_.Read(Agents(), gone, stop));
  if (agent) return {};
  kube::DeleteOptions options;
  options.uid = kube::UidOf(*binding);
  auto removed = environment_.client().Delete(InjectionBindings(), key, options);
  if (!removed && removed.error().code != base::Code::kNotFound) return removed.error();
  base::LogInfo("removed the binding of an Agent that is gone", {{"agent", gone.Text()}});
  return {};
}

// Reports each pod once per process.
void ForeignPodReconciler::ReportSkipped(const ObjectKey& agent, const UninjectedPods& uninjected) {
  std::set<std::string> now;
  for (const SkippedPod& pod : uninjected.skipped) now.insert(pod.uid);
  const std::set<std::string> before = reported_skipped_.With([&](auto& all) {
    std::set<std::string> old = std::move(all[agent]);
    if (now.empty())
      all.erase(agent);
    else
      all[agent] = now;
    return old;
  });
  for (const SkippedPod& pod : uninjected.skipped) {
    if (before.contains(pod.uid)) continue;
    environment_.events().Warning(pod.regarding, "InjectionSkipped", "Inject",
                                  "pod " + pod.name + " runs without the memory of Agent " +
                                      agent.name + ": " + pod.skip.message);
    if (options_.on_skipped) options_.on_skipped(pod.skip.reason);
  }
}

int64_t ForeignPodReconciler::HoldEvictions(const Json& agent, const ObjectKey& pod,
                                            const std::string& refused) {
  evictions_.GiveBack();
  const int64_t wait_ms = pacers_.With([&](auto& all) {
    return all[kube::KeyOf(agent)].Blocked(environment_.clock().MonotonicMs());
  });
  environment_.events().Warning(
      agent, "PodNotReplaced", "Inject",
      "pod " + pod.name + " has no sidecar and may not be evicted: " + refused + "; retried in " +
          std::to_string(wait_ms / 1000) + " s. kubectl get poddisruptionbudgets -n " +
          pod.name_space +
          " shows which budget forbids it: allow a disruption there, or delete the pod");
  return wait_ms;
}

base::Result<int64_t> ForeignPodReconciler::ReplaceUninjected(const Json& agent,
                                                              const UninjectedPods& uninjected,
                                                              const std::stop_token& stop) {
  const ObjectKey self = kube::KeyOf(agent);
  if (!WantsUninjectedReplaced(agent) || !GivesParts(agent)) return 0;
  const int64_t now_ms = environment_.clock().MonotonicMs();
  const EvictionPacer::Verdict verdict =
      pacers_.With([&](auto& all) { return all[self].Decide(uninjected.injected, now_ms); });
  if (!verdict.lost.empty())
    environment_.events().Warning(
        agent, "PodNotReplaced", "Inject",
        "pod " + verdict.lost + " was evicted " +
            std::to_string(EvictionPacer::kComesWithinMs / 1000) +
            " s ago and no other pod with a sidecar became ready since: no more are evicted until "
            "one "
            "does. kubectl get pods,events -n " +
            self.name_space +
            " shows why: it was not created, has no sidecar, or does not get ready");
  if (!verdict.evict) return verdict.again_ms;
  if (!uninjected.next) return 0;
  if (const int64_t wait_ms = evictions_.Acquire(now_ms)) return wait_ms;
  RETURN_IF_ERROR(CheckNotStopped(stop));
  const UninjectedPods::Next& pod = *uninjected.next;
  const base::Status evicted = environment_.client().Evict(pod.key, pod.uid);
  if (!evicted && evicted.error().code == base::Code::kUnavailable)
    return HoldEvictions(agent, pod.key, evicted.error().message);
  // kNotFound, kConflict: the pod is gone or was replaced already.
  if (!evicted && evicted.error().code != base::Code::kNotFound &&
      evicted.error().code != base::Code::kConflict)
    return evicted.error();
  if (evicted) {
    pacers_.With([&](auto& all) { all[self].Evicted(pod.key.name, uninjected.injected, now_ms); });
    environment_.events().Normal(agent, "PodReplaced", "Inject",
                                 "pod " + pod.key.name +
                                     " had no sidecar and was evicted, so that its controller "
                                     "recreates it with one");
  }
  return evictions_.apart_ms();
}

}  // namespace controller
