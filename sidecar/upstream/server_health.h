// The health of a memory server, shared by recall, direct calls and delivery. Two circuit breakers:
// a server that does not answer is away for all callers; a server slower than a short timeout is
// slow for callers with short timeouts alone.
#pragma once

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <optional>

namespace sidecar {

// A circuit breaker (Nygard, "Release It!", 2007): opens after a few failures in a row, then lets
// one probe through at a time (half-open). No clock and no lock of its own.
class Breaker {
 public:
  struct Options {
    int failures = 3;                            // in a row, before it opens
    int64_t first_ms = 500, longest_ms = 5'000;  // how long it stays open; doubles with each probe
  };
  enum class Pass { kRefused, kCall, kProbe };
  Breaker() : Breaker(Options()) {}
  explicit Breaker(Options options) : options_(options) {}

  bool IsOpen() const { return failed_ >= options_.failures; }
  bool Refuses(int64_t now_ms) const { return IsOpen() && now_ms < next_probe_ms_; }
  // Admits a call that ends within `patience_ms`; a probe without a reported end counts as over
  // after that time.
  Pass Begin(int64_t now_ms, int64_t patience_ms) {
    if (!IsOpen()) return Pass::kCall;
    if (now_ms < next_probe_ms_) return Pass::kRefused;
    next_probe_ms_ = now_ms + std::max(patience_ms, pause_ms_);
    return Pass::kProbe;
  }
  // Ends a probe without a verdict: the next caller probes.
  void Release(int64_t now_ms) { next_probe_ms_ = now_ms; }
  // True when calls failed before this one.
  bool Succeeded() {
    const bool failed = failed_ > 0;
    failed_ = 0;
    opened_ = false;
    return failed;
  }
  void Failed(Pass pass, int64_t now_ms) {
    failed_ = std::min(failed_ + 1, options_.failures);
    if (!IsOpen()) return;
    if (pass == Pass::kProbe) {
      pause_ms_ = std::min(pause_ms_ * 2, options_.longest_ms);
    } else if (opened_) {
      return;  // the call began before the breaker opened
    } else {
      pause_ms_ = options_.first_ms;
    }
    opened_ = true;
    next_probe_ms_ = now_ms + pause_ms_;
  }

 private:
  const Options options_;
  int failed_ = 0;
  bool opened_ = false;
  int64_t pause_ms_ = 0, next_probe_ms_ = 0;
};

// Any thread.
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
