// The operator's controller: caches and, for each kind, a reconciler with its own queue and
// workers. The reconcilers have the logic of their kinds.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "operator/agent/reconciler.h"
#include "operator/foreign_pods/reconciler.h"
#include "operator/memory_server/reconciler.h"
#include "operator/reconcile/environment.h"
#include "operator/run/reconciler.h"

namespace controller {

struct ControllerOptions {
  Settings settings;
  std::string agent_class;                         // of the served Agents, see IsOfClass
  std::vector<std::string> name_spaces;            // empty: all
  std::string instance = "agent-memory-operator";  // ID of this process in Events
  int workers = 4;                                 // of Agents; each other kind has at most two
  bool standby = false;                            // reconciles nothing before Lead(true)
  AgentOptions agents;
  ForeignPodOptions foreign_pods;
  ServerProbe probe_server;
  // `queue`: a reconciler's name. on_done: after each reconcile, with controller-runtime's name for
  // the result and its seconds; on_taken: before it, with the seconds that its key waited. Any
  // thread.
  std::function<void(const std::string& queue, const char* result, double seconds)> on_done;
  std::function<void(const std::string& queue, double seconds)> on_taken;
};

class Controller {
 public:
  // `client` must outlive this.
  Controller(kube::KubeClient& client, const ControllerOptions& options,
             const base::Clock& clock = base::SystemClock());
  ~Controller();

  void Start();                 // returns at once
  void Stop(int64_t grace_ms);  // running reconciles end first, then Events are written
  // False: pauses reconciles, while the caches stay current. Returns at once; any thread.
  void Lead(bool leads);
  base::Status Ready() const;  // caches are synced, and the API server answered in the last 30 s
  // Whether it could work as leader: caches are synced, and it was not unready for 60 s.
  bool MayLead() const;
  // Reads the caches, then the API server through `asking`. kUnavailable before the caches are
  // synced. Any thread.
  base::Result<std::optional<base::Json>> FindAgent(const kube::ObjectKey& key,
                                                    kube::KubeClient& asking) const;
  const kube::ControllerLoop& loop() const { return loop_; }
  struct Queue {
    std::string name;  // of its reconciler
    int workers;
    kube::QueueStats stats;
  };
  std::vector<Queue> queues() const;  // any thread

 private:
  struct Entry {
    std::unique_ptr<Reconciler> reconciler;
    int workers;
    kube::WorkQueue* queue;
  };
  void Add(std::unique_ptr<Reconciler> reconciler, int workers, const ControllerOptions& options);

  kube::ControllerLoop loop_;
  Environment environment_;
  const kube::ObjectStore& agents_;
  std::vector<Entry> entries_;
};

}  // namespace controller
