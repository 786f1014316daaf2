// One hook event from start to end: parse, recall, prompt, capture, outbox, answer. The order is
// written here once; each step is a file of its own.
#pragma once

#include <functional>

#include "lib/api/hook_event.h"
#include "lib/base/clock.h"
#include "lib/telemetry/metrics.h"
#include "lib/telemetry/trace.h"
#include "sidecar/policy_watch.h"
#include "sidecar/recall.h"
#include "sidecar/state.h"
#include "sidecar/turn_commit.h"

namespace sidecar {

class Turn {
 public:
  // `wake` tells the delivery that there are new rows.
  Turn(State& state, const PolicyWatch& policies, Recall& recall, std::function<void()> wake,
       telemetry::Metrics& metrics, const base::Clock& clock, OutboxLimits limits);

  // Answers after the commit. kUnavailable: no policy yet, or the disk failed; kFull: no room. Any
  // thread.
  base::Result<api::HookAnswer> Take(api::HookEvent event, const telemetry::TraceContext& trace);

 private:
  TurnRecall RecallFor(const TurnDraft& draft, const api::Policy& policy,
                       const telemetry::TraceContext& trace);
  void CountTurn(const TurnDraft& draft, const TurnRecall& recall, const TurnOutcome& outcome);

  State& state_;
  const PolicyWatch& policies_;
  Recall& recall_;
  std::function<void()> wake_;
  telemetry::Metrics& metrics_;
  const base::Clock& clock_;
  const OutboxLimits limits_;
};

}  // namespace sidecar
