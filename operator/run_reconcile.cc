// The controller's part about AgentRuns: observe one, plan, execute. What to do is decided in
// run/plan.cc; the watches stand with the others in controller.cc.
#include "lib/base/process/log.h"
#include "operator/controller.h"
#include "operator/names/kinds.h"
#include "operator/names/names.h"

namespace controller {
namespace {

using base::Json;
using kube::ObjectKey;

// What somebody else may put right without our hearing of it is looked at again.
constexpr int64_t kRunLookAgainMs = 300'000;

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

// The Agent is noted before it is read, or a change in between is missed.
ObservedRun Controller::ObserveRun(const ObjectKey& key, const Json& run) {
  const ObjectKey self = kube::KeyOf(run),
                  agent{self.name_space, base::StringAt(run, {"spec", "agentRef"})};
  runs_.Set(key, HasEnded(run) ? std::set<ObjectKey>{} : std::set{agent});
  ObservedRun observed;
  observed.run = run;
  observed.agent = stores_["Agent"]->Get(agent);
  const std::string job = JobName(self.name);
  if (auto found = stores_["Job"]->Get({self.name_space, job}))
    observed.children[{"Job", job}] = *std::move(found);
  observed.pods = run_pods_->ListByLabel(self.name, self.name_space);
  return observed;
}

base::Result<Plan> Controller::PlanForRun(ObservedRun& observed, const std::stop_token& stop) {
  Plan plan = MakeRunPlan(observed, options_.settings, clock_.NowMs());
  if (plan.unseen.empty()) return plan;
  for (const ChildKey& child : plan.unseen) {
    RETURN_IF_ERROR(GoOn(stop));
    auto object =
        client_.Get(ResourceOf(child.kind), {kube::KeyOf(observed.run).name_space, child.name});
    if (object)
      observed.children[child] = *object;
    else if (object.error().code != base::Code::kNotFound)
      return object.error();
  }
  observed.looked = true;
  return MakeRunPlan(observed, options_.settings, clock_.NowMs());
}

base::Result<kube::When> Controller::ReconcileRun(const ObjectKey& key, std::stop_token stop) {
  auto run = stores_["AgentRun"]->Get({key.name_space, key.name.substr(key.name.find('/') + 1)});
  if (!run) {
    runs_.Set(key, {});
    return kube::When{};
  }
  ObservedRun observed = ObserveRun(key, *run);
  // A run is of its Agent's class.
  if (!IsOfClass(observed.agent ? *observed.agent : *run, options_.agent_class))
    return kube::When{};
  ASSIGN_OR_RETURN(Plan plan, PlanForRun(observed, stop));
  Outcome outcome = Execute(client_, *run, plan, stop);
  if (!outcome.refusals.empty()) {
    observed.refused = outcome.refusals.front().words;
    plan = MakeRunPlan(observed, options_.settings, clock_.NowMs());
    Outcome said = Execute(client_, *run, plan, stop);
    said.errors.insert(said.errors.end(), outcome.errors.begin(), outcome.errors.end());
    said.written.merge(outcome.written);
    outcome = std::move(said);
  }
  if (outcome.written.contains(AgentRuns().kind)) Tell(*run, plan);
  AwaitOwnWrites(outcome, stop);
  if (base::Status summary = outcome.Summary(); !summary) {
    base::LogWarn("reconcile failed", {{"run", key.Text()}, {"error", summary.error().message}});
    return summary.error();
  }
  return kube::When{IsStalled(observed, plan) && !HasEnded(*run) ? kRunLookAgainMs : 0};
}

}  // namespace controller
