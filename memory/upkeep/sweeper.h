// The thread that obeys retention: from time to time it goes over the stores that are open.
#pragma once

#include <stop_token>
#include <thread>

#include "lib/telemetry/metrics.h"
#include "memory/store/engine.h"

namespace memory {

class Sweeper {
 public:
  // Both outlive this. At once it opens what a crash left unclosed. The first round is one
  // `interval_ms` after the start.
  Sweeper(Engine& engine, telemetry::Metrics& metrics, int64_t interval_ms);
  ~Sweeper();  // ends a running round within one batch

 private:
  void Loop(const std::stop_token& stop, int64_t interval_ms);
  void Round(const std::stop_token& stop);
  void Report(const Swept& swept);
  Engine& engine_;
  telemetry::Metrics& metrics_;
  std::jthread thread_;
};

}  // namespace memory
