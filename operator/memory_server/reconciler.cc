// Observe → MakeServerPlan → Execute, and again after a refusal or conflict.
#include "operator/memory_server/reconciler.h"

#include <set>

#include "operator/names/kinds.h"
#include "operator/names/names.h"
#include "operator/objects/server_objects.h"
#include "operator/pods/state.h"
#include "operator/probes/pod_probes.h"

namespace controller {

using base::Json;
using kube::ObjectKey;

MemoryServerReconciler::MemoryServerReconciler(Environment& environment, ServerProbe probe_server)
    : environment_(environment),
      probe_server_(std::move(probe_server)),
      servers_(environment.caches().Of(CachedMemoryServers())),
      services_(environment.caches().Of(CachedServices())),
      slices_(environment.caches().Of(CachedEndpointSlices())) {}

// Services are watched for Agents already; slices have the labels of their Service.
std::vector<Watched> MemoryServerReconciler::Watches() {
  const auto to_server = kube::ToLabel(kServerLabel);
  return {{servers_, kube::ToSelf}, {services_, to_server}, {slices_, to_server}};
}

// Reads the report of each running server, within a second; keeps one that names a fault. Skips a
// server that has just started: dozens of those would block every worker.
void MemoryServerReconciler::ProbePods(ObservedServer& observed) const {
  if (!probe_server_) return;
  for (const Json& pod : observed.pods) {
    const std::string address = ServerAdminAddress(pod);
    if (address.empty() || !ShouldProbe(pod, environment_.clock().NowMs())) continue;
    if (auto report = probe_server_(address)) {
      if (!observed.report || observed.report->error.empty()) observed.report = *std::move(report);
    } else if (StateOf(pod).ready) {
      observed.report_fault = report.error().message;
    } else {
      observed.no_answer = true;
    }
  }
}

// Any pod may have the label: only those of the workloads count. Those of a Deployment belong to
// its ReplicaSets.
base::Status MemoryServerReconciler::ReadPods(const ObjectKey& self, ObservedServer& observed) {
  kube::Selection selection;
  selection.name_space = self.name_space;
  selection.label_selector = std::string(kServerLabel) + "=" + self.name;
  ASSIGN_OR_RETURN(observed.pods, environment_.client().ListAll(kube::Pods(), selection));
  std::set<std::string> owners;
  const auto uid_of = [&](const kube::Resource& kind) {
    const auto found = observed.children.find({kind.kind, ServerObjectName(self.name)});
    return found == observed.children.end() ? std::string() : kube::UidOf(found->second);
  };
  owners.insert(uid_of(kube::StatefulSets()));
  const std::string deployment = uid_of(Deployments());
  if (!deployment.empty()) {
    ASSIGN_OR_RETURN(const auto sets, environment_.client().ListAll(ReplicaSets(), selection));
    for (const Json& set : sets)
      if (kube::ControllerOf(set).uid == deployment) owners.insert(kube::UidOf(set));
  }
  owners.erase("");
  std::erase_if(observed.pods, [&](const Json& pod) {
    const kube::Owner owner = kube::ControllerOf(pod);
    observed.replicas_end |= deployment.empty() && owner.kind == ReplicaSets().kind;
    return !owners.contains(owner.uid);
  });
  return {};
}

base::Result<ObservedServer> MemoryServerReconciler::Observe(const Json& server,
                                                             const std::stop_token& stop) {
  const ObjectKey self = kube::KeyOf(server);
  ObservedServer observed;
  observed.server = server;
  for (const kube::Resource& kind : ServerChildResources()) {
    const ObjectKey child{self.name_space, ServerObjectName(self.name)};
    ASSIGN_OR_RETURN(auto found, environment_.Read(kind, child, stop));
    if (found) observed.children[{kind.kind, child.name}] = *std::move(found);
  }
  ASSIGN_OR_RETURN(observed.claim,
                   environment_.Read(kube::PersistentVolumeClaims(),
                                     {self.name_space, ClaimName(self.name)}, stop));
  RETURN_IF_ERROR(ReadPods(self, observed));
  ProbePods(observed);
  observed.refused = refusals_.Of(self, environment_.clock().MonotonicMs());
  return observed;
}

base::Result<kube::When> MemoryServerReconciler::Reconcile(const ObjectKey& key,
                                                           std::stop_token stop) {
  const auto server = servers_.Get(key);
  if (!server || !IsOfClass(*server, environment_.agent_class())) {
    refusals_.Forget(key);
    return kube::When{};
  }
  if (kube::IsBeingDeleted(*server)) return kube::When{};
  const base::Clock& clock = environment_.clock();
  ASSIGN_OR_RETURN(ObservedServer observed, Observe(*server, stop));
  Plan plan = MakeServerPlan(observed, environment_.settings(), clock.NowMs());
  if (!plan.suspects.empty()) {
    observed.causes = environment_.event_reader().CausesOf(key.name_space, plan.suspects, stop);
    plan = MakeServerPlan(observed, environment_.settings(), clock.NowMs());
  }
  Outcome outcome = Execute(environment_.client(), *server, plan, stop);
  if (!outcome.refusals.empty() || !outcome.conflicts.empty()) {
    refusals_.Remember(key, outcome, clock.MonotonicMs());
    observed.refused = refusals_.Of(key, clock.MonotonicMs());
    observed.conflicts = outcome.conflicts;
    plan = MakeServerPlan(observed, environment_.settings(), clock.NowMs());
    plan.apply.clear();  // the first plan was executed
    plan.remove.clear();
    plan.patch.clear();
    Outcome second = Execute(environment_.client(), *server, plan, stop);
    second.Add(std::move(outcome));
    outcome = std::move(second);
  }
  // The other kinds are read from the API server: no cache has to catch up.
  const StoresByKind followed = {{MemoryServers().kind, &servers_}};
  RETURN_IF_ERROR(environment_.Conclude(*server, plan, outcome, followed, stop));
  return kube::When{plan.requeue_after_ms};
}

}  // namespace controller
