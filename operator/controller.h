// The loop: watches what Agents are made of, and for each changed Agent observes, plans and
// executes.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "lib/kube/controller/controller_loop.h"
#include "lib/kube/controller/event_recorder.h"
#include "operator/agent/observed_agent.h"
#include "operator/foreign_pods/eviction_pacer.h"
#include "operator/foreign_pods/rate_limiter.h"
#include "operator/memory_server/plan.h"
#include "operator/pods/rollout_budget.h"
#include "operator/probes/sidecar_probe.h"
#include "operator/reconcile/dependents.h"
#include "operator/reconcile/execute.h"
#include "operator/run/plan.h"

namespace controller {

struct ControllerOptions {
  Settings settings;
  std::string agent_class;                         // which Agents are ours, see IsOfClass
  std::vector<std::string> name_spaces;            // empty: all
  std::string instance = "agent-memory-operator";  // of this process, for Events
  int workers = 4;
  bool standby = false;  // reconciles nothing before Lead(true)
  size_t concurrent_rollouts = 10;
  int64_t replacements_per_minute = 10;  // of pods that have no sidecar
  // How the sidecar at "<ip>:7438" stands.
  std::function<base::Result<SidecarLook>(const std::string& address)> look_at_sidecar;
  // How the memory server at "<ip>:7438" stands.
  std::function<base::Result<api::ServerReport>(const std::string& address)> look_at_server;
  // After each reconcile: controller-runtime's word for the result, seconds; before it: seconds
  // that its key waited. Any thread.
  std::function<void(const char* result, double seconds)> on_done;
  std::function<void(double seconds)> on_taken;
  // A pod that no sidecar could serve was found; any thread.
  std::function<void(const std::string& reason)> on_skipped;
};

// Keys of other kinds share the queue: "<kind>/<name>" is no Agent's name.
inline constexpr const char* kRunKey = "AgentRun/";
inline constexpr const char* kServerKey = "MemoryServer/";

class Controller {
 public:
  // `client` must outlive this.
  Controller(kube::KubeClient& client, ControllerOptions options,
             const base::Clock& clock = base::SystemClock());
  ~Controller();

  void Start();                 // returns at once
  void Stop(int64_t grace_ms);  // running reconciles end first, then Events are written
  // False: stands by, with caches that follow on. Returns at once; any thread.
  void Lead(bool leads);
  base::Status Ready() const;  // caches are full, and the API server was heard of in the last 30 s
  // Whether it could work if it led: caches are full, and it was not unready for the last 60 s.
  bool MayLead() const;
  // From the caches; what they lack is asked of the API server by `asking`. kUnavailable before
  // they are full. Any thread.
  base::Result<std::optional<base::Json>> FindAgent(const kube::ObjectKey& key,
                                                    kube::KubeClient& asking) const;
  const kube::ControllerLoop& loop() const { return loop_; }

 private:
  struct Refused {
    std::map<std::string, std::string> words;  // by intent hash
    int64_t until_ms = 0;                      // monotonic; then the server is asked again
  };
  // controller_watches.cc
  // `label`: that ListByLabel asks for; `selector`: of what is watched, empty: everything.
  kube::ObjectStore& Watch(const kube::Resource& resource, kube::MapToKeys map, kube::Prune prune,
                           const std::string& label = {}, const std::string& selector = {},
                           bool may_be_denied = false);
  void WatchAgents();
  void WatchRuns();
  void WatchForeignPods();
  void WatchNodes();

  base::Result<kube::When> Reconcile(const kube::ObjectKey& key, std::stop_token stop);
  base::Status RemoveBindingOf(const kube::ObjectKey& gone);
  // foreign_reconcile.cc
  MissedPods LookAtForeignPods(const Observed& observed) const;
  void TellSkipped(const kube::ObjectKey& agent, const MissedPods& missed);
  // When to look again, ms; 0: at the next change.
  base::Result<int64_t> ReplaceMissed(const base::Json& agent, const MissedPods& missed,
                                      const std::stop_token& stop);
  // `refused`: the API server's words. → when to try again, ms.
  int64_t HoldReplacing(const base::Json& agent, const kube::ObjectKey& pod,
                        const std::string& refused);
  // run_reconcile.cc
  base::Result<kube::When> ReconcileRun(const kube::ObjectKey& key, std::stop_token stop);
  ObservedRun ObserveRun(const kube::ObjectKey& key, const base::Json& run);
  base::Result<Plan> PlanForRun(ObservedRun& observed, const std::stop_token& stop);
  // memory_server_reconcile.cc
  base::Result<kube::When> ReconcileServer(const kube::ObjectKey& key, std::stop_token stop);
  base::Result<ObservedServer> ObserveServer(const kube::ObjectKey& key, const base::Json& server,
                                             const std::stop_token& stop);
  base::Result<std::optional<base::Json>> LookFor(const kube::Resource& kind,
                                                  const kube::ObjectKey& key,
                                                  const std::stop_token& stop);
  void AskServer(ObservedServer& observed) const;

  base::Result<Observed> Observe(const base::Json& agent);
  base::Status LookForClaim(Observed& observed);
  void ObserveReferences(const base::Json& agent, std::vector<base::Json>& objects);
  base::Status LookFor(const std::vector<ChildKey>& unseen, Observed& observed,
                       const std::stop_token& stop);
  base::Result<Plan> PlanFor(Observed& observed, const std::stop_token& stop);
  void GiveBackPlace(const kube::ObjectKey& key);
  Outcome PlanAgain(const Observed& observed, Plan& plan, Outcome first,
                    const std::stop_token& stop);
  void RememberRefusals(const kube::ObjectKey& key, const Outcome& outcome);
  std::map<std::string, std::string> RefusedOf(const kube::ObjectKey& key);
  void Tell(const base::Json& object, const Plan& plan);
  void AwaitOwnWrites(const Outcome& outcome, std::stop_token stop) const;

  kube::KubeClient& client_;
  const ControllerOptions options_;
  const base::Clock& clock_;
  Dependents dependents_;  // Agents on what serverRef names
  Dependents runs_;        // AgentRuns, by the key of their queue, on their Agents
  base::Guarded<std::map<kube::ObjectKey, Refused>> refused_;
  RolloutBudget rollouts_;
  Pace replacements_;
  // By Agent: uids of pods whose owners know that they are skipped.
  base::Guarded<std::map<kube::ObjectKey, std::set<std::string>>> told_skipped_;
  base::Guarded<std::map<kube::ObjectKey, Replacing>> replacing_;  // by Agent
  kube::EventRecorder events_;
  std::map<std::string, kube::ObjectStore*> stores_;  // by kind; of pods those of daemons
  kube::ObjectStore* run_pods_ = nullptr;
  base::Guarded<std::map<kube::ObjectKey, base::Json>> faulty_nodes_;  // as PruneNode leaves them
  const std::string started_;                                          // as in creationTimestamp
  kube::ObjectStore* foreign_pods_ = nullptr;                          // null: they are not served
  kube::ControllerLoop loop_;  // last: its threads use all of the above
};

}  // namespace controller
