// The thread of retention: runs rounds over the open stores at an interval, and upkeep in between.
#pragma once

#include <stop_token>
#include <thread>

#include "lib/telemetry/metrics.h"
#include "memory/store/engine.h"

namespace memory {

class Sweeper {
 public:
  // Both outlive this. The thread first runs Engine::Recover; the first round is `interval_ms`
  // after the start.
  Sweeper(Engine& engine, telemetry::Metrics& metrics, int64_t interval_ms);
  ~Sweeper();  // ends an active round within one batch

 private:
  void Loop(const std::stop_token& stop, int64_t interval_ms);
  void Round(const std::stop_token& stop);
  void Report(const Swept& swept);
  Engine& engine_;
  telemetry::Metrics& metrics_;
  std::jthread thread_;
};

}  // namespace memory
