// The one transaction of a hook event: messages, captures, injection, audit, session.
#pragma once

#include <string>
#include <vector>

#include "lib/api/hook_event.h"
#include "lib/conversation/block/block_digest.h"
#include "sidecar/policy/active_policy.h"
#include "sidecar/recall/recall.h"
#include "sidecar/session/sessions.h"
#include "sidecar/turn/task_work.h"
#include "sidecar/turn/turn_draft.h"

namespace sidecar {

// The recall of an event.
struct TurnRecall {
  bool asked = false;  // true for a prompt, a session start or a tool of contextInjectTools
  std::string query;
  Recalled found;   // ids and ranks for the record
  Recalled inject;  // candidates for the prompt
};

struct TurnOutcome {
  api::HookAnswer answer;
  bool repeated = false;               // a repeated event: nothing was written
  std::string session;                 // memory session of the conversation; empty: not known
  std::vector<RecalledItem> injected;  // items in the answer's text
  bool ingest_skipped = false;         // the outbox had no room for the turn's extraction
};

// True when the event writes nothing and needs no commit.
bool WritesNothing(const TurnDraft& draft, const TurnRecall& recall);

// Runs inside the writer's transaction. kFull: the outbox or the volume is full, nothing is
// written. `traceparent`: see OutboxRow. `account`: of the session that the event ends, see
// EndConversation. `block`: the digest of the open block, see conversation::CloseBlock. `cut_off`:
// see task_work.h.
base::Result<TurnOutcome> CommitTurn(sqlite::Database& db, const TurnDraft& draft,
                                     const TurnRecall& recall, const ActivePolicy& policy,
                                     const OutboxLimits& limits, int64_t now_ms,
                                     const std::string& traceparent,
                                     const SessionAccount* account = nullptr,
                                     const conversation::BlockDigest* block = nullptr,
                                     const CutOff& cut_off = {});

}  // namespace sidecar
