// Tells the memory server how long and how many memories of the project are kept, when the policy
// says so. What the rules mean is the server's to know.
#pragma once

#include <memory>
#include <optional>

#include "lib/api/policy.h"
#include "sidecar/outbox.h"
#include "sidecar/state.h"

namespace sidecar {

// What is to be told once `now` is in force after `before` (null: none yet); nullopt: nothing. An
// Agent without rules tells none, so that it takes none away from another of its project; one that
// had some takes them back. Pure.
std::optional<OutboxRow> RetentionNotice(const api::Policy* before, const api::Policy& now,
                                         int64_t now_ms);

// Puts the notice into the outbox: it reaches the server in order, and survives that it is away.
base::Status TellRetention(State& state, const api::Policy* before, const api::Policy& now,
                           const OutboxLimits& limits, int64_t now_ms);

}  // namespace sidecar
