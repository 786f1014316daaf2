// Observe → MakeRunPlan → Execute, and again after a refusal.
#include "operator/run/reconciler.h"

#include "operator/names/kinds.h"
#include "operator/names/names.h"

namespace controller {
namespace {

using base::Json;
using kube::Change;
using kube::ObjectKey;

// Retries a stalled run, since no watch reports every removal of an obstacle.
constexpr int64_t kLookAgainMs = 300'000;

// Drops the input of an ended run, which is not read any more.
void PruneRun(Json& run) {
  kube::DropManagedFields(run);
  if (!HasEnded(run) || !run.contains("spec") || !run["spec"].is_object()) return;
  for (const char* field : {"prompt", "args", "env"}) run["spec"].erase(field);
}

// Keeps the status of a Job and the name of its agent container: Jobs are never changed.
void PruneJob(Json& job) {
  kube::DropManagedFields(job);
  const Json* containers = base::At(job, {"spec", "template", "spec", "containers"});
  Json agent = Json::object();
  if (containers && containers->is_array() && !containers->empty())
    agent["name"] = base::StringAt(containers->front(), {"name"});
  job["spec"] = {{"template", {{"spec", {{"containers", Json::array({agent})}}}}}};
}

const kube::Resource& ResourceOf(const std::string& kind) {
  if (kind == kube::Jobs().kind) return kube::Jobs();
  return kind == kube::ConfigMaps().kind ? kube::ConfigMaps() : kube::PersistentVolumeClaims();
}

bool IsStalled(const ObservedRun& observed, const Plan& plan) {
  const Json* stored = base::At(observed.run, {"status"});
  const Json none = Json::object();
  const Json& status = plan.status ? *plan.status : stored ? *stored : none;
  const Json* conditions = base::At(status, {"conditions"});
  const auto stalled = conditions ? kube::FindCondition(*conditions, "Stalled") : std::nullopt;
  return stalled && stalled->status == kube::Truth::kTrue;
}

}  // namespace

RunReconciler::RunReconciler(Environment& environment)
    : environment_(environment),
      agents_(environment.caches().Of(CachedAgents())),
      runs_(environment.caches().Of({AgentRuns(), PruneRun})),
      jobs_(environment.caches().Of({kube::Jobs(), PruneJob, kRunLabel, kRunLabel})),
      pods_(environment.caches().Of({kube::Pods(), PrunePod, kRunLabel, kRunLabel})),
      config_maps_(environment.caches().Of(CachedConfigMaps())),
      claims_(environment.caches().Of(CachedClaims())),
      written_{{AgentRuns().kind, &runs_},
               {kube::Jobs().kind, &jobs_},
               {kube::ConfigMaps().kind, &config_maps_},
               {kube::PersistentVolumeClaims().kind, &claims_}} {}

std::vector<Watched> RunReconciler::Watches() {
  const auto to_run = kube::ToLabel(kRunLabel);
  return {{agents_, [this](const Change& change) { return dependents_.Of(change.key); }},
          {runs_, kube::ToSelf},
          {jobs_, to_run},
          {pods_, to_run},
          {config_maps_, to_run},
          {claims_, to_run}};
}

// Registers the dependency before reading the Agent, to miss no change in between.
ObservedRun RunReconciler::Observe(const Json& run) {
  const ObjectKey self = kube::KeyOf(run),
                  agent{self.name_space, base::StringAt(run, {"spec", "agentRef"})};
  dependents_.Set(self, HasEnded(run) ? std::set<ObjectKey>{} : std::set{agent});
  ObservedRun observed;
  observed.run = run;
  observed.agent = agents_.Get(agent);
  const std::string job = JobName(self.name);
  if (auto found = jobs_.Get({self.name_space, job}))
    observed.children[{kube::Jobs().kind, job}] = *std::move(found);
  observed.pods = pods_.ListByLabel(self.name, self.name_space);
  const std::string claim = RunClaimName(self.name);
  if (auto found = claims_.Get({self.name_space, claim}))
    observed.children[{kube::PersistentVolumeClaims().kind, claim}] = *std::move(found);
  return observed;
}

base::Result<Plan> RunReconciler::PlanFor(ObservedRun& observed, const std::stop_token& stop) {
  Plan plan = MakeRunPlan(observed, environment_.settings(), environment_.clock().NowMs());
  if (!plan.suspects.empty()) {
    observed.causes = environment_.event_reader().CausesOf(kube::KeyOf(observed.run).name_space,
                                                           plan.suspects, stop);
    return MakeRunPlan(observed, environment_.settings(), environment_.clock().NowMs());
  }
  if (plan.not_in_cache.empty()) return plan;
  for (const ChildKey& child : plan.not_in_cache) {
    const ObjectKey key{kube::KeyOf(observed.run).name_space, child.name};
    ASSIGN_OR_RETURN(auto object, environment_.Read(ResourceOf(child.kind), key, stop));
    if (object) observed.children[child] = *std::move(object);
  }
  observed.children_read = true;
  return MakeRunPlan(observed, environment_.settings(), environment_.clock().NowMs());
}

base::Result<kube::When> RunReconciler::Reconcile(const ObjectKey& key, std::stop_token stop) {
  const auto run = runs_.Get(key);
  if (!run) {
    dependents_.Set(key, {});
    return kube::When{};
  }
  ObservedRun observed = Observe(*run);
  // A run has the class of its Agent.
  if (!IsOfClass(observed.agent ? *observed.agent : *run, environment_.agent_class()))
    return kube::When{};
  ASSIGN_OR_RETURN(Plan plan, PlanFor(observed, stop));
  Outcome outcome = Execute(environment_.client(), *run, plan, stop);
  if (!outcome.refusals.empty()) {
    observed.refused = outcome.refusals.front().words;
    plan = MakeRunPlan(observed, environment_.settings(), environment_.clock().NowMs());
    Outcome second = Execute(environment_.client(), *run, plan, stop);
    second.Add(std::move(outcome));
    outcome = std::move(second);
  }
  RETURN_IF_ERROR(environment_.Conclude(*run, plan, outcome, written_, stop));
  if (HasEnded(*run)) return kube::When{};
  return kube::When{IsStalled(observed, plan) ? kLookAgainMs : plan.requeue_after_ms};
}

}  // namespace controller
