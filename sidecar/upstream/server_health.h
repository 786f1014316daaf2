// The sidecar's one opinion on whether a memory server is there, shared by recall, direct calls and
// delivery. Two breakers: a server that does not answer is away for everybody; one that is only
// slower than an impatient caller waits is slow for impatient callers alone.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>

#include "sidecar/upstream/breaker.h"

namespace sidecar {

class ServerHealth {
 public:
  // A caller that waits less is impatient: its timeout does not mean that the server is away.
  static constexpr int64_t kImpatientMs = 1'000;
  struct Call {
    bool impatient = false;
    Breaker::Pass there = Breaker::Pass::kRefused, quick = Breaker::Pass::kCall;
  };
  enum class End { kAnswered, kTimedOut, kNoAnswer };

  // Nothing: do not call now.
  std::optional<Call> Begin(int64_t now_ms, int64_t patience_ms) {
    std::lock_guard lock(mutex_);
    if (RefusesLocked(now_ms, patience_ms)) return std::nullopt;
    Call call{patience_ms < kImpatientMs};
    call.there = there_.Begin(now_ms, patience_ms);
    if (call.impatient) call.quick = quick_.Begin(now_ms, patience_ms);
    return call;
  }
  // True when the server is back: it answers, and did not before.
  bool Finish(const Call& call, int64_t now_ms, End end) {
    std::lock_guard lock(mutex_);
    if (end == End::kAnswered) {
      if (call.impatient) quick_.Succeeded();
      return there_.Succeeded();
    }
    if (call.impatient) quick_.Failed(call.quick, now_ms);
    // What a short wait shows of a server is only that it is slow. Its probe goes to the next
    // caller, or a server that takes longer than recalls wait would never be found again.
    if (end == End::kNoAnswer || !call.impatient) {
      there_.Failed(call.there, now_ms);
    } else if (call.there == Breaker::Pass::kProbe) {
      there_.Release(now_ms);
    }
    return false;
  }
  bool Refuses(int64_t now_ms, int64_t patience_ms) const {
    std::lock_guard lock(mutex_);
    return RefusesLocked(now_ms, patience_ms);
  }
  bool IsAway() const {
    std::lock_guard lock(mutex_);
    return there_.IsOpen();
  }
  bool IsSlow() const {  // for impatient callers; also when it is away
    std::lock_guard lock(mutex_);
    return there_.IsOpen() || quick_.IsOpen();
  }

 private:
  bool RefusesLocked(int64_t now_ms, int64_t patience_ms) const {
    return there_.Refuses(now_ms) || (patience_ms < kImpatientMs && quick_.Refuses(now_ms));
  }
  mutable std::mutex mutex_;
  Breaker there_, quick_;
};

}  // namespace sidecar
