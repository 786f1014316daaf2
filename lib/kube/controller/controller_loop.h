// A controller: reflectors that watch, a queue of keys, workers that reconcile. What to do for a
// key is the caller's function; nothing here knows a kind.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "lib/kube/cache/reflector.h"
#include "lib/kube/controller/work_queue.h"

namespace kube {

// Which keys must be looked at after a change of a watched object.
using MapToKeys = std::function<std::vector<ObjectKey>(const Change& change)>;
std::vector<ObjectKey> ToSelf(const Change& change);
// The controlling owner, when it is of `kind`.
MapToKeys ToOwner(std::string kind);
// The object that the label names, in the same namespace.
MapToKeys ToLabel(std::string label);

struct WatchPlan {
  ReflectorOptions reflect;
  MapToKeys map = ToSelf;
  Prune prune = DropManagedFields;
  std::string label;  // that ListByLabel asks for
  // Work goes on without it where our role does not allow it; it is tried again all the same.
  bool may_be_denied = false;
  std::vector<std::string>
      name_spaces;  // one watch each; empty: one for all (or selection.name_space)
};

class ControllerLoop {
 public:
  using Options = WorkQueue::Options;
  // `client` must outlive this. `reconcile` runs on several threads, never twice at once for a key,
  // and not before all caches are synced.
  ControllerLoop(KubeClient& client, WorkQueue::Work reconcile, Options options = {},
                 const base::Clock& clock = base::SystemClock());
  ~ControllerLoop();  // Stop()

  // Before Start. The store lives as long as the loop.
  ObjectStore& Watch(WatchPlan plan);
  void Start();  // returns at once
  // Reconciles end soon and none begins, while the caches follow on. See WorkQueue.
  void Pause() { queue_.Pause(); }
  void Resume() { queue_.Resume(); }
  void Stop(int64_t grace_ms = 20'000);  // running reconciles end first
  void Enqueue(const ObjectKey& key);    // any thread
  bool synced() const;                   // for /readyz: every cache has had its first list
  // How long any watch has been failing, ms; 0: all are well. For /readyz.
  int64_t FailingMs() const;
  // The longest time that any watch has heard nothing, ms: bookmarks come each minute. For /livez.
  int64_t SilenceMs() const;
  QueueStats queue_stats() const { return queue_.stats(); }
  std::vector<std::pair<std::string, ReflectorStats>> reflector_stats() const;  // by plural
  struct CacheStats {
    size_t objects = 0, bytes = 0;
  };
  std::map<std::string, CacheStats> cache_stats() const;  // by plural

 private:
  struct Source {
    std::unique_ptr<ObjectStore> store;
    std::vector<std::unique_ptr<Reflector>> reflectors;
    bool may_be_denied = false;
  };
  void StartWorkersOnceSynced();
  std::vector<ReflectorStats> Needed() const;  // those that work does not go on without

  KubeClient& client_;
  const base::Clock& clock_;
  WorkQueue queue_;
  std::vector<Source> sources_;
  std::mutex mutex_;  // of working_ and stopped_
  bool working_ = false, stopped_ = false;
  int64_t started_ms_ = 0;
};

}  // namespace kube
