// A controller: reflectors that fill caches, and queues of keys with workers that call the caller's
// reconcile function. Independent of kinds.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "lib/kube/cache/reflector.h"
#include "lib/kube/controller/work_queue.h"

namespace kube {

// The keys to reconcile after a change of a watched object.
using MapToKeys = std::function<std::vector<ObjectKey>(const Change& change)>;
std::vector<ObjectKey> ToSelf(const Change& change);
// The controlling owner, if it is of `kind`.
MapToKeys ToOwner(std::string kind);
// The object that the label names, in the same namespace.
MapToKeys ToLabel(std::string label);

struct CachePlan {
  ReflectorOptions reflect;
  Prune prune = DropManagedFields;
  std::string label;  // of ObjectStore::ListByLabel
  // Workers start without this cache if the API server denies it; its reflector keeps trying.
  bool may_be_denied = false;
  std::vector<std::string>
      name_spaces;  // one watch each; empty: one watch, of selection.name_space
};

class ControllerLoop {
 public:
  // `client` must outlive this.
  explicit ControllerLoop(KubeClient& client, const base::Clock& clock = base::SystemClock());
  ~ControllerLoop();  // Stop()

  // Call AddQueue, AddCache and Watch before Start. The references live as long as the loop.
  // `reconcile` runs on the queue's own threads, never twice at once for a key, and not before all
  // caches are synced (or denied, see may_be_denied).
  WorkQueue& AddQueue(WorkQueue::Work reconcile, WorkQueue::Options options = {});
  ObjectStore& AddCache(CachePlan plan);
  // Each change in `cache` adds its keys to `queue`.
  void Watch(const ObjectStore& cache, WorkQueue& queue, MapToKeys map = ToSelf);

  void Start();  // returns at once
  // Asks running reconciles to end and starts none; the caches still update. See WorkQueue.
  void Pause();
  void Resume();
  void Stop(int64_t grace_ms = 20'000);  // running reconciles end first
  bool synced() const;                   // for /readyz: every cache has its first list
  // The longest time that a needed watch has been failing, ms; 0: none fails. For /readyz.
  int64_t FailingMs() const;
  QueueStats queue_stats() const;  // of all queues: sums, and the longest
  std::vector<std::pair<std::string, ReflectorStats>> reflector_stats() const;  // by plural
  struct CacheStats {
    size_t objects = 0, bytes = 0;
  };
  std::map<std::string, CacheStats> cache_stats() const;  // by plural

 private:
  struct Route {
    WorkQueue* queue;
    MapToKeys map;
  };
  struct Source {
    std::unique_ptr<ObjectStore> store;
    std::vector<Route> routes;
    std::vector<std::unique_ptr<Reflector>> reflectors;
    bool may_be_denied = false;
  };
  void StartWorkersOnceSynced();
  std::vector<ReflectorStats> Needed() const;  // without denied ones that may be denied

  KubeClient& client_;
  const base::Clock& clock_;
  std::vector<std::unique_ptr<WorkQueue>> queues_;
  std::vector<std::unique_ptr<Source>> sources_;
  std::mutex mutex_;  // guards working_ and stopped_
  bool working_ = false, stopped_ = false;
};

}  // namespace kube
