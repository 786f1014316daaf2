// How the eviction of one Agent's uninjected pods goes: whether the next one may be evicted, and
// what a person must hear when it does not go on. Times are monotonic ms. Pure; one thread at a
// time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>

namespace controller {

class EvictionPacer {
 public:
  static constexpr int64_t kFirstWaitMs = 60'000, kLongestWaitMs = 300'000;
  // A pod takes its time to be scheduled, pulled and started; this much is no news.
  static constexpr int64_t kComesWithinMs = 120'000;

  struct Verdict {
    bool evict = false;    // the next one, now
    int64_t again_ms = 0;  // when to look again if nothing changes; 0: it need not be
    std::string lost;      // for the first time: the evicted pod that has no successor yet
  };
  // `injected`: uids of the pods that have a sidecar and are ready. The next one is not before
  // another stands: if new ones do not come, one pod is lost and not all.
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
  // It may not be evicted now. → how long nothing is tried, ms: longer each time.
  int64_t Blocked(int64_t now_ms) {
    wait_ms_ = std::clamp(2 * wait_ms_, kFirstWaitMs, kLongestWaitMs);
    not_before_ms_ = now_ms + wait_ms_;
    return wait_ms_;
  }

 private:
  std::string evicted_;           // the last one, while no other stands; empty: none
  std::set<std::string> before_;  // that stood when it was
  int64_t evicted_ms_ = 0, not_before_ms_ = 0, wait_ms_ = 0;
  bool told_ = false;
};

}  // namespace controller
