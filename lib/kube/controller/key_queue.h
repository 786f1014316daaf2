// The rules of the work queue without threads or clocks: which key is next, which waits, how long
// after a failure. Pure; work_queue.h puts threads around it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "lib/kube/object/object.h"

namespace kube {

enum class Priority { kEdit = 0, kResync = 1 };  // resync work never delays somebody's edit

// Each key is worked on by one worker at a time and never lost: what is added while it is worked on
// comes again afterwards. Times are monotonic milliseconds that the caller hands in.
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
  // Several delayed adds of a key become one at the earliest time; an Add in between makes it
  // needless.
  void AddAt(const ObjectKey& key, int64_t at_ms);
  // The key to work on; nullopt: none is ready, or only resyncs and enough of them are in work. It
  // is then in work until Done.
  std::optional<ObjectKey> Take(int64_t now_ms);
  bool HasNext() const;  // that Take would bring, of those that are not delayed
  void Done(const ObjectKey& key);
  // Delays `key` after a failure; returns how long.
  int64_t Retry(const ObjectKey& key, int64_t now_ms);
  void Forget(const ObjectKey& key);  // a success: the next failure starts at the base again

  std::optional<int64_t> NextDueMs() const;  // of the delayed ones
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
  std::map<ObjectKey, Place> waiting_;   // where in ready_
  std::map<ObjectKey, Priority> dirty_;  // added while in work
  std::map<ObjectKey, Priority> working_;
  size_t resyncs_ = 0;  // of working_
  std::set<std::pair<int64_t, ObjectKey>> due_;
  std::map<ObjectKey, int64_t> delayed_;  // when in due_
  std::map<ObjectKey, int> failures_;
};

}  // namespace kube
