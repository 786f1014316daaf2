// The controller's part about MemoryServers: observe one, plan, execute. What to do is decided in
// memory_server/plan.cc. Its objects are asked for one by one instead of being watched: there are
// few servers, and each watch would cost the operator a thread (ADR 28).
#include "lib/base/process/log.h"
#include "operator/controller.h"
#include "operator/names/kinds.h"
#include "operator/names/names.h"
#include "operator/objects/server_objects.h"
#include "operator/pods/state.h"
#include "operator/probes/memory_server_probe.h"

namespace controller {
namespace {

using base::Json;
using kube::ObjectKey;

std::string NameIn(const ObjectKey& key) { return key.name.substr(key.name.find('/') + 1); }

}  // namespace

// nullopt: it is not there.
base::Result<std::optional<Json>> Controller::LookFor(const kube::Resource& kind,
                                                      const ObjectKey& key,
                                                      const std::stop_token& stop) {
  RETURN_IF_ERROR(GoOn(stop));
  auto object = client_.Get(kind, key);
  if (object) return std::optional<Json>(*std::move(object));
  if (object.error().code != base::Code::kNotFound) return object.error();
  return std::optional<Json>();
}

// How the running server stands, inside a second. One that only just starts is not asked: dozens
// of them would keep every worker waiting.
void Controller::AskServer(ObservedServer& observed) const {
  if (!options_.look_at_server) return;
  for (const Json& pod : observed.pods) {
    const std::string address = ServerAdminAddress(pod);
    if (address.empty() || !IsWorthAsking(pod, clock_.NowMs())) continue;
    if (auto report = options_.look_at_server(address))
      observed.report = *std::move(report);
    else if (StateOf(pod).ready)
      observed.report_fault = report.error().message;
    else
      observed.asked_in_vain = true;
  }
}

base::Result<ObservedServer> Controller::ObserveServer(const ObjectKey& key, const Json& server,
                                                       const std::stop_token& stop) {
  const ObjectKey self = kube::KeyOf(server);
  ObservedServer observed;
  observed.server = server;
  for (const kube::Resource& kind : ServerChildResources()) {
    const ObjectKey child{self.name_space, ServerObjectName(self.name)};
    ASSIGN_OR_RETURN(auto found, LookFor(kind, child, stop));
    if (found) observed.children[{kind.kind, child.name}] = *std::move(found);
  }
  ASSIGN_OR_RETURN(observed.claim, LookFor(kube::PersistentVolumeClaims(),
                                           {self.name_space, ClaimName(self.name)}, stop));
  kube::Selection pods;
  pods.name_space = self.name_space;
  pods.label_selector = std::string(kServerLabel) + "=" + self.name;
  ASSIGN_OR_RETURN(observed.pods, client_.ListAll(kube::Pods(), pods));
  // Anybody's pod may carry the label: only the workload's own is believed.
  const auto set = observed.children.find({kube::StatefulSets().kind, ServerObjectName(self.name)});
  std::erase_if(observed.pods, [&](const Json& pod) {
    return set == observed.children.end() ||
           kube::ControllerOf(pod).uid != kube::UidOf(set->second);
  });
  AskServer(observed);
  observed.refused = RefusedOf(key);
  return observed;
}

base::Result<kube::When> Controller::ReconcileServer(const ObjectKey& key, std::stop_token stop) {
  auto server = stores_[MemoryServers().kind]->Get({key.name_space, NameIn(key)});
  if (!server || !IsOfClass(*server, options_.agent_class)) {
    refused_.With([&](auto& all) { all.erase(key); });
    return kube::When{};
  }
  if (kube::IsBeingDeleted(*server)) return kube::When{};
  ASSIGN_OR_RETURN(ObservedServer observed, ObserveServer(key, *server, stop));
  Plan plan = MakeServerPlan(observed, options_.settings, clock_.NowMs());
  Outcome outcome = Execute(client_, *server, plan, stop);
  if (!outcome.refusals.empty() || !outcome.conflicts.empty()) {
    RememberRefusals(key, outcome);
    observed.refused = RefusedOf(key);
    observed.conflicts = outcome.conflicts;
    plan = MakeServerPlan(observed, options_.settings, clock_.NowMs());
    plan.apply.clear();  // the rest of the first plan is done
    plan.remove.clear();
    plan.patch.clear();
    Outcome said = Execute(client_, *server, plan, stop);
    said.errors.insert(said.errors.end(), outcome.errors.begin(), outcome.errors.end());
    said.written.merge(outcome.written);
    outcome = std::move(said);
  }
  if (outcome.written.contains(MemoryServers().kind)) Tell(*server, plan);
  // The other kinds are read where they are, not in a cache that would have to follow.
  std::erase_if(outcome.written,
                [](const auto& kind) { return kind.first != MemoryServers().kind; });
  AwaitOwnWrites(outcome, stop);
  if (base::Status summary = outcome.Summary(); !summary) {
    base::LogWarn("reconcile failed", {{"server", key.Text()}, {"error", summary.error().message}});
    return summary.error();
  }
  return kube::When{plan.requeue_after_ms};
}

}  // namespace controller
