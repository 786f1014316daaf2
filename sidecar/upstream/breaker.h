// A circuit breaker (Nygard, "Release It!", 2007): opens after a few failures in a row, then lets
// one probe through at a time (half-open). No clock and no lock of its own.
#pragma once

#include <algorithm>
#include <cstdint>

namespace sidecar {

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

}  // namespace sidecar
