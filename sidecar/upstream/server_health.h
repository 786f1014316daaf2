// The health of a memory server, shared by recall, direct calls and delivery. Two circuit breakers:
// a server that does not answer is away for all callers; a server slower than a short timeout is
// slow for callers with short timeouts alone.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>

#include "sidecar/upstream/breaker.h"

namespace sidecar {

class ServerHealth {
 public:
  // Shorter timeouts are impatient: after one the server may still be available.
  static constexpr int64_t kImpatientMs = 1'000;
  struct Call {
    bool impatient = false;
    Breaker::Pass there = Breaker::Pass::kRefused, quick = Breaker::Pass::kCall;
  };
  enum class End { kAnswered, kTimedOut, kNoAnswer };

  // nullopt: do not call now.
  std::optional<Call> Begin(int64_t now_ms, int64_t patience_ms) {
    std::lock_guard lock(mutex_);
    if (RefusesLocked(now_ms, patience_ms)) return std::nullopt;
    Call call{patience_ms < kImpatientMs};
    call.there = there_.Begin(now_ms, patience_ms);
    if (call.impatient) call.quick = quick_.Begin(now_ms, patience_ms);
    return call;
  }
  // True when the server answers again after it was away.
  bool Finish(const Call& call, int64_t now_ms, End end) {
    std::lock_guard lock(mutex_);
    if (end == End::kAnswered) {
      if (call.impatient) quick_.Succeeded();
      return there_.Succeeded();
    }
    if (call.impatient) quick_.Failed(call.quick, now_ms);
    // A short timeout proves slowness only. The probe passes to the next caller: a server slower
    // than recalls would otherwise never be found again.
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
