// Observe → MakePlan → Execute, and the watches that bring an Agent back when something it is made
// of changes. What to do is decided in agent/plan.cc.
#include "operator/controller.h"

#include <algorithm>

#include "lib/base/process/log.h"
#include "operator/agent/desired.h"
#include "operator/agent/plan.h"
#include "operator/names/kinds.h"
#include "operator/names/names.h"
#include "operator/probes/sidecar_probe.h"

namespace controller {
namespace {

using base::Json;
using kube::Change;
using kube::ObjectKey;

constexpr int64_t kOwnWriteWaitMs = 10'000, kAskRefusedAgainMs = 300'000,
                  kLongestFailureMs = 30'000, kLongestUnreadyMs = 60'000;

}  // namespace

Controller::Controller(kube::KubeClient& client, ControllerOptions options,
                       const base::Clock& clock)
    : client_(client),
      options_(std::move(options)),
      clock_(clock),
      rollouts_(options_.concurrent_rollouts),
      replacements_(options_.replacements_per_minute),
      events_(client, kReportingController, options_.instance, clock),
      started_(base::FormatTime(clock.NowMs() / 1000 * 1000)),
      loop_(
          client,
          [this](const ObjectKey& key, std::stop_token stop) {
            if (key.name.find('/') == std::string::npos) return Reconcile(key, stop);
            return key.name.starts_with(kRunKey) ? ReconcileRun(key, stop)
                                                 : ReconcileServer(key, stop);
          },
          {options_.workers, {}, options_.standby, options_.on_done, options_.on_taken}, clock) {
  WatchAgents();
  WatchRuns();
  if (options_.name_spaces.empty()) WatchNodes();
  if (options_.settings.foreign_pods.Served()) WatchForeignPods();
}

Controller::~Controller() { Stop(0); }

void Controller::Start() { loop_.Start(); }
void Controller::Stop(int64_t grace_ms) {
  loop_.Stop(grace_ms);
  events_.Stop();
}
void Controller::Lead(bool leads) { leads ? loop_.Resume() : loop_.Pause(); }

base::Status Controller::Ready() const {
  if (!loop_.synced())
    return base::Error{base::Code::kUnavailable, "the first lists are not read yet"};
  if (loop_.FailingMs() > kLongestFailureMs)
    return base::Error{base::Code::kUnavailable, "the API server does not answer"};
  return {};
}

bool Controller::MayLead() const {
  return loop_.synced() && loop_.FailingMs() <= kLongestFailureMs + kLongestUnreadyMs;
}

base::Result<std::optional<base::Json>> Controller::FindAgent(const ObjectKey& key,
                                                              kube::KubeClient& asking) const {
  if (!loop_.synced())
    return base::Error{base::Code::kUnavailable, "the first lists are not read yet"};
  if (auto known = stores_.at("Agent")->Get(key)) return known;
  auto found = asking.Get(Agents(), key);
  if (found) return std::optional<Json>(*std::move(found));
  if (found.error().code == base::Code::kNotFound) return std::optional<Json>();
  return found.error();
}

// ---- observe ----

void Controller::ObserveReferences(const base::Json& agent, std::vector<base::Json>& objects) {
  const ObjectKey reference = ServerReference(agent);
  std::set<ObjectKey> targets;
  if (!reference.name.empty()) targets.insert(reference);
  dependents_.Set(kube::KeyOf(agent), targets);
  if (targets.empty()) return;
  auto tool = stores_["AgentTool"]->Get(reference);
  if (tool) {
    targets.insert({reference.name_space, base::StringAt(*tool, {"spec", "service", "name"})});
    dependents_.Set(kube::KeyOf(agent), targets);
    objects.push_back(*tool);
  }
  if (auto server = stores_["MemoryServer"]->Get(reference)) objects.push_back(*server);
  for (const ObjectKey& target : targets) {
    if (auto service = stores_["Service"]->Get(target)) objects.push_back(*service);
    for (Json& slice : stores_["EndpointSlice"]->ListByLabel(target.name, target.name_space))
      objects.push_back(std::move(slice));
  }
}

// Before a StatefulSet is made its claim is looked for where it counts: it would be taken silently.
base::Status Controller::LookForClaim(Observed& observed) {
  const ObjectKey self = kube::KeyOf(observed.agent);
  if (base::StringAt(observed.agent, {"spec", "mode"}) == "task") return {};  // it has none
  if (observed.children.contains({"StatefulSet", WorkloadName(self.name)})) return {};
  auto claim = client_.Get(kube::PersistentVolumeClaims(), {self.name_space, ClaimName(self.name)});
  if (!claim && claim.error().code != base::Code::kNotFound) return claim.error();
  observed.claim.reset();
  if (claim) observed.claim = *claim;
  return {};
}

base::Result<Observed> Controller::Observe(const base::Json& agent) {
  const ObjectKey self = kube::KeyOf(agent);
  std::vector<Json> objects;
  ObserveReferences(agent, objects);
  for (const char* kind :
       {"ServiceAccount", "ConfigMap", "Service", "StatefulSet", "Pod", "PersistentVolumeClaim"})
    for (Json& object : stores_[kind]->ListByLabel(self.name, self.name_space))
      objects.push_back(std::move(object));
  if (!options_.settings.foreign_pods.policy.empty()) {
    const ObjectKey binding{"", InjectionBindingName(self.name_space, self.name)};
    if (auto found = stores_[InjectionBindings().kind]->Get(binding)) objects.push_back(*found);
  }
  faulty_nodes_.With([&](const auto& nodes) {
    for (const auto& [key, node] : nodes) objects.push_back(node);
  });
  Observed observed = Sort(agent, objects);
  observed.missed = LookAtForeignPods(observed);
  RETURN_IF_ERROR(LookForClaim(observed));
  for (const Json& pod : observed.pods) {
    const std::string address = SidecarAddress(pod);
    if (address.empty() || !options_.look_at_sidecar) continue;
    if (auto look = options_.look_at_sidecar(address)) {
      observed.digests[kube::KeyOf(pod).name] = look->digest;
      observed.quiet_ms[kube::KeyOf(pod).name] = look->quiet_ms;
    }
  }
  observed.refused = RefusedOf(self);
  return observed;
}

// The caches hold only what has our label; something else may sit on a child's name.
base::Status Controller::LookFor(const std::vector<ChildKey>& unseen, Observed& observed,
                                 const std::stop_token& stop) {
  for (const ChildKey& child : unseen)
    for (const kube::Resource& resource : ChildResources()) {
      if (resource.kind != child.kind) continue;
      RETURN_IF_ERROR(GoOn(stop));
      auto object = client_.Get(resource, {kube::KeyOf(observed.agent).name_space, child.name});
      if (object)
        observed.children[child] = *object;
      else if (object.error().code != base::Code::kNotFound)
        return object.error();
    }
  return {};
}

// ---- reconcile ----

base::Result<Plan> Controller::PlanFor(Observed& observed, const std::stop_token& stop) {
  Plan plan = MakePlan(observed, options_.settings, clock_.NowMs());
  if (!plan.unseen.empty()) {
    RETURN_IF_ERROR(LookFor(plan.unseen, observed, stop));
    plan = MakePlan(observed, options_.settings, clock_.NowMs());
  }
  const ObjectKey self = kube::KeyOf(observed.agent);
  const auto held_ms =
      plan.wants_place ? rollouts_.Take(self, clock_.MonotonicMs()) : std::optional<int64_t>();
  if (held_ms) {
    observed.has_place = true;
    observed.place_held_ms = *held_ms;
    plan = MakePlan(observed, options_.settings, clock_.NowMs());
  }
  if (plan.rolled_out) GiveBackPlace(self);
  return plan;
}

void Controller::GiveBackPlace(const ObjectKey& key) {
  if (auto next = rollouts_.Release(key)) loop_.Enqueue(*next);
}

// The server refused something: what it said belongs into the status.
Outcome Controller::PlanAgain(const Observed& observed, Plan& plan, Outcome first,
                              const std::stop_token& stop) {
  plan = MakePlan(observed, options_.settings, clock_.NowMs());
  plan.apply.clear();  // the rest of the first plan is done
  plan.remove.clear();
  if (!first.conflicts.empty()) plan.patch.clear();  // not before it is applied
  Outcome outcome = Execute(client_, observed.agent, plan, stop);
  outcome.errors.insert(outcome.errors.end(), first.errors.begin(), first.errors.end());
  outcome.written.merge(first.written);
  return outcome;
}

base::Result<kube::When> Controller::Reconcile(const ObjectKey& key, std::stop_token stop) {
  auto agent = stores_["Agent"]->Get(key);
  if (!agent || !IsOfClass(*agent, options_.agent_class)) {
    dependents_.Set(key, {});
    refused_.With([&](auto& all) { all.erase(key); });
    GiveBackPlace(key);
    TellSkipped(key, {});
    replacing_.With([&](auto& all) { all.erase(key); });
    if (!agent) RETURN_IF_ERROR(RemoveBindingOf(key));
    return kube::When{};
  }
  ASSIGN_OR_RETURN(Observed observed, Observe(*agent));
  ASSIGN_OR_RETURN(Plan plan, PlanFor(observed, stop));
  Outcome outcome = Execute(client_, *agent, plan, stop);
  if (!outcome.refusals.empty() || !outcome.conflicts.empty()) {
    RememberRefusals(key, outcome);
    for (const Refusal& refusal : outcome.refusals)
      observed.refused[refusal.intent] = refusal.words;
    observed.conflicts = outcome.conflicts;
    outcome = PlanAgain(observed, plan, std::move(outcome), stop);
  }
  if (outcome.written.contains(Agents().kind)) Tell(*agent, plan);
  AwaitOwnWrites(outcome, stop);
  if (base::Status summary = outcome.Summary(); !summary) {
    base::LogWarn("reconcile failed", {{"agent", key.Text()}, {"error", summary.error().message}});
    return summary.error();
  }
  TellSkipped(key, observed.missed);
  ASSIGN_OR_RETURN(const int64_t replace_after_ms, ReplaceMissed(*agent, observed.missed, stop));
  if (replace_after_ms > 0 &&
      (plan.requeue_after_ms == 0 || replace_after_ms < plan.requeue_after_ms))
    return kube::When{replace_after_ms};
  if ((!observed.refused.empty() || !observed.conflicts.empty()) && plan.requeue_after_ms == 0)
    return kube::When{kAskRefusedAgainMs};
  return kube::When{plan.requeue_after_ms};
}

// A binding has no owner that takes it along. It comes here too when its Agent went while nobody
// looked: every binding is a change after the first list.
base::Status Controller::RemoveBindingOf(const ObjectKey& gone) {
  if (options_.settings.foreign_pods.policy.empty()) return {};
  const ObjectKey key{"", InjectionBindingName(gone.name_space, gone.name)};
  auto binding = stores_[InjectionBindings().kind]->Get(key);
  if (!binding || AgentOfBinding(*binding) != gone || kube::IsBeingDeleted(*binding) ||
      !IsOfClass(*binding, options_.agent_class))
    return {};
  // The cache may lag behind whoever made both.
  auto agent = client_.Get(Agents(), gone);
  if (agent) return {};
  if (agent.error().code != base::Code::kNotFound) return agent.error();
  kube::DeleteOptions options;
  options.uid = kube::UidOf(*binding);
  auto removed = client_.Delete(InjectionBindings(), key, options);
  if (!removed && removed.error().code != base::Code::kNotFound) return removed.error();
  base::LogInfo("removed the binding of an Agent that is gone", {{"agent", gone.Text()}});
  return {};
}

void Controller::RememberRefusals(const ObjectKey& key, const Outcome& outcome) {
  if (outcome.refusals.empty()) return;
  refused_.With([&](auto& all) {
    Refused& mine = all[key];
    mine.until_ms = clock_.MonotonicMs() + kAskRefusedAgainMs;
    for (const Refusal& refusal : outcome.refusals) mine.words[refusal.intent] = refusal.words;
  });
}

// What the server refused lately; it is asked again after a while.
std::map<std::string, std::string> Controller::RefusedOf(const ObjectKey& key) {
  return refused_.With([&](auto& all) -> std::map<std::string, std::string> {
    auto at = all.find(key);
    if (at == all.end()) return {};
    if (at->second.until_ms >= clock_.MonotonicMs()) return at->second.words;
    all.erase(at);
    return {};
  });
}

void Controller::Tell(const base::Json& object, const Plan& plan) {
  for (const Notice& notice : plan.events) {
    if (notice.warning)
      events_.Warning(object, notice.reason, "Reconcile", notice.note);
    else
      events_.Normal(object, notice.reason, "Reconcile", notice.note);
  }
  const std::string kind = base::StringAt(object, {"kind"});
  const char* what = kind == AgentRuns().kind       ? "run"
                     : kind == MemoryServers().kind ? "server"
                                                    : "agent";
  base::LogInfo("reconciled", {{what, kube::KeyOf(object).Text()},
                               {"applied", plan.apply.size()},
                               {"patched", plan.patch.size()},
                               {"removed", plan.remove.size()},
                               {"status", plan.status.has_value()}});
}

// The next look at this Agent must see what was written now, or it would be written again. Nobody
// looks again in a process that ends.
void Controller::AwaitOwnWrites(const Outcome& outcome, std::stop_token stop) const {
  const int64_t end_ms = clock_.MonotonicMs() + kOwnWriteWaitMs;
  for (const auto& [kind, version] : outcome.written) {
    auto store = stores_.find(kind);
    const int64_t left_ms = std::max<int64_t>(0, end_ms - clock_.MonotonicMs());
    if (store != stores_.end()) store->second->WaitForVersion(version, left_ms, stop);
  }
}

}  // namespace controller
