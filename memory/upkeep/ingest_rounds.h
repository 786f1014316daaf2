// The thread that extracts the facts of turns, behind their answers.
#pragma once

#include <chrono>
#include <stop_token>
#include <thread>

#include "lib/telemetry/metrics.h"
#include "memory/store/engine.h"

namespace memory {

class IngestRounds {
 public:
  IngestRounds(Engine& engine, telemetry::Metrics& metrics);  // both outlive this
  ~IngestRounds();                                            // after the turn that is under way

 private:
  void Loop(const std::stop_token& stop);
  std::chrono::milliseconds Round(const std::stop_token& stop);
  std::chrono::milliseconds NoteFailure(Store& store, const PendingTurn& turn,
                                        const base::Error& error);
  Engine& engine_;
  telemetry::Metrics& metrics_;
  std::jthread thread_;
};

}  // namespace memory
