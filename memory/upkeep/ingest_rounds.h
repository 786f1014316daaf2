// The threads that extract the facts of stored turns in the background.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "lib/base/limits/byte_budget.h"
#include "lib/telemetry/metrics.h"
#include "memory/extract/extractor.h"
#include "memory/store/engine.h"

namespace memory {

class IngestRounds {
 public:
  // All outlive this. `at_once`: concurrent turns, one per store. `budget`: charged like that of a
  // request; null: nothing is counted.
  IngestRounds(Engine& engine, Extractor& extractor, telemetry::Metrics& metrics,
               size_t at_once = 1, base::ByteBudget* budget = nullptr);
  ~IngestRounds();  // stops active turns and waits for them

 private:
  enum class Outcome { kNothing, kDone, kFailed };
  void Loop(const std::stop_token& stop);
  bool Round(const std::stop_token& stop);  // true: it processed a turn
  Outcome IngestNext(const std::string& name, std::shared_ptr<Store> store,
                     const std::stop_token& stop);
  void NoteFailure(Store& store, const PendingTurn& turn, const base::Error& error,
                   int64_t most_tries);
  bool Claim(const std::string& name);
  void Release(const std::string& name, Outcome outcome);

  Engine& engine_;
  Extractor& extractor_;
  telemetry::Metrics& metrics_;
  base::ByteBudget* const budget_;
  std::mutex mutex_;
  std::set<std::string> claimed_;  // under mutex_, with what follows
  // The end of the pause of each store with a failure, so that no other store waits for it.
  std::map<std::string, std::chrono::steady_clock::time_point> paused_until_;
  std::vector<std::jthread> threads_;  // last: they use the above
};

}  // namespace memory
