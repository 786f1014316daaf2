// The thread that derives the insights of runs of consolidation, behind their answers.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>

#include "lib/telemetry/metrics.h"
#include "memory/derive/deriver.h"
#include "memory/store/engine.h"

namespace memory {

class DeriveRounds {
 public:
  // All outlive this.
  DeriveRounds(Engine& engine, Deriver& deriver, telemetry::Metrics& metrics);
  ~DeriveRounds();  // after the run that is under way, which a stop ends early

 private:
  void Loop(const std::stop_token& stop);
  bool Round(const std::stop_token& stop);  // a run got its insights
  // Of the run that waits longest. False: it waits on.
  bool DeriveNext(const std::string& name, std::shared_ptr<Store> store,
                  const std::stop_token& stop);

  Engine& engine_;
  Deriver& deriver_;
  telemetry::Metrics& metrics_;
  // Stores that failed are left alone until then. Of the thread alone.
  std::map<std::string, std::chrono::steady_clock::time_point> rests_;
  std::jthread thread_;  // last: it uses the above
};

}  // namespace memory
