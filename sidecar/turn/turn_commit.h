// The one transaction of a hook event: messages, captures, injection, audit, session. Either all of
// it is on the disk when the agent is answered, or none.
#pragma once

#include <string>
#include <vector>

#include "lib/api/hook_event.h"
#include "sidecar/policy/active_policy.h"
#include "sidecar/recall/recall.h"
#include "sidecar/session/sessions.h"
#include "sidecar/turn/turn_draft.h"

namespace sidecar {

// What was recalled for the event, and whether it is to be recorded at all.
struct TurnRecall {
  bool asked = false;  // a prompt, a session start or a tool of contextInjectTools
  std::string query;
  Recalled found;   // ids and ranks for the record
  Recalled inject;  // what may go into the prompt
};

struct TurnOutcome {
  api::HookAnswer answer;
  bool repeated = false;               // the event had been answered before: nothing was written
  std::vector<RecalledItem> injected;  // what is in the answer's text
};

// True when the event writes nothing at all, so that no commit is needed.
bool WritesNothing(const TurnDraft& draft, const TurnRecall& recall);

// Runs inside the writer's transaction. kFull: the outbox or the disk; nothing is then written.
// `cause`: see OutboxRow. `account`: of the session that the event ends, see EndConversation.
base::Result<TurnOutcome> CommitTurn(sqlite::Database& db, const TurnDraft& draft,
                                     const TurnRecall& recall, const ActivePolicy& policy,
                                     const OutboxLimits& limits, int64_t now_ms,
                                     const std::string& cause,
                                     const SessionAccount* account = nullptr);

}  // namespace sidecar
