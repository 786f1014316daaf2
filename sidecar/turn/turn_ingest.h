// Queues an ended turn for the extraction of facts on the server (memory.autoIngest). The server
// selects the facts.
#pragma once

#include "lib/base/result.h"
#include "sidecar/outbox/outbox_context.h"
#include "sidecar/policy/active_policy.h"
#include "sidecar/turn/turn_draft.h"

namespace sidecar {

inline constexpr size_t kMostIngestedBytes = 64 << 10;  // of the prompt and of the answer

// Runs inside the transaction of a Stop, while the turn's block is open. Queues prompt and answer,
// redacted, without injected memory; nothing if one of them is missing. → true: skipped, since the
// outbox is full.
base::Result<bool> QueueIngest(sqlite::Database& db, const TurnDraft& draft,
                               const ActivePolicy& policy, const OutboxContext& context);

}  // namespace sidecar
