// What a stop means to open sessions (rulings K29): a daemon's stay open and the server is told the
// summary so far; a task is over, and so are its sessions.
#pragma once

#include <string>

#include "sidecar/outbox/outbox.h"
#include "sidecar/session/sessions.h"
#include "sidecar/state/state.h"

namespace sidecar {

// By the policy's mode; each session in a transaction of its own. What is refused (a full outbox, a
// full volume) is logged and left as it is. `context` must outlive the call.
void StopSessions(State& state, const OutboxContext& context);

// The memory session of the conversation that was used last, if that was at `since_ms` or later;
// else empty.
std::string LastSession(State& state, int64_t since_ms);

}  // namespace sidecar
