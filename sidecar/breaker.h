// A circuit breaker: after a few failures in a row calls are skipped for a while, then one is let
// through to try. Keeps a slow or dead server out of the agent's way. Any thread; no clock of its
// own.
#pragma once

#include <algorithm>
#include <cstdint>
#include <mutex>

namespace sidecar {

class Breaker {
 public:
  struct Options {
    int failures = 3;                            // in a row, before it opens
    int64_t first_ms = 500, longest_ms = 5'000;  // how long it stays open; doubles
  };
  Breaker() : Breaker(Options()) {}
  explicit Breaker(Options options) : options_(options) {}

  // May a call go out now? While open: one caller per interval, to try.
  bool Allow(int64_t now_ms) {
    std::lock_guard lock(mutex_);
    if (failed_ < options_.failures) return true;
    if (now_ms < closed_until_ms_) return false;
    closed_until_ms_ = now_ms + open_ms_;
    return true;
  }
  void Succeeded() {
    std::lock_guard lock(mutex_);
    failed_ = 0;
    open_ms_ = options_.first_ms;
  }
  void Failed(int64_t now_ms) {
    std::lock_guard lock(mutex_);
    if (++failed_ < options_.failures) return;
    if (failed_ == options_.failures) open_ms_ = options_.first_ms;
    closed_until_ms_ = now_ms + open_ms_;
    open_ms_ = std::min(open_ms_ * 2, options_.longest_ms);
  }
  bool IsOpen() const {
    std::lock_guard lock(mutex_);
    return failed_ >= options_.failures;
  }

 private:
  const Options options_;
  mutable std::mutex mutex_;
  int failed_ = 0;
  int64_t open_ms_ = 0, closed_until_ms_ = 0;
};

}  // namespace sidecar
