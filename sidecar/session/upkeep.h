// Periodic maintenance of conversations: ends idle sessions and evicts old rows. One thread, a
// round a minute; tests call single rounds, with any clock.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

#include "lib/base/process/clock.h"
#include "lib/telemetry/metrics.h"
#include "sidecar/outbox/outbox.h"
#include "sidecar/policy/policy_watch.h"
#include "sidecar/session/growth_upkeep.h"
#include "sidecar/state/state.h"

namespace sidecar {

class SessionUpkeep {
 public:
  struct Options {
    int64_t session_idle_ms = 0;  // 0: never
    GrowthUpkeep::Options growth = {};
    OutboxLimits outbox = {};
    std::function<void()> each_round = [] {};  // called at the end of each round
    // Removes expired fields; → their number. Calls its argument between pieces.
    std::function<base::Result<int64_t>(const std::function<bool()>& stopping)> sweep_fields =
        nullptr;
  };
  // All arguments outlive it. `wake` notifies the delivery of new rows.
  SessionUpkeep(State& state, const PolicyWatch& policies, telemetry::Metrics& metrics,
                const base::Clock& clock, const Options& options, std::function<void()> wake);
  ~SessionUpkeep();

  void Start();  // starts the thread
  void Stop();   // joins the thread, after its round

  struct Round : GrowthUpkeep::Removed {
    int64_t ended = 0;
  };
  // Failed work (no policy, full outbox, full volume) is retried in the next round.
  Round RunOnce();

 private:
  int64_t EndIdle();
  bool Stopping();
  void AddChecksums();
  void SweepFields();
  base::Result<int64_t> Age();  // → the retention clock

  State& state_;
  const PolicyWatch& policies_;
  telemetry::Metrics& metrics_;
  const base::Clock& clock_;
  const Options options_;
  std::function<void()> wake_;
  GrowthUpkeep growth_;
  bool checksums_done_ = false;     // every message has a checksum, or the volume is full
  std::optional<int64_t> aged_ms_;  // see AdvanceRetentionClock
  int64_t aged_at_ms_ = 0,
          saved_aged_ms_ = 0;  // monotonic, of the last round; the saved clock

  std::mutex mutex_;
  std::condition_variable stop_;
  bool stopping_ = false;
  std::jthread thread_;
};

}  // namespace sidecar
