// The operator's loop: caches, and for each kind a reconciler with a queue and workers of its own.
// What is done for a kind is in its reconciler.
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
  std::string agent_class;                         // which Agents are ours, see IsOfClass
  std::vector<std::string> name_spaces;            // empty: all
  std::string instance = "agent-memory-operator";  // of this process, for Events
  int workers = 4;                                 // of Agents; each other kind has at most two
  bool standby = false;                            // reconciles nothing before Lead(true)
  AgentOptions agents;
  ForeignPodOptions foreign_pods;
  ServerProbe probe_server;
  // `queue`: a reconciler's name. After each reconcile: controller-runtime's word for the result,
  // seconds; before it: seconds that its key waited. Any thread.
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
