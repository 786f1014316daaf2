// The thread that derives insights after runs of consolidation.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>

#include "lib/base/limits/byte_budget.h"
#include "lib/telemetry/metrics.h"
#include "memory/derive/deriver.h"
#include "memory/store/engine.h"

namespace memory {

class DeriveRounds {
 public:
  // All outlive this. `budget`: charged like that of a request; null: nothing is counted.
  DeriveRounds(Engine& engine, Deriver& deriver, telemetry::Metrics& metrics,
               base::ByteBudget* budget = nullptr);
  ~DeriveRounds();  // stops the active run and waits for it

 private:
  void Loop(const std::stop_token& stop);
  bool Round(const std::stop_token& stop);  // true: it processed a run
  // Processes the longest waiting run. False: it stays pending.
  bool DeriveNext(const std::string& name, std::shared_ptr<Store> store,
                  const std::stop_token& stop);

  Engine& engine_;
  Deriver& deriver_;
  telemetry::Metrics& metrics_;
  base::ByteBudget* const budget_;
  // The end of the pause of each store with a failure. Used by the thread only.
  std::map<std::string, std::chrono::steady_clock::time_point> paused_until_;
  std::jthread thread_;  // last: it uses the above
};

}  // namespace memory
