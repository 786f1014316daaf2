// Queues a turn that ended for the extraction of facts on the server (memory.autoIngest). What is
// extracted is the server's to decide.
#pragma once

#include "lib/base/result.h"
#include "sidecar/outbox/outbox_context.h"
#include "sidecar/policy/active_policy.h"
#include "sidecar/turn/turn_draft.h"

namespace sidecar {

inline constexpr size_t kMostIngestedBytes = 64 << 10;  // of the prompt and of the answer

// Runs inside the transaction of a Stop, while the turn's block is open. Queued are the prompt and
// the answer, redacted, without injected memory; nothing where one of both is missing. → true: the
// outbox is full, and the turn goes on without.
base::Result<bool> QueueIngest(sqlite::Database& db, const TurnDraft& draft,
                               const ActivePolicy& policy, const OutboxContext& context);

}  // namespace sidecar
