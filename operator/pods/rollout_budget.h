// How many Agents are updated at once, over all of the operator's workers: each holds a slot.
#pragma once

#include <deque>
#include <map>
#include <optional>

#include "lib/base/guarded.h"
#include "lib/kube/object/object.h"

namespace controller {

// Any thread. A slot that is not released is free again after kLongestMs: an Agent whose new pod
// never gets ready slows the others down and does not stop them.
class RolloutBudget {
 public:
  static constexpr int64_t kLongestMs = 300'000;

  explicit RolloutBudget(size_t slots) : slots_(slots) {}

  // For how long `key` has had a slot, ms; nothing: it waits for one. `now_ms` monotonic.
  std::optional<int64_t> Take(const kube::ObjectKey& key, int64_t now_ms) {
    return state_.With([&](State& state) -> std::optional<int64_t> {
      std::erase_if(state.held,
                    [&](const auto& held) { return held.second + kLongestMs <= now_ms; });
      auto held = state.held.find(key);
      if (held != state.held.end()) return now_ms - held->second;
      std::erase(state.waiting, key);
      if (state.held.size() < slots_) {
        state.held[key] = now_ms;
        return 0;
      }
      state.waiting.push_back(key);
      return std::nullopt;
    });
  }
  // The key to reconcile next, since a slot is free. Nothing when `key` had none.
  std::optional<kube::ObjectKey> Release(const kube::ObjectKey& key) {
    return state_.With([&](State& state) -> std::optional<kube::ObjectKey> {
      std::erase(state.waiting, key);
      if (state.held.erase(key) == 0 || state.waiting.empty()) return std::nullopt;
      const kube::ObjectKey next = state.waiting.front();
      state.waiting.pop_front();
      return next;
    });
  }

 private:
  struct State {
    std::map<kube::ObjectKey, int64_t> held;  // since, monotonic ms
    std::deque<kube::ObjectKey> waiting;      // each key once
  };
  const size_t slots_;
  base::Guarded<State> state_;
};

}  // namespace controller
