// Limits how many Agents are updated at once, across all workers: each holds a slot.
#pragma once

#include <deque>
#include <map>
#include <optional>

#include "lib/base/guarded.h"
#include "lib/kube/object/object.h"

namespace controller {

// Any thread. A slot expires after kLongestMs, so that an Agent whose new pod never gets ready only
// delays the others.
class RolloutBudget {
 public:
  static constexpr int64_t kLongestMs = 300'000;

  explicit RolloutBudget(size_t slots) : slots_(slots) {}

  // Acquires or keeps a slot, and returns its age in ms; nullopt: `key` waits. `now_ms`: monotonic.
  std::optional<int64_t> Acquire(const kube::ObjectKey& key, int64_t now_ms) {
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
  // Gives up a slot or a wait. Returns the next key to reconcile if a slot became free.
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
