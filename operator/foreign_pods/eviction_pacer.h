// Paces the evictions of one Agent's uninjected pods: decides whether to evict the next one, and
// when to report a missing replacement. Times are monotonic ms. Pure; one thread at a time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>

namespace controller {

class EvictionPacer {
 public:
  static constexpr int64_t kFirstWaitMs = 60'000, kLongestWaitMs = 300'000;
  // The time for a new pod to be scheduled, pulled and started; only then is it reported missing.
  static constexpr int64_t kComesWithinMs = 120'000;

  struct Verdict {
    bool evict = false;    // the next pod, now
    int64_t again_ms = 0;  // delay of the next check without a change; 0: none
    std::string lost;      // set once: the evicted pod that has no successor
  };
  // `injected`: uids of the ready pods with a sidecar. After an eviction the next one waits for a
  // new uid: if replacements fail, only one pod is lost.
  Verdict Decide(const std::set<std::string>& injected, int64_t now_ms) {
    if (!evicted_.empty() &&
        !std::includes(before_.begin(), before_.end(), injected.begin(), injected.end()))
      evicted_.clear();
    if (evicted_.empty()) {
      const int64_t left_ms = std::max<int64_t>(0, not_before_ms_ - now_ms);
      return {left_ms == 0, left_ms, ""};
    }
    const int64_t left_ms = evicted_ms_ + kComesWithinMs - now_ms;
    if (left_ms > 0) return {false, left_ms, ""};
    Verdict verdict;
    if (!told_) verdict.lost = evicted_;
    told_ = true;
    return verdict;
  }

  void Evicted(std::string pod, std::set<std::string> injected, int64_t now_ms) {
    evicted_ = std::move(pod);
    before_ = std::move(injected);
    evicted_ms_ = now_ms;
    wait_ms_ = 0;
    told_ = false;
  }
  // The API server refused an eviction. Returns the backoff in ms, which doubles each time.
  int64_t Blocked(int64_t now_ms) {
    wait_ms_ = std::clamp(2 * wait_ms_, kFirstWaitMs, kLongestWaitMs);
    not_before_ms_ = now_ms + wait_ms_;
    return wait_ms_;
  }

 private:
  std::string evicted_;           // the last pod, until it has a successor; empty: none
  std::set<std::string> before_;  // `injected` at that eviction
  int64_t evicted_ms_ = 0, not_before_ms_ = 0, wait_ms_ = 0;
  bool told_ = false;
};

}  // namespace controller
