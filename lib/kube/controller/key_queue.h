// The rules of the work queue without threads or clocks: order, delays, and backoff after failures.
// Pure; work_queue.h adds the threads.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "lib/kube/object/object.h"

namespace kube {

enum class Priority { kEdit = 0, kResync = 1 };  // resync work never delays a user's edit

// Only one worker at a time has a key, and no key is lost: a key added while in work becomes ready
// again afterwards. The caller passes the time, in monotonic milliseconds.
class KeyQueue {
 public:
  struct Limits {
    int64_t backoff_base_ms = 5;  // 5 ms · 2ⁿ ≤ 1000 s, client-go's per-item figures
    int64_t backoff_cap_ms = 1'000'000;
    size_t resyncs_at_once = SIZE_MAX;  // in work
  };
  KeyQueue() = default;
  explicit KeyQueue(Limits limits) : limits_(limits) {}

  void Add(const ObjectKey& key, Priority priority = Priority::kEdit);
  // Several delayed adds of a key merge into the earliest; an Add in between cancels it.
  void AddAt(const ObjectKey& key, int64_t at_ms);
  // The next key, in work until Done. nullopt: none is ready, or only resyncs while
  // resyncs_at_once are in work.
  std::optional<ObjectKey> Pop(int64_t now_ms);
  bool HasNext() const;  // whether Pop would return a key, delayed keys aside
  void Done(const ObjectKey& key);
  // Delays `key` after a failure; returns the backoff, ms.
  int64_t Retry(const ObjectKey& key, int64_t now_ms);
  void Forget(const ObjectKey& key);  // after a success: resets the backoff

  std::optional<int64_t> NextDueMs() const;  // of the delayed keys
  size_t Depth() const { return ready_.size(); }
  size_t Delayed() const { return due_.size(); }
  size_t InWork() const { return working_.size(); }
  int Failures(const ObjectKey& key) const;

 private:
  using Place = std::pair<Priority, uint64_t>;
  void Undelay(const ObjectKey& key);

  Limits limits_;
  uint64_t next_ = 0;
  std::map<Place, ObjectKey> ready_;
  std::map<ObjectKey, Place> waiting_;   // places in ready_
  std::map<ObjectKey, Priority> dirty_;  // added while in work
  std::map<ObjectKey, Priority> working_;
  size_t resyncs_ = 0;  // of working_
  std::set<std::pair<int64_t, ObjectKey>> due_;
  std::map<ObjectKey, int64_t> delayed_;  // times in due_
  std::map<ObjectKey, int> failures_;
};

}  // namespace kube
