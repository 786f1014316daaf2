// Handles one hook event from start to end: draft, recall, commit, answer. turn.cc defines the
// order; each step has its own file.
#pragma once

#include <functional>
#include <utility>

#include "lib/api/hook_event.h"
#include "lib/base/process/clock.h"
#include "lib/telemetry/metrics.h"
#include "lib/telemetry/trace.h"
#include "sidecar/outbox/saved_ids.h"
#include "sidecar/policy/policy_watch.h"
#include "sidecar/recall/recall.h"
#include "sidecar/state/state.h"
#include "sidecar/turn/rule_counters.h"
#include "sidecar/turn/turn_commit.h"

namespace sidecar {

class Turn {
 public:
  struct Parts {  // all outlive the Turn
    State& state;
    const PolicyWatch& policies;
    Recall& recall;
    RuleCounters& rules;
    telemetry::Metrics& metrics;
    telemetry::Tracer& tracer;
    const base::Clock& clock;
    OutboxLimits limits;
    SavedIds& saved_ids;
    std::function<void()> wake;  // tells the delivery that there are new rows
  };
  explicit Turn(Parts parts) : parts_(std::move(parts)), cut_off_(FindCutOff(parts_.state)) {}

  // Handles a hook event; answers after the commit. kUnavailable: no policy yet, or the disk
  // failed; kFull: no space. Any thread.
  base::Result<api::HookAnswer> Handle(api::HookEvent event, const telemetry::TraceContext& trace);

 private:
  TurnRecall RecallFor(const TurnDraft& draft, const api::Policy& policy, telemetry::Span& turn);
  // A client that is killed ends no session: when the next one begins, the conversation used before
  // it gets a summary and a digest of what it has so far. Fails with a line in the log.
  void SummarizeLeftOpen(const TurnDraft& draft, const api::Policy& policy);
  base::Result<TurnOutcome> CommitWithin(telemetry::Span& turn, const TurnDraft& draft,
                                         const TurnRecall& recall, const ActivePolicy& policy);
  void Count(const TurnDraft& draft, const TurnRecall& recall, const TurnOutcome& outcome);

  const Parts parts_;
  const CutOff cut_off_;
};

}  // namespace sidecar
