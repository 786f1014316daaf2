// Handles open sessions at a stop of the sidecar: a daemon's sessions stay open and get an interim
// summary, a task's sessions end.
#pragma once

#include <string>

#include "sidecar/outbox/outbox.h"
#include "sidecar/session/sessions.h"
#include "sidecar/state/state.h"

namespace sidecar {

// By the policy's mode; each session in a transaction of its own. A refused session (full outbox or
// volume) is logged and unchanged. `context` must outlive the call.
void StopSessions(State& state, const OutboxContext& context);

// The memory session of the most recently used conversation; empty when its last use is before
// `since_ms`.
std::string LastSession(State& state, int64_t since_ms);

}  // namespace sidecar
