// The task of a conversation during one hook event: what it goes on with, whether the prompt gets
// it, what the event changes (ADR 57). Runs inside the event's transaction.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "lib/api/policy.h"
#include "lib/base/result.h"
#include "lib/conversation/conversation.h"
#include "lib/conversation/task/task_state.h"
#include "sidecar/state/state.h"
#include "sidecar/turn/turn_draft.h"

namespace sidecar {

// The conversation that was open when the sidecar started: its agent was cut off, if the next event
// is of a new conversation.
using CutOff = std::optional<conversation::Conversation>;
CutOff FindCutOff(State& state);

class TaskWork {
 public:
  // Before the event's conversation is made. A new conversation after a resume, or after one that
  // was cut off, begins with the snapshot of the latest one.
  static base::Result<TaskWork> Begin(sqlite::Database& db, const TurnDraft& draft,
                                      const CutOff& cut_off);
  // The section for the prompt, as it was before the event; empty: none.
  base::Result<std::string> Offer(sqlite::Database& db, const TurnDraft& draft,
                                  const api::Policy& policy);
  base::Status Commit(sqlite::Database& db, const TurnDraft& draft, const api::Policy& policy,
                      int64_t now_ms);

 private:
  conversation::TaskState stored_, state_;
};

}  // namespace sidecar
