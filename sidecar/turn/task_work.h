// The task of a conversation during one hook event: its inheritance by a new conversation, its
// section in the prompt, and the event's changes (ADR 57). Runs inside the event's transaction.
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

// The open conversation when the sidecar started. If the next event is of a new conversation, the
// agent was cut off.
using CutOff = std::optional<conversation::Conversation>;
CutOff FindCutOff(State& state);

class TaskWork {
 public:
  // Call before the event's conversation is created. A new conversation after a resume, or after
  // one that was cut off, begins with the snapshot of the latest one.
  static base::Result<TaskWork> Begin(conversation::Rows& rows, const TurnDraft& draft,
                                      const CutOff& cut_off);
  // The section for the prompt, with the task's state before the event; empty: none.
  base::Result<std::string> Offer(conversation::Rows& rows, const TurnDraft& draft,
                                  const api::Policy& policy);
  base::Status Commit(conversation::Rows& rows, const TurnDraft& draft, const api::Policy& policy,
                      int64_t now_ms);

 private:
  conversation::TaskState stored_, state_;
};

}  // namespace sidecar
